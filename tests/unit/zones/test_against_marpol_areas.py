"""Built-in zones against places and dates of the regulations."""

from datetime import UTC, datetime

import pytest
import shapely
from shapely.geometry import Point

from app.datasources.ports import list_ports
from app.engine.area import AreaKind, IceHazard
from app.zones.catalogue import load_zones

ZONES = load_zones().zones


def _at(lat: float, lng: float, when: str, kind: AreaKind) -> set[str]:
    time = datetime.fromisoformat(when).replace(tzinfo=UTC)
    bound = (zone for zone in ZONES if zone.kind is kind and zone.is_in_force(time))
    return {zone.id for zone in bound if zone.geometry.contains(Point(lng, lat))}


@pytest.mark.parametrize(
    ("place", "lat", "lng", "expected"),
    [
        ("off New York", 40.3, -73.0, {"eca-north-america-atlantic"}),
        ("Gulf of Mexico off Galveston", 28.5, -94.0, {"eca-north-america-atlantic"}),
        ("Gulf of St Lawrence", 48.5, -62.0, {"eca-north-america-atlantic"}),
        ("Lake Superior off Duluth", 46.8, -92.0, {"eca-north-america-atlantic"}),
        ("Lake Michigan off Chicago", 41.9, -87.5, {"eca-north-america-atlantic"}),
        ("Hudson Bay", 57.0, -85.0, set()),
        ("off San Francisco", 37.6, -123.5, {"eca-north-america-pacific"}),
        ("Gulf of Alaska", 58.0, -145.0, {"eca-north-america-pacific"}),
        ("Honolulu", 21.2, -157.9, {"eca-north-america-hawaii"}),
        ("San Juan", 18.7, -66.1, {"eca-us-caribbean"}),
        ("German Bight", 54.3, 7.5, {"eca-north-sea"}),
        ("Skagerrak", 58.2, 9.5, {"eca-north-sea"}),
        ("Oslofjord", 59.5, 10.6, {"eca-north-sea"}),
        ("Kattegat", 56.8, 11.5, {"eca-baltic"}),
        ("Bay of Bothnia", 65.0, 24.0, {"eca-baltic"}),
        ("off St Petersburg", 59.95, 29.8, {"eca-baltic"}),
        ("Dover Strait", 51.0, 1.4, {"eca-north-sea"}),
        ("Adriatic", 44.8, 13.2, {"eca-mediterranean"}),
        ("Gulf of Sidra", 31.0, 18.5, {"eca-mediterranean"}),
        ("Aegean", 38.0, 25.0, {"eca-mediterranean"}),
        ("Sea of Marmara", 40.7, 28.0, set()),
        ("Black Sea", 43.0, 34.0, set()),
        ("Atlantic off Lisbon", 38.7, -10.5, set()),
        ("approaches of Port Said", 31.4, 32.4, set()),
        ("Suez Canal at Port Said", 31.2, 32.31, set()),
        ("Suez Canal at El Qantara", 30.95, 32.31, set()),
        ("east of Port Said", 31.3, 32.7, {"eca-mediterranean"}),
        ("Bristol Channel", 51.3, -4.0, set()),
        ("Irish Sea", 53.8, -4.5, set()),
        ("mid Atlantic", 45.0, -35.0, set()),
        ("north-east Atlantic off Ireland", 53.0, -12.0, set()),
    ],
)
def test_a_place_lies_in_the_emission_control_areas_of_2026_that_bind_there(
    place, lat, lng, expected
):
    assert _at(lat, lng, "2026-12-01", AreaKind.ECA) == expected, place


@pytest.mark.parametrize(
    ("lat", "lng", "first_day", "zone"),
    [
        (38.0, 15.0 - 9.0, "2025-05-01", "eca-mediterranean"),
        (65.0, 8.0, "2027-03-01", "eca-norwegian-sea"),
        (70.5, 22.0, "2027-03-01", "eca-norwegian-sea"),
        (74.2, -85.0, "2027-03-01", "eca-canadian-arctic"),
        (53.0, -12.0, "2028-09-01", "eca-north-east-atlantic"),
        (46.0, -4.0, "2028-09-01", "eca-north-east-atlantic"),
        (64.0, -24.0, "2028-09-01", "eca-north-east-atlantic"),
    ],
)
def test_a_new_area_binds_from_its_effective_date(lat, lng, first_day, zone):
    first = datetime.fromisoformat(first_day)
    day_before = first.replace(day=1, month=first.month - 1).date().isoformat()
    assert _at(lat, lng, first_day, AreaKind.ECA) == {zone}
    assert _at(lat, lng, day_before, AreaKind.ECA) == set()


def test_emission_control_areas_do_not_overlap_at_sea_so_that_miles_count_once():
    zones = [zone for zone in ZONES if zone.kind is AreaKind.ECA]
    for i, one in enumerate(zones):
        for other in zones[i + 1 :]:
            assert one.geometry.intersection(other.geometry).area < 1.5, (one.id, other.id)


def test_the_abolished_high_risk_area_is_history_and_the_policy_area_is_named_ours():
    assert _at(12.0, 47.0, "2022-12-31", AreaKind.PIRACY) == {"piracy-hra-2021"}
    assert _at(12.0, 47.0, "2023-01-01", AreaKind.PIRACY) == {"piracy-policy-somalia"}
    for zone in ZONES:
        if zone.kind is AreaKind.PIRACY and zone.in_force_until is None:
            assert "policy" in zone.name


