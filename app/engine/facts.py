"""Reasons behind a plan's figures: frozen records, which the explanation reads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassageFact:
    """A canal or narrow water on the route.

    ``kind`` is a value of :class:`~app.engine.sea.passages.PassageKind`, ``waiting_h`` the usual
    wait included in the plan [h]; the position is the middle of the passage [deg].
    ``is_outward`` is true if the ship leaves a port or the waters behind it by the passage;
    ``max_air_draft_m`` is the greatest air draught by its limit and below those of its bridges that
    the route passes below [m], ``None`` if none is known.
    """

    name: str
    kind: str
    waiting_h: float = 0.0
    lat: float | None = None
    lng: float | None = None
    is_outward: bool = False
    max_air_draft_m: float | None = None


@dataclass(frozen=True, slots=True)
class BridgeFact:
    """A bridge that the route passes below.

    ``max_air_draft_m`` is the greatest air draught below it [m]; the position [deg] is that of the
    route below it. ``passage`` is the name of the passage on the route that it spans, if any.
    """

    name: str
    max_air_draft_m: float
    lat: float
    lng: float
    passage: str | None = None


@dataclass(frozen=True, slots=True)
class WaitFact:
    """A wait at sea or at the departure: position [deg], duration [h], end and cause as text.

    ``for_areas`` is true of waits for an area to open, false of waits for weather.
    """

    lat: float
    lng: float
    hours: float
    until: str
    for_areas: bool = False


@dataclass(frozen=True, slots=True)
class CostFact:
    """Extra cost of the plan over a plan without a limit, or over a route that is closed.

    Distance [nm], time [h] and fuel [t]. For a closed route ``reason`` is a clause ("it enters
    the Red Sea war-risk area") and ``area_ids`` are the areas that close it.
    """

    label: str
    extra_nm: float = 0.0
    extra_h: float = 0.0
    extra_fuel_t: float = 0.0
    reason: str | None = None
    area_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SavingFact:
    """Fuel [t] saved against the baseline by the track and by the speeds.

    ``depth_t`` is the part of ``track_t`` that deeper water along the track saves.
    """

    track_t: float = 0.0
    depth_t: float = 0.0
    speed_t: float = 0.0


@dataclass(frozen=True, slots=True)
class ExtraCost:
    """Distance [nm], time [h] and fuel [t] of a given route less those of a planned one.

    ``fuel_t`` is the sum of ``track_t``, ``speed_t`` and ``arrival_t``, the parts that its track,
    its speeds and its time of arrival cost [t]. ``depth_t`` is the part of ``track_t`` that
    shallower water costs [t].
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
    """The facts of a plan; fields that do not apply are empty.

    ``passages`` and ``bridges`` are in the order of the route, ``closed_ways`` shorter routes that
    areas, passages or bridges close, ``binding_limits`` limits that change the plan,
    ``areas_avoided`` the names of areas that the track goes around. ``means`` is known where the
    baseline arrives at the time of the plan.
    """

    passages: tuple[PassageFact, ...] = ()
    bridges: tuple[BridgeFact, ...] = ()
    waits: tuple[WaitFact, ...] = ()
    closed_ways: tuple[CostFact, ...] = ()
    binding_limits: tuple[CostFact, ...] = ()
    areas_avoided: tuple[str, ...] = ()
    means: SavingFact | None = None
