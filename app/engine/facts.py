"""What decided a plan beyond its figures: frozen records, which the explanation reads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassageFact:
    """A canal or narrow water on the route.

    ``kind`` as in :class:`~app.engine.sea.passages.PassageKind`; the waiting time counted [h];
    the position in the middle of the passage [deg].
    """

    name: str
    kind: str
    waiting_h: float = 0.0
    lat: float | None = None
    lng: float | None = None


@dataclass(frozen=True, slots=True)
class WaitFact:
    """A wait at sea: where [deg], how long [h], until when and for what, in words.

    ``for_areas`` says that an area is waited for, not weather.
    """

    lat: float
    lng: float
    hours: float
    until: str
    for_areas: bool = False


@dataclass(frozen=True, slots=True)
class CostFact:
    """What the plan costs more than without a limit, or than a route that is not open.

    Miles [nm], hours [h] and fuel [t] more. Of a route that is not open ``reason`` is a clause
    ("it enters the Red Sea war-risk area") and ``area_ids`` names what closes it.
    """

    label: str
    extra_nm: float = 0.0
    extra_h: float = 0.0
    extra_fuel_t: float = 0.0
    reason: str | None = None
    area_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SavingFact:
    """Fuel [t] saved on the baseline by the track and by the speeds.

    ``depth_t`` is the part of ``track_t`` that deeper water along the track saves.
    """

    track_t: float = 0.0
    depth_t: float = 0.0
    speed_t: float = 0.0


@dataclass(frozen=True, slots=True)
class ExtraCost:
    """What a given route takes more than a planned one; less where negative.

    ``fuel_t`` is the sum of ``track_t``, ``speed_t`` and ``arrival_t``: what its track, its
    speeds and its time of arrival cost [t]. ``depth_t`` is the part of ``track_t`` that shallower
    water costs [t].
    """

    distance_nm: float
    duration_h: float
    fuel_t: float
    track_t: float
    depth_t: float
    speed_t: float
    arrival_t: float


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """The facts of a plan; what does not apply is empty.

    Passages in their order; shorter routes that are not open; limits that shape the plan; areas
    that the track bends around, in words; by what means fuel is saved, where the baseline arrives
    with the plan.
    """

    passages: tuple[PassageFact, ...] = ()
    waits: tuple[WaitFact, ...] = ()
    closed_ways: tuple[CostFact, ...] = ()
    binding_limits: tuple[CostFact, ...] = ()
    areas_avoided: tuple[str, ...] = ()
    means: SavingFact | None = None
