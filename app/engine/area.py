"""Areas on the sea that a route keeps out of, pays for or reports: frozen records."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

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


#: Kinds whose windows return every year.
SEASONAL: Final = (AreaKind.ICE, AreaKind.SEASON)


class AreaRule(StrEnum):
    """Effect of an area on routes."""

    NO_ENTRY = "NO_ENTRY"
    #: No entry, except as little as possible to an end of the voyage inside. Stored by its value.
    AVOID_UNLESS_ENDPOINT = "NO_ENTRY_UNLESS_BOUND_THERE"
    #: Entered, because an end of the voyage lies inside or behind: as little as possible.
    LEAST_EXPOSURE = "LEAST_EXPOSURE"
    #: Miles inside cost more, within a longest detour.
    PRICED = "PRICED"
    #: Crossed freely; miles inside are reported.
    REPORTED = "REPORTED"


class IceHazard(StrEnum):
    """Kind of ice of an area."""

    #: Sea ice that a ship without the ice class needed is kept out of.
    PACK = "PACK"
    #: Waters of the Polar Code, which a ship without any ice class is kept out of.
    POLAR_WATERS = "POLAR_WATERS"
    #: Bergs and growlers in open water, kept clear of within a longest detour.
    ICEBERGS = "ICEBERGS"
    #: Ice is possible: reported only.
    WATCH = "WATCH"


@dataclass(frozen=True, slots=True)
class IceWater:
    """The ice of an area, and the lowest class of ship that is at home in it.

    Ships that are kept out pass the area at ``margin_nm`` or more, but near their ends.
    """

    hazard: IceHazard
    class_needed: IceClass = IceClass.NONE
    margin_nm: float = 0.0


@dataclass(frozen=True, slots=True)
class Area:
    """A polygon on the sea with a rule and, maybe, a window of time.

    ``geometry`` holds (lng, lat) [deg] within -180..180; what crosses the
    antimeridian is split there. The window includes both its ends. ``price`` is that of a
    mile inside where the rule is ``PRICED``: 1.25, as for emission control areas, makes the
    longest detour a quarter of the miles that it spares inside. Areas of ice carry ``ice``.
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
        """Whether the area has an effect on routes and is not reported only."""
        return self.rule is not AreaRule.REPORTED
