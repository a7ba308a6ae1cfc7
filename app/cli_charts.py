"""The operator's commands for electronic charts: ``flask charts COMMAND``."""

from collections.abc import Iterator
from pathlib import Path

import click
from flask.cli import with_appcontext

from app.services.areas import charts


@click.command("import")
@with_appcontext
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def import_charts(paths: tuple[Path, ...]) -> None:
    """Import S-57 cells (.000), or folders of them; only the newest edition of a cell is stored."""
    from app.datasources.enc import InvalidChart

    try:
        for line in charts.import_cells(_list_cells(paths)):
            click.echo(line)
    except InvalidChart as error:
        raise click.ClickException(str(error)) from error


def _list_cells(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.000")) if path.is_dir() else [path]


COMMANDS = (import_charts,)
