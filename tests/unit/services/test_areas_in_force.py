"""Built-in zones by a charting's options."""

from datetime import UTC, datetime
from typing import Any

from app.engine.area import AreaKind, AreaRule
from app.services.areas.areas_in_force import list_zones


def rules(start: str, **wishes: bool) -> dict[AreaKind, set[AreaRule]]:
    request: dict[str, Any] = {
        "startDate": start,
        "avoidEca": False,
        "avoidPiracyAreas": True,
        "avoidWarZones": True,
    }
    found: dict[AreaKind, set[AreaRule]] = {}
    for area in list_zones(request | wishes):
        found.setdefault(area.kind, set()).add(area.rule)
    return found


def test_piracy_and_war_zones_are_kept_out_of_unless_a_charting_says_otherwise() -> None:
    by_default = rules("2026-03-01T00:00:00Z")
    assert by_default[AreaKind.PIRACY] == {AreaRule.AVOID_UNLESS_ENDPOINT}
    assert by_default[AreaKind.WAR_RISK] == {AreaRule.AVOID_UNLESS_ENDPOINT}
    assert by_default[AreaKind.ECA] == {AreaRule.REPORTED}
    bold = rules("2026-03-01T00:00:00Z", avoidPiracyAreas=False, avoidWarZones=False, avoidEca=True)
    assert bold[AreaKind.PIRACY] == bold[AreaKind.WAR_RISK] == {AreaRule.REPORTED}
    assert bold[AreaKind.ECA] == {AreaRule.PRICED}


def test_a_zone_that_is_not_yet_in_force_binds_from_its_day() -> None:
    """The Norwegian Sea is an emission control area from 1 March 2027: MEPC.392(82)."""

    def norwegian(start: str) -> list[Any]:
        request = {
            "startDate": start,
            "avoidEca": True,
            "avoidPiracyAreas": True,
            "avoidWarZones": True,
        }
        return [area for area in list_zones(request) if "norwegian" in area.id.lower()]

    assert norwegian("2026-03-01T00:00:00Z") == []
    (coming,) = norwegian("2027-02-01T00:00:00Z")
    assert coming.starts_at is not None
    assert coming.starts_at.isoformat() == "2027-03-01T00:00:00+00:00"
    (binding,) = norwegian("2027-06-01T00:00:00Z")
    assert binding.starts_at is binding.ends_at is None


def test_a_season_has_its_own_end_however_late() -> None:
    """Ice closes Hudson Bay until the end of June, seven months after the departure."""
    request = {
        **{"startDate": "2026-12-05T00:00:00Z", "avoidEca": False},
        **{"avoidPiracyAreas": True, "avoidWarZones": True},
    }
    (ice,) = (area for area in list_zones(request) if "December to June" in area.name
              and "Hudson Bay" in area.name)  # fmt: skip
    assert ice.ends_at == datetime(2027, 7, 1, tzinfo=UTC)
