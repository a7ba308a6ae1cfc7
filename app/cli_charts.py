"""The operator's commands for electronic charts: ``flask charts COMMAND``."""

from pathlib import Path

import click
from flask.cli import AppGroup

from app.services.areas import charts

group = AppGroup("charts")


@group.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def import_charts(paths: tuple[Path, ...]) -> None:
    """Import S-57 cells (.000), or folders of them; only the newest edition of a cell is stored."""
    from app.datasources.enc import InvalidChart

    cells = [cell for path in paths for cell in _list_cells(path)]
    try:
        for line in charts.import_cells(cells):
            click.echo(line)
    except InvalidChart as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{len(cells)} read")


def _list_cells(path: Path) -> list[Path]:
    """List the cells of a folder, or the one file; raises ClickException for a folder of none."""
    cells = sorted(path.rglob("*.000")) if path.is_dir() else [path]
    if not cells:
        raise click.ClickException(
            f"There is no S-57 cell (.000) in {path}. Unpack archives first."
        )
    return cells
