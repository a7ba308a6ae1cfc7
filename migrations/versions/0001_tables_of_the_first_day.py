"""Create tables of organizations, keys, vessels, chartings, areas, telemetry and events."""

import sqlalchemy as sa
from alembic import op
from geoalchemy2 import Geometry
from sqlalchemy.dialects import postgresql

from migrations.tenancy import (
    OWN_ROW,
    enable_row_security,
    grant,
    make_own_role,
    open_gate,
    protect,
)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TENANT_TABLES = (
    "app_user",
    "api_key",
    "vessel",
    "charting",
    "charting_revision",
    "telemetry",
    "telemetry_day",
    "event",
    "idempotency_record",
)

WEB_RIGHTS = {
    "organization": "SELECT, UPDATE (name, ukc_margin_m)",
    "app_user": "SELECT, INSERT, UPDATE",
    "api_key": "SELECT, INSERT, UPDATE",
    "vessel": "SELECT, INSERT, UPDATE",
    "charting": "SELECT, INSERT, UPDATE",
    "charting_revision": "SELECT, INSERT, UPDATE",
    "area": "SELECT, INSERT, UPDATE, DELETE",
    "telemetry": "SELECT, INSERT",
    "telemetry_day": "SELECT, INSERT, UPDATE",
    "event": "SELECT, INSERT",
    "idempotency_record": "SELECT, INSERT, DELETE",
}

WORKER_RIGHTS = {
    "organization": "SELECT",
    "vessel": "SELECT",
    "charting": "SELECT, UPDATE (completed_revision)",
    "charting_revision": "SELECT, UPDATE",
    "area": "SELECT",
    "telemetry": "SELECT",
    "telemetry_day": "SELECT",
    "event": "SELECT, INSERT, UPDATE (dispatched_at)",
}

GATE_RIGHTS = {
    "organization": "SELECT (id, name)",
    "app_user": "SELECT (id, organization_id, email, name, password_hash, role, is_active)",
    "api_key": (
        "SELECT (id, organization_id, prefix, secret_sha256, role, is_operator,"
        " name, expires_at, revoked_at, last_used_at), UPDATE (last_used_at)"
    ),
    "charting_revision": (
        "SELECT (organization_id, charting_id, revision, status, attempt,"
        " queued_at, started_at, heartbeat_at)"
    ),
    "event": "SELECT (id, organization_id, sequence, created_at, dispatched_at)",
    "idempotency_record": "SELECT (organization_id, key, created_at), DELETE",
}

#: An area that its operator made for others too; everyone whom it reaches reads it.
REACHES_ME = """
    made_by_operator AND (
        level <> 'ORGANIZATION'
        OR nullif(current_setting('app.organization', true), '')::uuid = ANY (organization_ids)
    )
"""

ADD_PARTITION = """
CREATE FUNCTION add_telemetry_partition(instant timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    starts timestamp := date_trunc('month', instant AT TIME ZONE 'UTC');
    partition text := 'telemetry_' || to_char(starts, 'YYYY_MM');
BEGIN
    IF starts < '1990-01-01' OR starts >= '2100-01-01' THEN
        RAISE EXCEPTION 'no telemetry is kept for %', starts;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext(partition));
    IF to_regclass(partition) IS NOT NULL THEN
        RETURN;
    END IF;
    -- attached afterwards, because that does not stop readers of the other months
    EXECUTE format('CREATE TABLE %I (LIKE telemetry INCLUDING ALL)', partition);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', partition);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', partition);
    EXECUTE format(
        'ALTER TABLE telemetry ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition, starts AT TIME ZONE 'UTC', (starts + interval '1 month') AT TIME ZONE 'UTC'
    );
END $$
"""


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS postgis")
    for role in ("web", "worker", "gate"):
        make_own_role(role)
    create_tables()
    secure_tables()
    create_telemetry_partitions()


def secure_tables() -> None:
    protect("organization", column="id")
    for table in TENANT_TABLES:
        protect(table)
    secure_areas()
    for table, rights in WEB_RIGHTS.items():
        grant("web", rights, table)
    for table, rights in WORKER_RIGHTS.items():
        grant("worker", rights, table)
    for table, rights in GATE_RIGHTS.items():
        open_gate(table, rights)


def secure_areas() -> None:
    """An organization reads its own areas and those that reach it, and writes its own."""
    own = OWN_ROW.format(column="organization_id")
    enable_row_security("area")
    op.execute(f"CREATE POLICY area_read ON area FOR SELECT USING ({own} OR ({REACHES_ME}))")
    op.execute(f"CREATE POLICY area_insert ON area FOR INSERT WITH CHECK ({own})")
    op.execute(f"CREATE POLICY area_update ON area FOR UPDATE USING ({own}) WITH CHECK ({own})")
    op.execute(f"CREATE POLICY area_delete ON area FOR DELETE USING ({own})")


