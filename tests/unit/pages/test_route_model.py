"""The waypoints of the route editor."""

from tests.unit.pages.test_filters import run_in_node


def test_a_time_over_a_leg_without_a_speed_takes_the_mean_of_the_others() -> None:
    script = """
        import { RouteModel } from "./static/js/edit/route_model.js";
        const speeds = [null, 12, null, 12];
        const points = speeds.map((speedKn, i) => ({ lat: 0, lng: i, speedKn, eta: null }));
        const model = new RouteModel(points, () => {});
        model.setTime(3, "2026-01-14T18:00:00Z");
        console.log(JSON.stringify(model.waypoints.map(({ speedKn }) => speedKn)));
    """
    assert run_in_node(script) == [None, 12, 12, 12]
