"""Erase all addresses that a user had, and no charting whose voyage is under way.

The former addresses of a user, with which rows still name their author, are in the audit record
and in the links that confirmed new ones. An address that another user has by now stays theirs.
"""

from alembic import op

from migrations.tenancy import replace_in_retirement

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

ERASE_DUE = """
CREATE OR REPLACE FUNCTION erase_due(asked uuid, tables text[]) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    due erasure;
    {declared}
BEGIN
    SELECT e.* INTO due FROM erasure e
    WHERE e.id = asked AND e.done_at IS NULL AND e.due_at <= now() FOR UPDATE;
    IF due.id IS NULL OR EXISTS (
        SELECT FROM charting_revision r JOIN charting c ON c.id = r.charting_id
        WHERE r.status IN ('QUEUED', 'RUNNING') AND due.subject_id IN (c.id, c.vessel_id)
    ){unless} THEN
        RETURN NULL;
    END IF;
    -- answers given to requests may show it; they are only kept to be given again
    DELETE FROM idempotency_record;
    IF due.kind = 'user' THEN
        {forget}
    ELSIF due.kind = 'vessel' THEN
        PERFORM erase_rows_of('charting', ARRAY(
            SELECT c.id FROM charting c WHERE c.vessel_id = due.subject_id), tables);
    END IF;
    PERFORM erase_rows_of(due.kind, ARRAY[due.subject_id], tables);
    UPDATE erasure e SET done_at = now() WHERE e.id = asked;
    RETURN due.kind;
END $$
"""
UNLESS_UNDER_WAY = """ OR EXISTS (
        SELECT FROM voyage_execution v
        WHERE v.state = 'UNDER_WAY' AND due.subject_id IN (v.charting_id, v.vessel_id)
    )"""
ONE_ADDRESS = "address text;"
FORGET_ONE = """
        SELECT u.email INTO address FROM app_user u WHERE u.id = due.subject_id;
        IF address IS NOT NULL THEN
            PERFORM forget_author(address, 'erased user', tables);
        END IF;
"""
ALL_ADDRESSES = "address text; addresses text[];"
FORGET_ALL = """
        addresses := ARRAY(
            SELECT held.email FROM (
                SELECT u.email FROM app_user u WHERE u.id = due.subject_id
                UNION SELECT a.before ->> 'email' FROM audit_entry a
                WHERE a.subject_id = due.subject_id AND a.action = 'user.changed'
                UNION SELECT l.new_email FROM one_time_link l
                WHERE l.user_id = due.subject_id AND l.used_at IS NOT NULL
            ) held
            WHERE held.email IS NOT NULL AND NOT EXISTS (
                SELECT FROM app_user other
                WHERE lower(other.email) = lower(held.email) AND other.id <> due.subject_id));
        FOREACH address IN ARRAY addresses LOOP
            PERFORM forget_author(address, 'erased user', tables);
            UPDATE organization o SET advice_mail = ARRAY(
                SELECT m.mail FROM unnest(o.advice_mail) WITH ORDINALITY AS m (mail, place)
                WHERE lower(m.mail) <> lower(address) ORDER BY m.place);
        END LOOP;
"""
ENDED = "AND r.status NOT IN ('QUEUED', 'RUNNING')"
NOT_UNDER_WAY = """AND NOT EXISTS (
            SELECT FROM voyage_execution v
            WHERE v.charting_id = c.id AND v.state = 'UNDER_WAY')"""


def upgrade() -> None:
    op.execute(ERASE_DUE.format(declared=ALL_ADDRESSES, unless=UNLESS_UNDER_WAY, forget=FORGET_ALL))
    replace_in_retirement(ENDED, f"{ENDED} {NOT_UNDER_WAY}")


def downgrade() -> None:
    op.execute(ERASE_DUE.format(declared=ONE_ADDRESS, unless="", forget=FORGET_ONE))
    replace_in_retirement(f"{ENDED} {NOT_UNDER_WAY}", ENDED)
