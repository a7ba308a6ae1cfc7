"""Erase by database functions that determine what is due, so that no login needs the right.

The functions belong to ``chartroom_eraser``, which nobody signs in as and no login may take on.
Workers may call two of them; these look up what is due by the database's own clock.
"""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

#: Rows are found by names of columns, as in ``data_subjects``. ``tables`` only gives the order.
ERASE_ROWS = """
CREATE FUNCTION erase_rows_of(subject_kind text, ids uuid[], tables text[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    subjects text := CASE subject_kind WHEN 'user' THEN 'app_user' ELSE subject_kind END;
    relation text;
    found_by text;
BEGIN
    FOREACH relation IN ARRAY tables LOOP
        -- its id stays as proof
        CONTINUE WHEN relation = 'erasure' AND subject_kind <> 'organization';
        FOR found_by IN
            SELECT a.attname FROM pg_attribute a
            WHERE a.attrelid = to_regclass(format('public.%I', relation)) AND NOT a.attisdropped
                AND a.attname IN ('subject_id',
                    CASE WHEN relation = subjects THEN 'id' ELSE subject_kind || '_id' END)
        LOOP
            EXECUTE format('DELETE FROM public.%I WHERE %I = ANY ($1)', relation, found_by)
                USING ids;
        END LOOP;
    END LOOP;
END $$
"""
#: Text that equals a user's address, or quotes it in JSON, names nobody afterwards.
FORGET_AUTHOR = """
CREATE FUNCTION forget_author(email text, nobody text, tables text[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    held record;
BEGIN
    UPDATE point_review SET reviewer_name = NULL WHERE reviewed_by = email;
    FOR held IN
        SELECT c.relname, a.attname, a.atttypid, format_type(a.atttypid, NULL) AS type
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (tables)
            AND c.relname <> 'organization'
            AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
            AND a.atttypid IN (
                'text'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype)
    LOOP
        IF held.atttypid IN ('json'::regtype, 'jsonb'::regtype) THEN
            EXECUTE format(
                'UPDATE public.%1$I SET %2$I = replace(%2$I::text, $1, $2)::%3$s'
                ' WHERE strpos(%2$I::text, $1) > 0', held.relname, held.attname, held.type
            ) USING '"' || email || '"', '"' || nobody || '"';
        ELSIF held.relname <> 'app_user' THEN
            EXECUTE format(
                'UPDATE public.%1$I SET %2$I = $2 WHERE %2$I = $1', held.relname, held.attname
            ) USING email, nobody;
        END IF;
    END LOOP;
END $$
"""
ERASE_DUE = """
CREATE FUNCTION erase_due(asked uuid, tables text[]) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    due erasure;
    address text;
BEGIN
    SELECT e.* INTO due FROM erasure e
    WHERE e.id = asked AND e.done_at IS NULL AND e.due_at <= now() FOR UPDATE;
    IF due.id IS NULL OR EXISTS (
        SELECT FROM charting_revision r JOIN charting c ON c.id = r.charting_id
        WHERE r.status IN ('QUEUED', 'RUNNING') AND due.subject_id IN (c.id, c.vessel_id)
    ) THEN
        RETURN NULL;
    END IF;
    -- answers given to requests may show it; they are only kept to be given again
    DELETE FROM idempotency_record;
    IF due.kind = 'user' THEN
        SELECT u.email INTO address FROM app_user u WHERE u.id = due.subject_id;
        IF address IS NOT NULL THEN
            PERFORM forget_author(address, 'erased user', tables);
        END IF;
    ELSIF due.kind = 'vessel' THEN
        PERFORM erase_rows_of('charting', ARRAY(
            SELECT c.id FROM charting c WHERE c.vessel_id = due.subject_id), tables);
    END IF;
    PERFORM erase_rows_of(due.kind, ARRAY[due.subject_id], tables);
    UPDATE erasure e SET done_at = now() WHERE e.id = asked;
    RETURN due.kind;
END $$
"""
RETIRE_EXPIRED = """
CREATE FUNCTION retire_expired(most_chartings int, tables text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    keep organization;
    old timestamptz;
    old_day date;
    chartings uuid[];
BEGIN
    -- row-level security shows one row
    SELECT o.* INTO keep FROM organization o;
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
#: By what they are called with: those that a worker may call, and those that only they may.
CALLED_BY_WORKERS = ("erase_due(uuid, text[])", "retire_expired(int, text[])")
CALLED_BY_THESE = ("erase_rows_of(text, uuid[], text[])", "forget_author(text, text, text[])")


def upgrade() -> None:
    for statement in (ERASE_ROWS, FORGET_AUTHOR, ERASE_DUE, RETIRE_EXPIRED):
        op.execute(statement)
    op.execute("GRANT CREATE ON SCHEMA public TO chartroom_eraser")
    for function in (*CALLED_BY_WORKERS, *CALLED_BY_THESE):
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        if function in CALLED_BY_WORKERS:
            op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO chartroom_worker")
        op.execute(f"ALTER FUNCTION {function} OWNER TO chartroom_eraser")
    op.execute("REVOKE CREATE ON SCHEMA public FROM chartroom_eraser")


def downgrade() -> None:
    for function in (*CALLED_BY_WORKERS, *CALLED_BY_THESE):
        op.execute(f"DROP FUNCTION {function}")