def test_the_southern_red_sea_is_a_war_risk_area_and_the_north_is_not():
    assert _at(13.0, 43.0, "2026-11-01", AreaKind.WAR_RISK) == {"war-red-sea-aden-indian-ocean"}
    assert _at(19.0, 39.0, "2026-11-01", AreaKind.WAR_RISK) == set()
    assert _at(26.0, 52.0, "2026-11-01", AreaKind.WAR_RISK) == {"war-gulf"}
    assert _at(45.0, 33.0, "2026-11-01", AreaKind.WAR_RISK) == {"war-black-sea-azov"}


@pytest.mark.parametrize(
    ("place", "lat", "lng", "zone"),
    [
        ("Tripoli roads", 32.97, 13.2, "war-libya"),
        ("Port Sudan", 19.62, 37.3, "war-sudan"),
        ("Haifa Bay", 32.9, 34.95, "war-israel"),
        ("Beirut", 33.95, 35.45, "war-lebanon"),
        ("Latakia", 35.5, 35.7, "war-syria"),
        ("Karachi", 24.75, 66.9, "war-pakistan"),
        ("Chabahar", 25.2, 60.6, "war-iran-gulf-of-oman"),
        ("La Guaira", 10.65, -66.95, "war-venezuela"),
        ("Lomé", 6.1, 1.3, "war-nigeria-benin-togo"),
        ("Zarzis, Tunisia", 33.5, 11.2, None),
        ("Malta", 35.85, 14.6, None),
        ("El Arish, Egypt", 31.2, 33.8, None),
        ("Iskenderun, Türkiye", 36.6, 36.1, None),
        ("Jeddah, Saudi Arabia", 21.4, 39.0, None),
        ("Kandla approaches, India", 22.8, 69.5, None),
        ("Gulf of Paria off Port of Spain", 10.63, -61.6, None),
        ("Oranjestad, Aruba", 12.52, -70.06, None),
        ("Willemstad, Curaçao", 12.09, -68.93, None),
        ("Tema, Ghana", 5.6, 0.0, None),
        ("Douala approaches, Cameroon", 3.8, 9.3, None),
        ("Libyan Sea, 20 miles off", 33.3, 13.2, None),
    ],
)
def test_coastal_waters_of_listed_countries_end_at_twelve_miles_and_at_the_neighbours(
    place, lat, lng, zone
):
    held = _at(lat, lng, "2026-11-01", AreaKind.WAR_RISK)
    assert zone in held if zone else not held, place


def test_the_way_round_the_cape_meets_no_area_that_bars_entry():
    barring = {AreaKind.PIRACY, AreaKind.WAR_RISK}
    track = [(36.0, -10.0), (15.0, -18.5), (4.0, -9.0), (-15.0, 3.0), (-34.8, 18.0)]
    track += [(-35.5, 22.0), (-28.0, 55.0), (-15.0, 80.0), (5.8, 95.0), (1.15, 103.75)]
    time = datetime(2026, 11, 20, tzinfo=UTC)
    for zone in ZONES:
        if zone.kind in barring and zone.is_in_force(time):
            assert not any(zone.geometry.contains(Point(lng, lat)) for lat, lng in track), zone.id


def test_the_singapore_strait_is_advisory_and_nothing_else():
    for kind in (AreaKind.PIRACY, AreaKind.WAR_RISK):
        assert _at(1.15, 103.75, "2026-11-01", kind) == set()
    assert "advisory-singapore-strait" in _at(1.15, 103.75, "2026-11-01", AreaKind.ADVISORY)


@pytest.mark.parametrize(
    ("lat", "lng", "month", "iced"),
    [
        (85.0, 0.0, 9, True),
        (74.5, 60.0, 3, True),
        (74.5, 60.0, 9, False),
        (69.5, 33.8, 3, False),
        (70.0, 170.0, 3, True),
        (59.5, -178.0, 3, False),
        (65.0, 23.0, 2, True),
        (65.0, 23.0, 7, False),
        (-60.0, 0.0, 9, True),
        (-60.0, 0.0, 2, False),
        (-75.0, 179.9, 8, True),
    ],
)
def test_ice_comes_and_goes_with_the_months(lat, lng, month, iced):
    free = (IceHazard.WATCH, IceHazard.POLAR_WATERS)
    watched = {zone.id for zone in ZONES if zone.ice and zone.ice.hazard in free}
    assert bool(_at(lat, lng, f"2026-{month:02d}-15", AreaKind.ICE) - watched) == iced


def test_every_boundary_names_its_source():
    for zone in ZONES:
        for boundary in zone.boundaries:
            assert len(boundary.source) >= len("our own"), zone.id


#: Countries, the box of their coasts that emission control areas surround (south, west, north,
#: east) [deg], and ports in it that lie on other waters.
SURROUNDED = {
    "North America": (("Canada", "United States"), (24.0, -152.0, 61.5, -50.0), {"Churchill"}),
    "Norway": (("Norway",), (57.0, 4.0, 71.5, 32.0), set[str]()),
    "north-west Europe": (
        ("United Kingdom", "Ireland", "France", "Belgium", "Netherlands", "Germany", "Denmark"),
        (43.3, -11.0, 59.0, 15.0),
        {"Bruxelles"},
    ),
    "Iberia": (("Spain", "Portugal"), (36.0, -10.0, 44.0, 4.0), set[str]()),
}


@pytest.mark.parametrize("coast", SURROUNDED)
def test_the_ports_of_a_coast_lie_inside_its_emission_control_areas(coast: str) -> None:
    countries, (south, west, north, east), elsewhere = SURROUNDED[coast]
    covered = shapely.union_all([z.geometry for z in ZONES if z.kind is AreaKind.ECA])
    outside = {
        port.name
        for port in list_ports()
        if port.country in countries
        and south < port.position.lat < north
        and west < port.position.lng < east
        and not covered.covers(Point(port.position.lng, port.position.lat))
    }
    assert outside == elsewhere
