"""Rename warning codes of stored plans: LITTLE_WATER to LOW_UKC, SPEED_NOT_KEPT to SPEED_LOSS."""

from alembic import op

from migrations.tenancy import rows_of_all

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

RENAMED = {"LITTLE_WATER": "LOW_UKC", "SPEED_NOT_KEPT": "SPEED_LOSS"}

RENAME = """
UPDATE charting_revision
SET warnings = (
    SELECT json_agg(CASE
        WHEN warning->>'code' = '{old}'
        THEN json_build_object('code', '{new}', 'detail', warning->>'detail')
        ELSE warning END)
    FROM json_array_elements(warnings) AS warning
)
WHERE warnings::text LIKE '%"{old}"%'
"""


def upgrade() -> None:
    rename(RENAMED)


def downgrade() -> None:
    rename({new: old for old, new in RENAMED.items()})


def rename(codes: dict[str, str]) -> None:
    with rows_of_all("charting_revision"):
        for old, new in codes.items():
            op.execute(RENAME.format(old=old, new=new))
