"""Areas at sea that a route avoids, crosses at a price or only reports: frozen records."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from shapely.geometry import MultiPolygon

from app.engine.particulars import IceClass


class AreaKind(StrEnum):
    """Source of an area."""

    CONSTRAINT = "CONSTRAINT"
    CLIENT_DATA = "CLIENT_DATA"
    NO_GO = "NO_GO"
    PIRACY = "PIRACY"
    WAR_RISK = "WAR_RISK"
    ECA = "ECA"
    ICE = "ICE"
    SEASON = "SEASON"
    CHART = "CHART"
    ADVISORY = "ADVISORY"


#: Kinds whose time windows recur every year.
SEASONAL: Final = (AreaKind.ICE, AreaKind.SEASON)


class AreaRule(StrEnum):
    """Effect of an area on routes."""

    NO_ENTRY = "NO_ENTRY"
    #: No entry, unless the departure or arrival lies inside. The value is the stored form.
    AVOID_UNLESS_ENDPOINT = "NO_ENTRY_UNLESS_BOUND_THERE"
    #: Crossed over the shortest distance, because an end of the voyage lies inside or behind it.
    LEAST_EXPOSURE = "LEAST_EXPOSURE"
    #: Each mile inside costs more, which bounds the detour.
    PRICED = "PRICED"
    #: Crossed freely; miles inside are reported.
    REPORTED = "REPORTED"

    @property
    def forbids_entry(self) -> bool:
        """Return whether routes may not enter the area, except perhaps to reach an end inside."""
        return self in (AreaRule.NO_ENTRY, AreaRule.AVOID_UNLESS_ENDPOINT)


class IceHazard(StrEnum):
    """Kind of ice of an area."""

    #: Sea ice, closed to ships below the required ice class.
    PACK = "PACK"
    #: Waters of the Polar Code, whose certificate a ship needs.
    POLAR_WATERS = "POLAR_WATERS"
    #: Bergs and growlers in open water, avoided within a bounded detour.
    ICEBERGS = "ICEBERGS"
    #: Ice is possible: reported only.
    WATCH = "WATCH"


@dataclass(frozen=True, slots=True)
class IceWater:
    """Ice hazard of an area and the lowest ice class admitted to it.

    Ships of a lower class keep ``margin_nm`` clear of the area, except near the voyage's ends.
    """

    hazard: IceHazard
    class_needed: IceClass = IceClass.NONE
    margin_nm: float = 0.0


@dataclass(frozen=True, slots=True)
class Area:
    """A polygon at sea with a rule and an optional time window, both ends included.

    ``geometry`` holds (lng, lat) [deg] within -180..180, split at the antimeridian. ``price`` is
    the cost of a mile inside an area with the rule ``PRICED``, relative to a mile outside: at
    1.25, as for emission control areas, the longest detour is a quarter of the miles avoided.
    ``ice`` is set for areas of ice.
    """

    id: str
    name: str
    kind: AreaKind
    rule: AreaRule
    geometry: MultiPolygon
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    price: float = 1.25
    ice: IceWater | None = None

    @property
    def is_binding(self) -> bool:
        """Return whether the area affects routes, rather than being only reported."""
        return self.rule is not AreaRule.REPORTED

    @property
    def has_window(self) -> bool:
        """Return whether the area is in force for a part of the time only."""
        return self.starts_at is not None or self.ends_at is not None

    def at_all_times(self) -> Self:
        """Return the area without its window."""
        return replace(self, starts_at=None, ends_at=None)

    def is_in_force(self, time: datetime) -> bool:
        """Return whether the area is in force at a time."""
        return self.is_in_force_between(time, time)

    def is_in_force_between(self, first: datetime, last: datetime) -> bool:
        """Return whether the area is in force at some time from the first to the last."""
        begun = self.starts_at is None or self.starts_at <= last
        return begun and (self.ends_at is None or first <= self.ends_at)


def list_relaxed(areas: Iterable[Area], ids: Container[str]) -> list[Area]:
    """Return areas; those of some ids are entered as little as possible instead of avoided."""
    rule = AreaRule.LEAST_EXPOSURE
    return [replace(area, rule=rule) if area.id in ids else area for area in areas]
