"""Schemas of a stored and served route plan, with the rounding of each field.

Numbers are rounded only here, to their accuracy, so that the API and exported files have the same
values. Writing a plan that was read gives the same JSON again.
"""

from typing import Any

from marshmallow import fields, validate

from app.engine.codes import AlternativeKind, WarningCode
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import (
    Alternative,
    CarbonIntensity,
    FrontPoint,
    PlanWarning,
    ProfilePoint,
    VoyageSummary,
    Waypoint,
)
from app.engine.request import Position
from app.engine.weather.records import Weather, WeatherSource
from app.records.figures import (
    Figure,
    Word,
    bearing,
    count,
    figure,
    fix_latitude,
    fix_longitude,
    flag,
    instant,
    known,
    of_auxiliaries,
    part,
    parts,
    text,
    texts,
)
from app.records.record import ITSELF, Json, Record


class SourcesSchema(Record):
    """Sources of each part of the weather."""

    wave = Word(
        WeatherSource,
        "Source of the waves; null where they are unknown, as on rivers and canals: their height"
        " is then 0",
        attribute="wave_source",
        allow_none=True,
    )
    wind = Word(WeatherSource, "Source of the wind", attribute="wind_source")
    current = Word(
        WeatherSource,
        "Source of the current; null where it is unknown",
        attribute="current_source",
        allow_none=True,
    )


class WeatherSchema(Record):
    """Sea state, wind and current at one place and time."""

    record = Weather

    waveHeightM = figure("Significant wave height [m]", 2)
    wavePeriodS = figure("Wave period [s]", 2)
    waveDirDeg = bearing("Direction the waves come from [deg true]", 1, attribute="wave_from_deg")
    windSpeedMs = figure("Mean wind speed at 10 m [m/s]", 2)
    windDirDeg = bearing("Direction the wind comes from [deg true]", 1, attribute="wind_from_deg")
    currentSpeedKn = figure(
        "Speed of the current [kn]; null where it is unknown", 3, allow_none=True
    )
    currentDirDeg = bearing(
        "Direction the current sets towards [deg true]; null where it is unknown",
        1,
        attribute="current_to_deg",
        allow_none=True,
    )
    sources = part(SourcesSchema, "Source of each part", attribute=ITSELF)


def weather_here() -> fields.Nested:
    """The weather at a place, if it is known."""
    return part(
        WeatherSchema, "Weather here at that time; null where none is known", allow_none=True
    )


def _carbon_figure(description: str) -> Figure:
    return figure(description, 3, least=0, allow_none=True, required=False)


class CarbonIntensitySchema(Record):
    """The carbon intensity indicator (CII); null for types that have none."""

    record = CarbonIntensity

    attained = _carbon_figure("CO2 per capacity and distance [g/(t nm) or g/(GT nm)]")
    required = _carbon_figure("Required CII of the year [g/(t nm) or g/(GT nm)]")
    rating = text(
        "A the best, E the worst", required=False, allow_none=True, validate=validate.OneOf("ABCDE")
    )


class SummarySchema(Record):
    """A voyage in figures."""

    record = VoyageSummary

    distanceNm = figure("Distance [nm]", 2)
    durationH = figure("Duration, waits included [h]", 3)
    eta = instant("Arrival")
    fuelMt = figure("Fuel of the main engine [t]", 3)
    fuelStandardErrorMt = known(
        "Standard error of fuelMt, by what is known of the ship [t]", 3, required=False
    )
    co2Mt = figure("Carbon dioxide of the main engine, tank to wake [t]", 3)
    auxiliaryFuelMt = of_auxiliaries("Fuel of the auxiliaries, waits included [t]")
    auxiliaryCo2Mt = of_auxiliaries("Carbon dioxide of the auxiliaries [t]")
    totalFuelMt = of_auxiliaries("Fuel of main engine and auxiliaries [t]")
    totalCo2Mt = of_auxiliaries("Carbon dioxide of main engine and auxiliaries [t]")
    avgSpeedKn = figure(
        "Mean speed over ground, waits left out [kn]", 3, attribute="average_speed_kn"
    )
    ecaDistanceNm = figure("Distance inside emission control areas [nm]", 2)
    ecaFuelMt = figure("Fuel of the main engine burnt inside emission control areas [t]", 3)
    maxWaveM = known("Highest significant wave [m]", 2)
    maxWindMs = known("Highest wind [m/s]", 2)
    minUkcM = known(
        "Least water under the keel where the depth is known [m]; null where any unproven water is"
        " crossed or no depth is known, as within 12 nm of land without a finer grid of depths",
        2,
        is_cut=True,
        least=None,
    )
    unprovenNm = figure(
        "Distance over water of unknown depth that is not wide enough for the ship to be taken as"
        " deep enough, and through passages of which neither depth nor draught limit is known [nm]",
        2,
    )
    depthUnknownNm = known(
        "Distance on which no depth is known, unprovenNm included [nm]; null in older plans",
        2,
        required=False,
    )
    greatCircleNm = figure("Great-circle distance between the ends, over land too [nm]", 2)
    baselineFuelMt = known("Main engine's fuel of the baseline route [t]", 3)
    savedPct = known(
        "Fuel saved against that [%]; null too where it arrives at another time",
        2,
        least=None,
        greatest=100.0,
    )
    forecastCoveragePct = figure("Share of the voyage within the forecast [%]", 1, greatest=100.0)
    cii = part(
        CarbonIntensitySchema,
        "As if the vessel made this voyage all year, without auxiliaries where their fuel is null;"
        " null for types without a CII, below 5,000 GT, and in years without a requirement."
        " Without the vessel's ciiType, ro-ro ships are rated as ro-ro cargo ships, passenger ships"
        " as cruise ships",
        allow_none=True,
    )


