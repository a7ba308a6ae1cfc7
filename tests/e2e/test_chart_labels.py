"""Names on the chart: limited in number, the most important first."""

from playwright.sync_api import Page, expect

#: Maximum number of names of one kind in view.
MOST_NAMES = 40


def test_of_many_areas_the_widest_in_view_are_named(home: Page) -> None:
    names = home.evaluate("""async () => {
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


def test_an_area_that_the_antimeridian_parts_is_named_where_it_lies(home: Page) -> None:
    names = home.evaluate("""async () => {
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


def test_of_a_large_fleet_a_part_is_named_and_the_others_when_pointed_at(home: Page) -> None:
    home.evaluate("""async () => {
        const { showVessels } = await import("/static/js/chart/vessels.js");
        map_chart.setView([40, -40], 5, { animate: false });
        const at = new Date().toISOString();
        const fleet = Array.from({ length: 300 }, (_, i) => ({
            name: `Tern ${i}`, lat: 26 + (i % 20) * 1.3, lng: -60 + Math.floor(i / 20) * 2.8,
            headingDeg: 0, speedKn: 0, at, address: "/fleet",
        }));
        showVessels(map_chart, fleet);
    }""")
    expect(home.locator(".vessel-mark", has_text="Tern")).to_have_count(300)
    named = home.locator(".vessel-mark:not(.vessel-mark--bare)", has_text="Tern")
    expect(named).to_have_count(MOST_NAMES)
    bare = home.locator(".vessel-mark--bare", has_text="Tern").first
    expect(bare.locator(".chart-label")).to_be_hidden()
    bare.focus()
    expect(bare.locator(".chart-label")).to_be_visible()


def test_the_cut_of_an_area_at_the_antimeridian_is_not_drawn_as_its_edge(home: Page) -> None:
    edges = home.evaluate("""async () => {
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
