"""The engine stands alone: importing it brings no web, database or queue."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_importing_the_engine_brings_no_web_database_or_queue() -> None:
    program = (
        "import sys, app.engine.planner\n"
        "print(*{'flask', 'sqlalchemy', 'psycopg', 'redis', 'rq', 'folium'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
