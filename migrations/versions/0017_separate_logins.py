"""Let workers keep the catalogue of weather, and backups read new months of telemetry.

Both were done as the owner of the tables, which no process that stays may sign in as any more.
"""

from alembic import op

from migrations.tenancy import grant, make_role

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

ADD_PARTITION = """
CREATE OR REPLACE FUNCTION add_telemetry_partition(instant timestamptz) RETURNS void
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
    EXECUTE format('GRANT SELECT ON %I TO chartroom_backup', partition);
    EXECUTE format(
        'CREATE POLICY chartroom_backup ON %I FOR SELECT TO chartroom_backup USING (true)',
        partition
    );
    EXECUTE format(
        'ALTER TABLE telemetry ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition, starts AT TIME ZONE 'UTC', (starts + interval '1 month') AT TIME ZONE 'UTC'
    );
END $$
"""


def upgrade() -> None:
    make_role("backup")
    op.execute(ADD_PARTITION)
    grant("worker", "INSERT, UPDATE", "weather_run")
    # whoever else shares the cluster
    op.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")


def downgrade() -> None:
    op.execute("REVOKE INSERT, UPDATE ON weather_run FROM chartroom_worker")
