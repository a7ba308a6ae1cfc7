"""Painting on the chart: names, areas, isobars, swell, weather between two samples."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.e2e.conftest import Watch
from tests.e2e.screens import DESK, settle
from tests.e2e.service import Service
from tests.e2e.sessions import Sessions
from tests.interfaces import interfaces

#: Maximum number of names of one kind in view.
MOST_NAMES = 40


@pytest.fixture(scope="module")
def chart(service: Service, sessions: Sessions, signed_in: StorageState) -> Iterator[Page]:
    """Open the chart page once: tests bring what they paint, and choose their part of the sea."""
    page = sessions.open(DESK)
    watch = Watch(page, service.address)
    page.context.add_cookies(signed_in["cookies"])
    with interfaces():
        page.goto("/")
        yield page
        settle(page)
    sessions.close(page, DESK)
    assert not watch.faults, "\n".join(watch.faults)


def test_of_many_areas_the_widest_in_view_are_named(chart: Page) -> None:
    names = chart.evaluate("""async () => {
        const { paintAreaNames } = await import("/static/js/chart/areas.js");
        map_chart.setView([45, -30], 6, { animate: false });
        const area = (name, south, west, side) => {
            const [north, east] = [south + side / 2, west + side];
            const ring = [[south, west], [south, east], [north, east], [north, west]];
            return { name, avoided: true, rings: [ring] };
        };
        const many = [];
        for (let row = 0; row < 25; row += 1) {
            for (let column = 0; column < 20; column += 1) {
                many.push(area(`${row}`, 39 + row / 2, -40 + column, 0.9));
            }
        }
        const afar = area("Afar", 10, -80, 9);
        const off = { ...area("Off", 44, -31, 5), avoided: false };
        const areas = [...many, area("Widest", 44, -32, 3), area("Wide", 46, -32, 2), afar, off];
        const ctx = document.createElement("canvas").getContext("2d");
        const names = [];
        ctx.fillText = (words) => names.push(words);
        paintAreaNames(ctx, map_chart, areas);
        return names;
    }""")
    assert len(names) == MOST_NAMES
    assert names[:2] == ["Widest", "Wide"]
    assert "Afar" not in names
    assert "Off" not in names


def test_an_area_that_the_antimeridian_parts_is_named_where_it_lies(chart: Page) -> None:
    names = chart.evaluate("""async () => {
        const { paintAreaNames } = await import("/static/js/chart/areas.js");
        const box = (west, east) => [[50, west], [50, east], [60, east], [60, west]];
        const parted = { name: "Parted", avoided: true, rings: [box(160, 180), box(-180, -175)] };
        const ctx = document.createElement("canvas").getContext("2d");
        const names = [];
        ctx.fillText = (words, x, y) => names.push(map_chart.containerPointToLatLng([x, y]).lng);
        for (const lng of [0, 170]) {
            map_chart.setView([55, lng], 5, { animate: false });
            paintAreaNames(ctx, map_chart, [parted]);
        }
        return names;
    }""")
    assert [round(lng) for lng in names] == [170]


def test_of_a_large_fleet_a_part_is_named_and_the_others_when_pointed_at(chart: Page) -> None:
    chart.evaluate("""async () => {
        const { showVessels } = await import("/static/js/chart/vessels.js");
        map_chart.setView([40, -40], 5, { animate: false });
        const at = new Date().toISOString();
        const fleet = Array.from({ length: 300 }, (_, i) => ({
            name: `Tern ${i}`, lat: 26 + (i % 20) * 1.3, lng: -60 + Math.floor(i / 20) * 2.8,
            headingDeg: 0, speedKn: 0, at, address: "/fleet",
        }));
        showVessels(map_chart, fleet);
    }""")
    expect(chart.locator(".vessel-mark", has_text="Tern")).to_have_count(300)
    named = chart.locator(".vessel-mark:not(.vessel-mark--bare)", has_text="Tern")
    expect(named).to_have_count(MOST_NAMES)
    bare = chart.locator(".vessel-mark--bare", has_text="Tern").first
    expect(bare.locator(".chart-label")).to_be_hidden()
    bare.focus()
    expect(bare.locator(".chart-label")).to_be_visible()


def test_the_cut_of_an_area_at_the_antimeridian_is_not_drawn_as_its_edge(chart: Page) -> None:
    edges = chart.evaluate("""async () => {
        const { paintAreas } = await import("/static/js/chart/areas.js");
        const ring = [[50, 170], [50, 180], [60, 180], [60, 170], [50, 170]];
        const area = { name: "Parted", avoided: false, rings: [ring] };
        const bounds = L.latLngBounds([40, 160], [70, 179.9]);
        const ctx = document.createElement("canvas").getContext("2d");
        const edges = [];
        ctx.lineTo = (x, y) => edges.push([x, y]);
        paintAreas(ctx, [area], bounds, (lat, lng) => ({ x: lng, y: lat }), { stretch: 1 });
        return edges;
    }""")
    assert edges == [[180, 50], [170, 60], [170, 50]]


def test_weather_is_interpolated_between_two_samples(chart: Page) -> None:
    mixed = chart.evaluate("""async () => {
        const { Frame } = await import("/static/js/chart/weather_frames.js");
        const four = (value) => Array(4).fill(value);
        const names = ["windUKn", "windVKn", "currentUDkn", "currentVDkn"];
        const still = Object.fromEntries(names.map((name) => [name, four(0)]));
        const frame = (time, waves, from, pressure) => new Frame({
            ...still, time, lats: [50, 49], lngs: [0, 1], sources: {},
            waveCm: four(waves), waveFromDeg: four(from),
            pressureDhPa: [pressure, pressure, pressure, null], swellCm: [], swellFromDeg: [],
        });
        const before = frame("2026-03-01T00:00:00Z", 100, 350, 10000);
        const after = frame("2026-03-01T03:00:00Z", 400, 10, 10030);
        const found = before.mixedWith(after, 1 / 3, Date.parse("2026-03-01T01:00:00Z"));
        const towards = [found.waveToU[0] < 0.06, found.waveToV[0] < -0.98];
        return [found.time, found.waveCm[0], ...towards, found.pressureDhPa];
    }""")
    assert mixed == ["2026-03-01T01:00:00Z", 200, True, True, [10010, 10010, 10010, None]]


def test_isobars_are_drawn_every_4_hpa_with_their_pressure(chart: Page) -> None:
    chart.evaluate("map_chart.setView([50, -30], 5, { animate: false })")
    drawn = chart.evaluate("""async () => {
        const { Isobars } = await import("/static/js/chart/isobars.js");
        const { Frame } = await import("/static/js/chart/weather_frames.js");
        // 1001 hPa at 56 N, one more with each degree southward, unknown at one point
        const lats = Array.from({ length: 13 }, (_, i) => 56 - i);
        const lngs = Array.from({ length: 21 }, (_, i) => -40 + i);
        const pressureDhPa = lats.flatMap((_, i) => lngs.map(() => 10_010 + 10 * i));
        pressureDhPa[0] = null;
        const frame = new Frame({ lats, lngs, pressureDhPa, waveFromDeg: [], swellFromDeg: [] });
        const ctx = document.createElement("canvas").getContext("2d");
        const labels = [];
        let strokes = 0;
        ctx.stroke = () => { strokes += 1; };
        ctx.fillText = (words, x, y) => {
            labels.push([words, map_chart.containerPointToLatLng([x, y]).lat]);
        };
        new Isobars(frame, map_chart).draw(ctx, map_chart);
        return { labels, strokes };
    }""")
    assert {words for words, _ in drawn["labels"]} == {"1004", "1008", "1012"}
    assert drawn["strokes"] == 3
    for words, lat in drawn["labels"]:
        assert abs(lat - (1057 - int(words))) < 0.5, (words, lat)


def test_an_arrow_of_swell_points_in_its_direction(chart: Page) -> None:
    angles = chart.evaluate("""async () => {
        const { paintSwell } = await import("/static/js/chart/swell.js");
        const { Frame } = await import("/static/js/chart/weather_frames.js");
        map_chart.setView([45, -35], 4, { animate: false });
        const [lats, lngs] = [[60, 30], [-60, -30]];
        const ctx = document.createElement("canvas").getContext("2d");
        const angles = new Set();
        ctx.rotate = (angle) => angles.add(Math.round((angle * 180) / Math.PI));
        const paint = (swell) => {
            const frame = new Frame({ lats, lngs, waveFromDeg: [], ...swell });
            paintSwell(ctx, map_chart, frame, () => false);
        };
        const four = (value) => Array(4).fill(value);
        paint({ swellCm: four(200), swellFromDeg: four(270) });
        paint({ swellCm: [], swellFromDeg: [] });
        paint({ swellCm: four(null), swellFromDeg: four(null) });
        paint({ swellCm: four(10), swellFromDeg: four(0) });
        return [...angles];
    }""")
    assert angles == [90]