class Placed(Record):
    """A record of something at a position."""

    @classmethod
    def build(cls, values: Json) -> Any:
        """Build a record with its position."""
        position = Position(values.pop("position.lat"), values.pop("position.lng"))
        return super().build(values | {"position": position})


class WaypointSchema(Placed):
    """A waypoint and the leg that leads to it."""

    record = Waypoint

    index = count("Its place in the route, from 0")
    lat = fix_latitude()
    lng = fix_longitude()
    eta = instant("Time here")
    speedKn = known("Speed over ground on the leg [kn]", 3)
    speedThroughWaterKn = known("Speed through the water on the leg [kn]", 3)
    courseDeg = bearing(
        "Initial course of the leg [deg true]; null where not known", 2, allow_none=True
    )
    legDistanceNm = figure("Length of the leg [nm]", 4)
    legGeometry = Word(LegGeometry, "Line of the leg; null at the first", allow_none=True)
    xtdM = known("Cross-track distance within which the leg is clear [m]", 1, is_cut=True)
    cumulativeNm = figure("Distance from departure [nm]", 4)
    legFuelMt = figure("Fuel of the main engine on the leg [t]", 4)
    rpm = known("Shaft speed [1/min]", 2)
    powerKw = known("Shaft power [kW]", 1)
    weather = weather_here()
    minDepthM = known("Least charted depth on the leg [m]", 2, is_cut=True)
    ukcM = known("Least water under the keel on the leg [m]", 2, is_cut=True, least=None)
    inEca = flag("Whether any of the leg is in an emission control area")
    unproven = flag(
        "Whether the leg crosses water of unknown depth", required=False, attribute="is_unproven"
    )
    passage = text("Canal or narrow that it runs in", allow_none=True)
    note = text("Note for the bridge", allow_none=True)
    leavesAt = instant(
        "Departure, where the plan has the ship wait there; a usual wait before a canal or strait"
        " is in the time of the leg after it, whose `note` names it",
        required=False,
        allow_none=True,
    )
    turnRadiusNm = known("Radius of the turn here [nm]", 3, is_cut=True)
    wheelOverNm = known("Distance before the waypoint at which the wheel is put over [nm]", 3)


class TrackPointSchema(Placed):
    """The ship at one point of its track, and the stretch that follows it."""

    record = ProfilePoint

    lat = fix_latitude()
    lng = fix_longitude()
    time = instant("Time here")
    cumulativeNm = figure("Distance from departure [nm]", 3)
    courseDeg = bearing("Course [deg true]", 2)
    speedKn = figure("Speed over ground [kn]", 3)
    speedThroughWaterKn = figure("Speed through the water [kn]", 3)
    powerKw = figure("Shaft power [kW]", 1)
    cumulativeFuelMt = figure("Fuel of the main engine burnt since departure [t]", 3)
    depthM = known("Charted depth [m]", 1, is_cut=True)
    inEca = flag("Whether any of the track to the next point is in an emission control area")
    weather = weather_here()


class AlternativeSchema(Record):
    """An alternative route."""

    record = Alternative

    kind = Word(AlternativeKind, "Kind of alternative")
    label = text("Name, such as: by Suez")
    summary = part(SummarySchema, "Figures of the alternative")
    waypoints = parts(WaypointSchema, "Its waypoints")
    faults = texts(
        "Reasons for which a route of importedData is unsafe or another voyage, or the limit that"
        " the baseline breaks",
        required=False,
    )


class FrontPointSchema(Record):
    """Least cost of an arrival at one time."""

    record = FrontPoint

    eta = instant("Arrival")
    durationH = figure("Hours from departure to arrival [h]", 3)
    fuelMt = figure("Fuel of the main engine [t]", 3)
    distanceNm = figure("Distance [nm]", 2)
    avgSpeedKn = figure("Mean speed over ground under way [kn]", 3, attribute="average_speed_kn")


class WarningSchema(Record):
    """Something the reader of a route must know."""

    record = PlanWarning

    code = Word(WarningCode, "Kind of the warning, for programs")
    detail = text("The warning in words")
