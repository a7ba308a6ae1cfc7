"""Let the database determine when something is erased.

Whoever runs SQL of their own as the web can ask for erasures and change how long things are kept,
as the web does. Neither destroys anything sooner than the days that were set before allow.
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0036"
branch_labels = None
depends_on = None

#: Columns that a shorter number of days makes erase more: none at all means for ever.
KEPT_DAYS = ("keep_charting_days", "keep_telemetry_days", "keep_audit_days")
SET_DUE = """
CREATE FUNCTION set_erasure_due() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    SELECT greatest(now() + make_interval(days => o.erase_after_days), o.shortened_until)
    INTO STRICT NEW.due_at FROM organization o WHERE o.id = NEW.organization_id;
    NEW.created_at := now();
    NEW.done_at := NULL;
    RETURN NEW;
END $$
"""
#: What is shortened again while it waits takes effect no sooner.
NOTE_SHORTENED = f"""
CREATE FUNCTION note_shortened() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    NEW.shortened_until := OLD.shortened_until;
    IF NEW.erase_after_days < OLD.erase_after_days OR {
    " OR ".join(
        f"coalesce(NEW.{days} < OLD.{days}, NEW.{days} IS NOT NULL AND OLD.{days} IS NULL)"
        for days in KEPT_DAYS
    )
} THEN
        NEW.shortened_until := greatest(
            OLD.shortened_until, now() + make_interval(days => OLD.erase_after_days));
    END IF;
    RETURN NEW;
END $$
"""
RETIRE_EXPIRED = """
CREATE OR REPLACE FUNCTION retire_expired(most_chartings int, tables text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    keep organization;
    old timestamptz;
    old_day date;
    chartings uuid[];
BEGIN
    -- row-level security shows one row
    SELECT o.* INTO keep FROM organization o;
    {shortened}
    DELETE FROM audit_entry a
    WHERE a.created_at < now() - make_interval(days => keep.keep_audit_days);
    IF keep.keep_telemetry_days IS NOT NULL THEN
        old := now() - make_interval(days => keep.keep_telemetry_days);
        old_day := (old AT TIME ZONE 'UTC')::date;
        DELETE FROM telemetry t WHERE t.timestamp < old;
        DELETE FROM telemetry_day d WHERE d.day < old_day;
        -- the day's sums hold no longer
        UPDATE telemetry_day d SET records = l.records, changes = d.changes + 1, is_summed = false
        FROM (
            SELECT d2.vessel_id, count(t.vessel_id) AS records FROM telemetry_day d2
            LEFT JOIN telemetry t ON t.vessel_id = d2.vessel_id
                AND t.timestamp >= old_day::timestamp AT TIME ZONE 'UTC'
                AND t.timestamp < (old_day + 1)::timestamp AT TIME ZONE 'UTC'
            WHERE d2.day = old_day GROUP BY d2.vessel_id
        ) l
        WHERE d.vessel_id = l.vessel_id AND d.day = old_day AND d.records <> l.records;
    END IF;
    chartings := ARRAY(
        SELECT c.id FROM charting c
        JOIN charting_revision r ON r.charting_id = c.id AND r.revision = c.latest_revision
        WHERE r.queued_at < now() - make_interval(days => keep.keep_charting_days)
            AND r.status NOT IN ('QUEUED', 'RUNNING')
        ORDER BY c.id LIMIT most_chartings);
    IF cardinality(chartings) > 0 THEN
        DELETE FROM idempotency_record;
        PERFORM erase_rows_of('charting', chartings, tables);
    END IF;
END $$
"""
WAIT_WHILE_SHORTENED = "IF keep.shortened_until > now() THEN RETURN; END IF;"


def upgrade() -> None:
    op.add_column("organization", sa.Column("shortened_until", sa.DateTime(timezone=True)))
    op.execute(SET_DUE)
    op.execute(NOTE_SHORTENED)
    op.execute(
        "CREATE TRIGGER erasure_due BEFORE INSERT ON erasure"
        " FOR EACH ROW EXECUTE FUNCTION set_erasure_due()"
    )
    op.execute(
        f"CREATE TRIGGER note_shortened BEFORE UPDATE OF {', '.join(KEPT_DAYS)}, erase_after_days"
        " ON organization FOR EACH ROW EXECUTE FUNCTION note_shortened()"
    )
    # what is done stays as the proof
    op.execute(
        "CREATE POLICY erasure_proof ON erasure AS RESTRICTIVE FOR DELETE TO chartroom_web"
        " USING (done_at IS NULL)"
    )
    op.execute(RETIRE_EXPIRED.format(shortened=WAIT_WHILE_SHORTENED))


def downgrade() -> None:
    op.execute(RETIRE_EXPIRED.format(shortened=""))
    op.execute("DROP POLICY erasure_proof ON erasure")
    for table, trigger, function in (
        ("erasure", "erasure_due", "set_erasure_due"),
        ("organization", "note_shortened", "note_shortened"),
    ):
        op.execute(f"DROP TRIGGER {trigger} ON {table}")
        op.execute(f"DROP FUNCTION {function}")
    op.drop_column("organization", "shortened_until")
