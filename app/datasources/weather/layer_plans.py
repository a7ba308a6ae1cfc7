"""Assignment of fields found in files to the layers of a run."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.datasources.weather.fields import FileField, Quantity, Survey, Values
from app.datasources.weather.regions import GridPart, Region
from app.engine.weather import Group, RegularGrid

#: A grid over more than half the globe is thinned to no finer than this [deg]
#: and its steps to no closer than this [h]: 16 days of wind, waves and currents
#: then stay within a gigabyte.
GLOBAL_SPACING_DEG: Final = 0.5
GLOBAL_STEP_H: Final = 3.0

#: Peak period from others for a JONSWAP spectrum of peakedness 3.3: from the
#: energy period Tp = 1.11 Te, from the zero-crossing period Tp = 1.29 Tz
#: (DNV-RP-C205 2021, 3.5.5).
PEAK_FROM: Final = {
    Quantity.PEAK_PERIOD: 1.0,
    Quantity.ENERGY_PERIOD: 1.11,
    Quantity.ZERO_CROSSING_PERIOD: 1.29,
}

#: Quantities that make up a group, in the order of its channels.
NEEDED: Final[dict[Group, tuple[Quantity, ...]]] = {
    Group.WIND: (Quantity.WIND_U, Quantity.WIND_V),
    Group.WAVE: (Quantity.WAVE_HEIGHT,),
    Group.CURRENT: (Quantity.CURRENT_U, Quantity.CURRENT_V),
    Group.ICE: (Quantity.ICE,),
    Group.PRESSURE: (Quantity.PRESSURE,),
    Group.SEA_TEMPERATURE: (Quantity.SEA_TEMPERATURE,),
    Group.SWELL: (Quantity.SWELL_HEIGHT, Quantity.SWELL_FROM),
}


@dataclass(frozen=True)
class LayerPlan:
    """The fields that fill one layer, of whose grid every ``stride``-th point is kept.

    Of the points that are kept, those of ``part`` alone are stored where it is given.
    Of waves, ``period`` is the quantity that the peak period comes from, if any.
    """

    group: Group
    grid: RegularGrid
    stride: int
    times_h: tuple[float, ...]
    fields: tuple[FileField, ...]
    period: Quantity | None = None
    has_direction: bool = True
    part: GridPart | None = None

    @property
    def stored_grid(self) -> RegularGrid:
        """The grid of what is kept."""
        return self.grid.thinned(self.stride) if self.part is None else self.part.grid

    def kept(self, values: Values) -> Values:
        """Return what is stored of a field's values."""
        thinned = values[:: self.stride, :: self.stride]
        return thinned if self.part is None else self.part.take(thinned)

    def without(self, times_h: Collection[float]) -> "LayerPlan":
        """Leave out some steps [h]."""
        return replace(
            self,
            times_h=tuple(time_h for time_h in self.times_h if time_h not in times_h),
            fields=tuple(field for field in self.fields if field.time_h not in times_h),
        )

    def within(self, region: Region | None) -> "LayerPlan":
        """Store a region alone; raises ValueError where the grid has no part in it."""
        if region is None:
            return self
        return replace(self, part=region.part_of(self.grid.thinned(self.stride)))


def plan_layers(
    survey: Survey, groups: Iterable[Group] = tuple(NEEDED), step_h: float = GLOBAL_STEP_H
) -> Iterator[LayerPlan]:
    """The layers that the fields of a survey fill; adds to it what is left out.

    ``step_h`` is the least time between steps of a grid over more than half the globe.
    """
    best = _best_fields(survey.fields)
    for group in groups:
        needed = NEEDED[group]
        present = {quantity: _on_one_grid(best[quantity], survey) for quantity in needed}
        if not any(present.values()):
            continue
        plan = _plan_layer(group, present, best, survey, step_h)
        if plan is not None:
            yield plan


def _best_fields(fields: Iterable[FileField]) -> dict[Quantity, list[FileField]]:
    """One field for each quantity, grid and time: the preferred name, then the latest run."""
    chosen: dict[tuple[Quantity, RegularGrid, float], FileField] = {}
    for field in fields:
        key = (field.quantity, field.grid, field.time_h)
        rival = chosen.get(key)
        if rival is None or _rank(field) > _rank(rival):
            chosen[key] = field
    best: dict[Quantity, list[FileField]] = defaultdict(list)
    for field in chosen.values():
        best[field.quantity].append(field)
    return best


def _rank(field: FileField) -> tuple[int, datetime]:
    return -field.preference, field.reference_time


def _on_one_grid(fields: list[FileField], survey: Survey) -> list[FileField]:
    """The fields on the grid that most of them share, finer before coarser."""
    if not fields:
        return []
    counts = Counter(field.grid for field in fields)
    grid = max(counts, key=lambda g: (counts[g], g.n_cell))
    for other in counts.keys() - {grid}:
        survey.left_out.append(
            f"{counts[other]} × {fields[0].quantity} on a second grid of "
            f"{other.n_lat} by {other.n_lng}"
        )
    return [field for field in fields if field.grid == grid]


def _plan_layer(
    group: Group,
    present: dict[Quantity, list[FileField]],
    best: dict[Quantity, list[FileField]],
    survey: Survey,
    step_h: float,
) -> LayerPlan | None:
    lacking = [quantity for quantity, fields in present.items() if not fields]
    grids = {fields[0].grid for fields in present.values() if fields}
    if lacking or len(grids) > 1:
        why = f"{lacking[0]} is missing" if lacking else "its quantities lie on different grids"
        survey.left_out.append(f"{group}: {why}")
        return None
    grid = grids.pop()
    times = set.intersection(*({f.time_h for f in fields} for fields in present.values()))
    if not times:
        survey.left_out.append(f"{group}: its quantities have no time in common")
        return None
    is_global = grid.n_lng * grid.lng_step > 180.0
    kept = _thinned_times(sorted(times), step_h if is_global else 0.0)
    stride = max(1, int(GLOBAL_SPACING_DEG / grid.lng_step + 1e-6)) if is_global else 1
    plan = LayerPlan(group, grid, stride, kept, _at_times(present, kept))
    return _with_wave_details(plan, best) if group is Group.WAVE else plan


def _thinned_times(times_h: list[float], least_step_h: float) -> tuple[float, ...]:
    kept = [times_h[0]]
    for time_h in times_h[1:]:
        if time_h - kept[-1] >= least_step_h - 1e-6:
            kept.append(time_h)
    return tuple(kept)


def _at_times(
    fields: dict[Quantity, list[FileField]], times_h: tuple[float, ...]
) -> tuple[FileField, ...]:
    kept = set(times_h)
    return tuple(f for column in fields.values() for f in column if f.time_h in kept)


def _with_wave_details(plan: LayerPlan, best: dict[Quantity, list[FileField]]) -> LayerPlan:
    """Add the period and direction that are there at every time of the heights."""
    extra: list[FileField] = []
    period = next((q for q in PEAK_FROM if _complete(plan, best[q])), None)
    if period is not None:
        extra += _complete(plan, best[period])
    direction = _complete(plan, best[Quantity.WAVE_FROM])
    return replace(
        plan,
        fields=(*plan.fields, *extra, *direction),
        period=period,
        has_direction=bool(direction),
    )


def _complete(plan: LayerPlan, fields: list[FileField]) -> list[FileField]:
    kept = set(plan.times_h)
    found = [f for f in fields if f.grid == plan.grid and f.time_h in kept]
    return found if len(found) == len(kept) else []