def create_telemetry_partitions() -> None:
    """Partition the months around today; others are added when their first record comes."""
    op.execute(ADD_PARTITION)
    op.execute("REVOKE ALL ON FUNCTION add_telemetry_partition FROM PUBLIC")
    op.execute(
        "GRANT EXECUTE ON FUNCTION add_telemetry_partition TO chartroom_web, chartroom_worker"
    )
    op.execute(
        "SELECT add_telemetry_partition(now() + make_interval(months => month))"
        " FROM generate_series(-1, 2) AS month"
    )


def create_tables() -> None:
    op.create_table(
        "organization",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("ukc_margin_m", sa.Double(), server_default=sa.text("1.0"), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("ukc_margin_m >= 0", name=op.f("ck_organization_ukc_margin")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organization")),
        sa.UniqueConstraint("name", name=op.f("uq_organization_name")),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("secret_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("is_operator", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rotated_from_id", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_api_key_organization_id")
        ),
        sa.ForeignKeyConstraint(
            ["rotated_from_id"],
            ["api_key.id"],
            name=op.f("fk_api_key_rotated_from_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
        sa.UniqueConstraint("prefix", name=op.f("uq_api_key_prefix")),
    )
    op.create_index("ix_api_key_organization_id", "api_key", ["organization_id"], unique=False)
    op.create_table(
        "app_user",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_app_user_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_app_user")),
    )
    op.create_index(
        "uq_app_user_email", "app_user", [sa.literal_column("lower(email)")], unique=True
    )
    op.create_geospatial_table(
        "area",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("collection", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column(
            "geometry",
            Geometry(
                geometry_type="MULTIPOLYGON",
                srid=4326,
                dimension=2,
                spatial_index=False,
                from_text="ST_GeomFromEWKT",
                name="geometry",
                nullable=False,
            ),
            nullable=False,
        ),
        sa.Column("drawn", sa.JSON(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("level", sa.String(), nullable=False),
        sa.Column("organization_ids", postgresql.ARRAY(sa.Uuid()), nullable=True),
        sa.Column("vessel_type_codes", postgresql.ARRAY(sa.SmallInteger()), nullable=True),
        sa.Column("start_date", sa.Date(), nullable=True),
        sa.Column("end_date", sa.Date(), nullable=True),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column(
            "made_by_operator", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("updated_by", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.CheckConstraint(
            "collection IN ('CONSTRAINT', 'CLIENT_DATA')", name=op.f("ck_area_collection")
        ),
        sa.CheckConstraint(
            "level IN ('GLOBAL', 'ORGANIZATION', 'VESSEL_TYPE')", name=op.f("ck_area_level")
        ),
        sa.CheckConstraint(
            "start_date IS NULL OR end_date >= start_date", name=op.f("ck_area_window")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_area_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_area")),
    )
    op.create_geospatial_index(
        "ix_area_geometry",
        "area",
        ["geometry"],
        unique=False,
        postgresql_using="gist",
        postgresql_ops={},
    )
    op.create_index(
        "ix_area_made_by_operator",
        "area",
        ["made_by_operator"],
        unique=False,
        postgresql_where=sa.text("made_by_operator"),
    )
    op.create_index(
        "ix_area_organization_id_collection",
        "area",
        ["organization_id", "collection"],
        unique=False,
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("dispatched_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_event_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index(
        "ix_event_pending",
        "event",
        ["sequence"],
        unique=False,
        postgresql_where=sa.text("dispatched_at IS NULL"),
    )
    op.create_table(
        "idempotency_record",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("request_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_idempotency_record_organization_id"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "key", name=op.f("pk_idempotency_record")),
    )
    op.create_table(
        "vessel",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column("image", sa.String(), nullable=True),
        sa.Column("date_constructed", sa.Date(), nullable=False),
        sa.Column("captain", sa.String(), nullable=True),
        sa.Column("dwt_t", sa.Double(), nullable=False),
        sa.Column("loa_m", sa.Double(), nullable=False),
        sa.Column("lbp_m", sa.Double(), nullable=False),
        sa.Column("breadth_m", sa.Double(), nullable=False),
        sa.Column("depth_m", sa.Double(), nullable=False),
        sa.Column("draft_design_m", sa.Double(), nullable=False),
        sa.Column("draft_scantling_m", sa.Double(), nullable=False),
        sa.Column("service_speed_kn", sa.Double(), nullable=False),
        sa.Column("pitch_m", sa.Double(), nullable=False),
        sa.Column("imo", sa.String(), nullable=True),
        sa.Column("type_code", sa.SmallInteger(), nullable=True),
        sa.Column("registrar_id", sa.String(), nullable=True),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("gross_tonnage", sa.Double(), nullable=True),
        sa.Column("fuel_type", sa.String(), nullable=True),
        sa.Column("installed_power_kw", sa.Double(), nullable=True),
        sa.Column("propeller_diameter_m", sa.Double(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_vessel_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vessel")),
        sa.UniqueConstraint("organization_id", "id", name="uq_vessel_organization_id_id"),
    )
    op.create_index(
        "uq_vessel_organization_id_imo",
        "vessel",
        ["organization_id", "imo"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "charting",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column("port_from_name", sa.String(), nullable=False),
        sa.Column("port_to_name", sa.String(), nullable=False),
        sa.Column("latest_revision", sa.Integer(), nullable=False),
        sa.Column("completed_revision", sa.Integer(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f("fk_charting_organization_id_vessel_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_charting_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_charting")),
        sa.UniqueConstraint("organization_id", "id", name="uq_charting_organization_id_id"),
    )
    op.create_index(
        "ix_charting_vessel_id", "charting", ["organization_id", "vessel_id"], unique=False
    )
    op.create_table(
        "telemetry",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column("timestamp", sa.DateTime(timezone=True), nullable=False),
        sa.Column("latitude", sa.Double(), nullable=False),
        sa.Column("longitude", sa.Double(), nullable=False),
        sa.Column("speed_kn", sa.Double(), nullable=False),
        sa.Column("heading_deg", sa.Double(), nullable=False),
        sa.Column("rpm", sa.Double(), nullable=False),
        sa.Column("fuel_consumption_t_day", sa.Double(), nullable=False),
        sa.Column("draft_m", sa.Double(), nullable=False),
        sa.Column("engine_load_pct", sa.Double(), nullable=False),
        sa.Column("wind_speed_ms", sa.Double(), nullable=True),
        sa.Column("wind_from_deg", sa.Double(), nullable=True),
        sa.Column("sea_state", sa.Double(), nullable=True),
        sa.Column("water_depth_m", sa.Double(), nullable=True),
        sa.Column("trim_fore_m", sa.Double(), nullable=True),
        sa.Column("trim_aft_m", sa.Double(), nullable=True),
        sa.Column("me_power_kw", sa.Double(), nullable=True),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f("fk_telemetry_organization_id_vessel_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_telemetry_organization_id")
        ),
        sa.PrimaryKeyConstraint("vessel_id", "timestamp", name=op.f("pk_telemetry")),
        postgresql_partition_by="RANGE (timestamp)",
    )
    op.create_table(
        "telemetry_day",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("vessel_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("records", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "vessel_id"],
            ["vessel.organization_id", "vessel.id"],
            name=op.f("fk_telemetry_day_organization_id_vessel_id"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_telemetry_day_organization_id")
        ),
        sa.PrimaryKeyConstraint("vessel_id", "day", name=op.f("pk_telemetry_day")),
    )
    op.create_geospatial_table(
        "charting_revision",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("charting_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("vessel", sa.JSON(), nullable=False),
        sa.Column("areas", sa.JSON(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("progress", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("stage", sa.String(), nullable=True),
        sa.Column("attempt", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("failure", sa.JSON(), nullable=True),
        sa.Column("provenance", sa.JSON(), nullable=True),
        sa.Column("summary", sa.JSON(), nullable=True),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("warnings", sa.JSON(), nullable=True),
        sa.Column("plan", sa.JSON(), nullable=True),
        sa.Column("profile", sa.JSON(), nullable=True),
        sa.Column(
            "track",
            Geometry(
                geometry_type="MULTILINESTRING",
                srid=4326,
                dimension=2,
                spatial_index=False,
                from_text="ST_GeomFromEWKT",
                name="geometry",
            ),
            nullable=True,
        ),
        sa.Column(
            "queued_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("queued_by", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')",
            name=op.f("ck_charting_revision_status"),
        ),
        sa.CheckConstraint("progress BETWEEN 0 AND 1", name=op.f("ck_charting_revision_progress")),
        sa.ForeignKeyConstraint(
            ["organization_id", "charting_id"],
            ["charting.organization_id", "charting.id"],
            name=op.f("fk_charting_revision_organization_id_charting_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_charting_revision_organization_id"),
        ),
        sa.PrimaryKeyConstraint("charting_id", "revision", name=op.f("pk_charting_revision")),
    )
    op.create_index(
        "ix_charting_revision_active",
        "charting_revision",
        ["organization_id", "status"],
        unique=False,
        postgresql_where=sa.text("status IN ('QUEUED', 'RUNNING')"),
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION add_telemetry_partition")
    for table in (
        "idempotency_record",
        "event",
        "telemetry_day",
        "telemetry",
        "area",
        "charting_revision",
        "charting",
        "vessel",
        "api_key",
        "app_user",
        "organization",
    ):
        op.drop_table(table)
