"""Fleet page: statistics, search, charts and form of a vessel."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from tests.e2e.orders import ORDERS, call, order
from tests.e2e.service import Service

SHIP = {
    **{"name": "Kittiwake", "dateConstructed": "2016-04-01", "dwt": 58_000, "loa": 190},
    **{"lbp": 185, "breadth": 32.26, "depth": 18, "draftDesign": 11.3, "draftScant": 12.8},
    **{"serviceSpeed": 14, "pitch": 4.6, "type": 1},
}
BEGINS = datetime(2025, 2, 20, tzinfo=UTC)


def records(hours: int) -> Iterator[dict[str, Any]]:
    """Return positions westward along 45 N, alternately faster and slower."""
    for hour in range(hours):
        speed = 12 + 2 * math.sin(hour / 20)
        yield {
            "timestamp": (BEGINS + timedelta(hours=hour)).isoformat().replace("+00:00", "Z"),
            **{
                "latitude": round(45 - 0.03 * hour, 4),
                "longitude": round(-10 - 0.12 * hour, 4),
                "speed": speed,
            },
            **{"heading": 270, "rpm": 90, "fuelConsumption": round(0.012 * speed**3, 2)},
            **{"draft": 11, "engineLoad": 70},
        }


@pytest.fixture
def ship(service: Service) -> Iterator[str]:
    """Create a vessel with records, deleted afterwards.

    Tests name it before the page, which may still ask for it until it is closed.
    """
    vessel_id: str = call(service, "/vessel", SHIP)["id"]
    sent = list(records(400))
    assert call(service, f"/telemetry/{vessel_id}/batch", sent)["stored"] == 400
    yield vessel_id
    call(service, f"/vessel/{vessel_id}", method="DELETE")


def test_statistics_of_a_vessel_are_shown_for_a_period(
    ship: str, planner: Page, tmp_path: Path
) -> None:
    planner.goto(f"/fleet/{ship}")
    planner.get_by_label("First day").fill("1 Mar 2025")
    planner.get_by_label("Last day").fill("2025-03-31")
    planner.get_by_role("button", name="Show", exact=True).click()
    expect(planner.get_by_label("Last day")).to_have_value("31 Mar 2025")
    expect(planner.locator(".ship .figure-rows")).to_contain_text("Distance")
    fuel = planner.locator(".ship .figure-rows > div", has=planner.get_by_text("Fuel", exact=True))
    expect(fuel.locator(".figure__value")).to_have_text(re.compile(r"^[\d\u202f]+mt$"))
    expect(planner.locator(".cii__bar")).to_have_count(1)
    expect(planner.locator(".cii__month")).to_have_text(["Mar", "2025"])
    expect(planner.locator("path.track").first).to_be_visible()
    expect(planner.locator("#track-legend li")).to_have_count(4)
    planner.get_by_role("radio", name="Fuel").check()
    expect(planner.locator("#track-note")).to_contain_text("mt/day")
    row = planner.locator("[data-vessel][aria-current]")
    expect(row).not_to_contain_text("undefined")
    with planner.expect_download() as download:
        planner.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "statistics.csv")
    (march,) = csv.DictReader(io.StringIO((tmp_path / "statistics.csv").read_text()))
    assert march["month"] == "2025-03"
    shown = planner.locator(".ship .figure-rows .figure__value").first.inner_text()
    assert f"{float(march['distance_nm']):.0f}" in shown.replace("\u202f", "")


@pytest.fixture
def pair(service: Service) -> Iterator[tuple[str, str]]:
    """Create two vessels with recent records, the second with twice the consumption.

    Tests name them before the page, as ``ship``.
    """
    begins = datetime.now(UTC) - timedelta(days=20)
    ids = []
    for name, imo, factor in (("Fulmar", "9123453", 1), ("Great Skua", "9074729", 2)):
        ids.append(call(service, "/vessel", SHIP | {"name": name, "imo": imo})["id"])
        sent = [
            record
            | {
                "timestamp": (begins + timedelta(hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "fuelConsumption": factor * record["fuelConsumption"],
            }
            for hour, record in enumerate(records(60))
        ]
        assert call(service, f"/telemetry/{ids[-1]}/batch", sent)["stored"] == 60
    yield ids[0], ids[1]
    for vessel_id in ids:
        call(service, f"/vessel/{vessel_id}", method="DELETE")


def test_the_fleet_is_searched_by_words_and_sorted_by_figures(
    pair: tuple[str, str], planner: Page
) -> None:
    planner.goto(f"/fleet/{pair[0]}")
    rows = planner.locator("#fleet li:not([hidden])")
    everyone = rows.count()
    for vessel_id in pair:
        row = planner.locator(f"[data-vessel='{vessel_id}']")
        expect(row.locator(".fleet__figure").first).to_have_text(re.compile(r"^\d+\.\d$"))
    search = planner.get_by_role("searchbox", name="Search the fleet")
    for words, found in (("skua gre", ["Great Skua"]), ("9123453", ["Fulmar"])):
        search.fill(words)
        expect(rows.locator("strong")).to_have_text(found)
    search.fill("nobody's ship")
    expect(rows).to_have_count(0)
    planner.get_by_role("button", name="Clear the search").click()
    expect(rows).to_have_count(everyone)
    expect(search).to_be_focused()

    def order_of_the_pair() -> list[str]:
        names: list[str] = rows.locator("strong").all_inner_texts()
        return [name for name in names if name in ("Fulmar", "Great Skua")]

    sort = planner.get_by_label("Sort the fleet")
    for by, first in (("By name", "Fulmar"), ("kg/nm, highest first", "Great Skua")):
        sort.select_option(by)
        assert order_of_the_pair()[0] == first
    # Vessels without the figure are last.
    assert rows.locator("strong").first.inner_text() == "Great Skua"
    sort.select_option("Newest first")
    assert order_of_the_pair() == ["Great Skua", "Fulmar"]


def test_bars_are_in_view_and_proportional_to_their_values(
    ship: str, planner: Page, service: Service
) -> None:
    ordered = {"vesselId": ship, "dwt": 50_000, "lbp": 185, "pitch": 4.6, "draft": 11}
    voyage = call(service, f"/charting/{order(service, ORDERS['Rotterdam to Lisbon'], **ordered)}")
    track = call(service, f"/charting/{voyage['id']}/track")["items"]
    times_h = [datetime.fromisoformat(point["time"]).timestamp() / 3600 for point in track]
    at_h = [*range(math.ceil(times_h[0]), math.floor(times_h[-1])), times_h[-1]]
    lats, lngs = (np.interp(at_h, times_h, [p[name] for p in track]) for name in ("lat", "lng"))
    sent = [
        record
        | {"timestamp": datetime.fromtimestamp(round(3600 * at), UTC).isoformat()}
        | {"latitude": lat, "longitude": lng, "fuelConsumption": 3 * record["fuelConsumption"]}
        for record, at, lat, lng in zip(
            records(len(at_h)), at_h, lats.tolist(), lngs.tolist(), strict=True
        )
    ]
    assert call(service, f"/telemetry/{ship}/batch", sent)["stored"] == len(sent)
    sailed = f"/charting/{voyage['id']}"
    call(service, f"{sailed}/start", {"at": voyage["startDate"]})
    call(service, f"{sailed}/finish", {"at": sent[-1]["timestamp"]})
    planner.goto(f"/fleet/{ship}")
    expect(planner.locator(".off rect")).to_have_count(1)
    expect(planner.locator(".cii__bar").first).to_be_visible()
    drawn = planner.evaluate(
        """() => [...document.querySelectorAll(".off rect, .cii__bar")].map((bar) => {
            const [box, { viewBox }] = [bar.getBBox(), bar.ownerSVGElement];
            const { x, y, width, height } = viewBox.baseVal;
            return box.width > 0 && box.height > 0 && box.x >= x && box.y >= y
                && box.x + box.width <= x + width && box.y + box.height <= y + height;
        })"""
    )
    assert drawn == [True] * len(drawn)
    heights = planner.locator(".cii__bar").evaluate_all(
        "bars => bars.map((bar) => bar.getBBox().height)"
    )
    attained = planner.locator("#cii tbody td:nth-child(2)").all_inner_texts()
    assert len(heights) == len(attained) > 1
    scale = heights[0] / float(attained[0])
    assert heights == pytest.approx([scale * float(value) for value in attained], rel=0.01)
    # The drawn deviations are in view next to the figures, and the year's line crosses no value.
    planner.set_viewport_size({"width": 1440, "height": 900})
    assert planner.locator(".scroll:has(.table--compared)").evaluate(
        "scroll => scroll.scrollWidth <= scroll.clientWidth"
    )
    values = planner.locator(".cii__value").evaluate_all("all => all.map((it) => it.getBBox().y)")
    lowest = planner.locator(".cii__year").evaluate(
        "line => line.getBBox().y + line.getBBox().height"
    )
    assert min(values) > lowest
    # No console errors about shapes behind another tab or on a narrow screen.
    planner.get_by_role("tab", name="Particulars").click()
    planner.set_viewport_size({"width": 390, "height": 844})
    planner.get_by_role("tab", name="Statistics").click()
    expect(planner.locator(".cii__bar").first).to_be_visible()


def test_implausible_particulars_are_reported_while_they_are_typed(planner: Page) -> None:
    planner.goto("/fleet/new")
    for name, value in SHIP.items():
        if name not in ("name", "type"):
            planner.locator(f"#{name}").fill(str(value))
    expect(planner.locator("#figures")).to_contain_text("Block coefficient")
    planner.locator("#pitch").fill("1")
    expect(planner.locator("#pitch-error")).to_contain_text("the pitch must be")
    planner.get_by_role("link", name="Discard").click()
    expect(planner.get_by_role("link", name="Add vessel")).to_be_visible()


def test_leaving_a_changed_form_of_a_vessel_asks_first(ship: str, planner: Page) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    planner.on("dialog", stay)
    planner.goto(f"/fleet/{ship}/edit")
    planner.get_by_label("Master").fill("A. Vos")
    planner.get_by_role("link", name="Voyages").click()
    expect(planner.get_by_label("Master")).to_have_value("A. Vos")
    planner.get_by_role("button", name="Save particulars").click()
    planner.wait_for_url(re.compile(f"/fleet/{ship}$"))
    assert asked == ["beforeunload"]


@pytest.mark.refused(412)
def test_particulars_changed_by_another_user_are_taken_into_the_form(
    ship: str, planner: Page, service: Service
) -> None:
    planner.goto(f"/fleet/{ship}/edit")
    planner.get_by_label("Master").fill("A. Vos")
    planner.get_by_label("Length overall").fill("191")
    theirs = {"captain": "B. Bos", "serviceSpeed": 13.5}
    call(service, f"/vessel/{ship}", theirs, method="PATCH")
    planner.get_by_role("button", name="Save particulars").click()
    expect(planner.get_by_role("alert").first).to_contain_text("Nothing is saved yet")
    expect(planner.get_by_label("Master")).to_have_value("A. Vos")
    expect(planner.locator("#captain-error")).to_have_text("Another user entered “B. Bos”.")
    expect(planner.get_by_label("Service speed")).to_have_value("13.5")
    planner.get_by_role("button", name="Save particulars").click()
    planner.wait_for_url(re.compile(f"/fleet/{ship}$"))
    saved = call(service, f"/vessel/{ship}")
    assert [saved[name] for name in ("captain", "serviceSpeed", "loa")] == ["A. Vos", 13.5, 191]


def test_the_night_palette_stays_and_shows_no_blue_light(ship: str, home: Page) -> None:
    home.get_by_role("button", name="Night").click()
    home.goto(f"/fleet/{ship}")
    expect(home.locator("html")).to_have_attribute("data-palette", "night")
    colours = home.evaluate(
        """() => [...document.querySelectorAll("body *")].flatMap((element) => {
            const {color, backgroundColor} = getComputedStyle(element);
            return [color, backgroundColor];
        })"""
    )
    for colour in set(colours):
        red, _, blue, *alpha = json.loads(f"[{colour[colour.index('(') + 1 : -1]}]")
        assert alpha == [0] or blue <= min(0x6A, red), colour


def read_estimate(figures: Locator) -> tuple[float, float]:
    """Return the consumption and its standard error shown on the page."""
    estimate, error = figures.inner_text().split(" mt/day")[0].split(" ± ")
    return float(estimate), float(error)


def test_a_declared_table_is_pasted_and_the_curve_follows_it(ship: str, planner: Page) -> None:
    planner.goto(f"/fleet/{ship}")
    figures = planner.locator("[aria-labelledby=curve-title] p").first
    before, error_before = read_estimate(figures)
    planner.goto(f"/fleet/{ship}/edit")
    table = planner.get_by_label("Table")
    table.fill("Speed\tConsumption\n14\t62\tloaded")
    expect(planner.locator("[data-field=performance] .field__error")).to_contain_text("Line 2")
    table.fill("14\t6.2")
    expect(planner.locator("[data-field=performance] .field__error")).to_contain_text(
        "is implausible"
    )
    speed = SHIP["serviceSpeed"]
    rows = [(0.9 * speed, 0.75 * before * 0.73), (speed, 0.75 * before)]
    table.fill("\n".join(f"{knots:.1f}\t{fuel:.1f}\tBf 5" for knots, fuel in rows))
    planner.get_by_role("button", name="Save particulars").click()
    expect(figures).to_contain_text("squares are declared")
    after, error_after = read_estimate(figures)
    # the sea of a row is that of its wind, higher than the one of a ship of this length in service
    assert 0.65 < after / before < 0.8
    assert error_after < error_before
    planner.goto(f"/fleet/{ship}/edit")
    expect(table).to_have_value(re.compile("Bf 5 laden owner\n"))
    table.fill("14 62\n15 50")
    planner.get_by_role("button", name="Save particulars").click()
    expect(planner.get_by_text("contradict each other")).to_be_visible()
