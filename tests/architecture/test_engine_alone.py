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


def test_a_web_process_starts_without_readers_and_fetchers_of_forecasts() -> None:
    program = (
        "import sys\n"
        "from app import create_app\n"
        "from app.config import Settings\n"
        "create_app(Settings('postgresql://nobody@localhost:1/none', 'redis://localhost:1/0'))\n"
        "print(*{'eccodes', 'gribapi', 'ecmwf'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
