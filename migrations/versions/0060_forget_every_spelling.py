r"""Forget a user's address in every spelling that JSON columns hold.

The service stores JSON in ASCII, with ``\u00fc`` for ü; PostgreSQL writes ü itself. Both escape
quotes and backslashes. The columns keep the text that was stored, so each spelling is replaced.
"""

from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None

FORGET_AUTHOR = r"""
CREATE OR REPLACE FUNCTION forget_author(email text, nobody text, tables text[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    held record;
    {declared}
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
            {forget_in_json}
        ELSIF held.relname <> 'app_user' THEN
            EXECUTE format(
                'UPDATE public.%1$I SET %2$I = $2 WHERE %2$I = $1', held.relname, held.attname
            ) USING email, nobody;
        END IF;
    END LOOP;
END $$
"""
NO_SPELLINGS = ""
FORGET_ONE = """
            EXECUTE format(
                'UPDATE public.%1$I SET %2$I = replace(%2$I::text, $1, $2)::%3$s'
                ' WHERE strpos(%2$I::text, $1) > 0', held.relname, held.attname, held.type
            ) USING '"' || email || '"', '"' || nobody || '"';
"""
#: Beyond 16 bits, JSON escapes a character as a pair of surrogates.
SPELLINGS = r"""
    as_is text := to_json(email);
    in_ascii text := (
        SELECT string_agg(CASE
            WHEN code < 127 THEN letter
            WHEN code < 65536 THEN '\u' || lpad(to_hex(code), 4, '0')
            ELSE '\u' || to_hex(55296 + ((code - 65536) >> 10))
                || '\u' || to_hex(56320 + ((code - 65536) & 1023))
        END, '' ORDER BY place)
        FROM regexp_split_to_table(as_is, '') WITH ORDINALITY AS letters (letter, place),
            ascii(letter) AS code
    );
"""
FORGET_EACH = """
            EXECUTE format(
                'UPDATE public.%1$I'
                ' SET %2$I = replace(replace(%2$I::text, $1, $3), $2, $3)::%3$s'
                ' WHERE strpos(%2$I::text, $1) > 0 OR strpos(%2$I::text, $2) > 0',
                held.relname, held.attname, held.type
            ) USING as_is, in_ascii, to_json(nobody)::text;
"""


def upgrade() -> None:
    op.execute(FORGET_AUTHOR.format(declared=SPELLINGS, forget_in_json=FORGET_EACH))


def downgrade() -> None:
    op.execute(FORGET_AUTHOR.format(declared=NO_SPELLINGS, forget_in_json=FORGET_ONE))
