"""Labels of the chart: hidden where they overlap others, or placed clear of them."""

import json
from collections.abc import Sequence

from tests.unit.pages.test_filters import run_in_node

VIEW = (0, 0, 500, 300)


Box = tuple[int, int, int, int]


def write_boxes(boxes: Sequence[Box]) -> str:
    """Write boxes (left, top, right, bottom) for a script."""
    names = ("left", "top", "right", "bottom")
    return json.dumps([dict(zip(names, box, strict=True)) for box in boxes])


def clear(*boxes: Box) -> list[bool]:
    """Return whether each box (left, top, right, bottom) is shown."""
    shown: list[bool] = run_in_node(f"""
        import {{ findClear }} from "./static/js/chart/labels.js";
        const boxes = {write_boxes([*boxes, VIEW])};
        const view = boxes.pop();
        console.log(JSON.stringify(findClear(boxes, view)));
    """)
    return shown


def test_a_label_that_overlaps_one_before_it_is_hidden() -> None:
    assert clear((10, 10, 60, 24), (40, 20, 90, 34), (40, 40, 90, 54)) == [True, False, True]


def test_a_hidden_label_hides_no_other() -> None:
    assert clear((10, 10, 60, 24), (40, 10, 90, 24), (80, 10, 130, 24)) == [True, False, True]


def test_a_label_out_of_view_is_hidden_and_only_forty_are_shown() -> None:
    assert clear((600, 10, 650, 24)) == [False]
    column = [(0, 5 * row, 50, 5 * row + 5) for row in range(45)]
    assert sum(clear(*column)) == 40


def choose_forms(*labels: list[Box], taken: Box) -> list[int]:
    """Return the form chosen of each label, given as the boxes of its forms."""
    chosen: list[int] = run_in_node(f"""
        import {{ chooseForms }} from "./static/js/chart/labels.js";
        const labels = [{", ".join(map(write_boxes, labels))}];
        console.log(JSON.stringify(chooseForms(labels, {write_boxes([taken])})));
    """)
    return chosen


def test_a_label_is_shortened_or_left_out_where_it_would_overlap() -> None:
    long, short = (10, 10, 60, 24), (10, 10, 24, 24)
    mark = (50, 10, 70, 24)
    assert choose_forms([long, short], taken=(200, 10, 220, 24)) == [0]
    assert choose_forms([long, short], taken=mark) == [1]
    assert choose_forms([short], [(20, 10, 70, 24), (20, 10, 34, 24)], taken=mark) == [0, -1]
    assert choose_forms([short], [(30, 12, 80, 26), (30, 12, 44, 26)], taken=mark) == [0, 1]


def side_of_count(*others: tuple[int, int]) -> str:
    """Return the side of the count of a stack at (100, 100) among other marks."""
    sent = json.dumps([{"x": x, "y": y} for x, y in ((100, 100), *others)])
    side: str = run_in_node(f"""
        import {{ sideOfCount }} from "./static/js/chart/labels.js";
        const marks = {sent};
        console.log(JSON.stringify(sideOfCount(marks[0], marks)));
    """)
    return side


def test_the_count_of_a_stack_is_on_its_left_where_another_mark_is_on_its_right() -> None:
    assert side_of_count() == "right"
    assert side_of_count((112, 90)) == "left"
    assert side_of_count((112, 60)) == side_of_count((150, 100)) == "right"
    assert side_of_count((112, 90), (80, 100)) == "right"


def shift(low: float, high: float) -> float:
    found: float = run_in_node(f"""
        import {{ shiftIntoView }} from "./static/js/chart/labels.js";
        console.log(JSON.stringify(shiftIntoView({low}, {high}, 300)));
    """)
    return found


def test_a_label_that_the_edge_of_the_chart_would_cut_is_shifted_into_view() -> None:
    assert shift(100, 200) == 0
    assert shift(-20, 80) == 24
    assert shift(250, 350) == -54
    assert shift(-50, 350) == 54  # larger than the view: it begins in view


def latitude_label_x(y: int, legend: dict[str, int] | None) -> int:
    x: int = run_in_node(f"""
        import {{ latitudeLabelX }} from "./static/js/chart/graticule.js";
        console.log(JSON.stringify(latitudeLabelX({y}, {json.dumps(legend)})));
    """)
    return x


def test_a_latitude_that_the_legend_would_cover_is_written_right_of_it() -> None:
    legend = {"left": 14, "right": 214, "top": 300, "bottom": 380}
    assert latitude_label_x(290, legend) == latitude_label_x(399, legend) == 4
    assert latitude_label_x(310, legend) == latitude_label_x(390, legend) == 218
    assert latitude_label_x(310, legend | {"left": 700, "right": 900}) == 4
    assert latitude_label_x(310, None) == 4


def is_whole(box: dict[str, int], legend: dict[str, int] | None) -> bool:
    found: bool = run_in_node(f"""
        import {{ isWhole }} from "./static/js/chart/sea_names.js";
        console.log(JSON.stringify(isWhole({json.dumps(box)}, {{ x: 700 }}, {json.dumps(legend)})));
    """)
    return found


def test_the_name_of_a_sea_that_the_legend_or_the_border_would_cut_is_left_out() -> None:
    legend = {"left": 14, "right": 214, "top": 300, "bottom": 380}
    name = {"left": 200, "right": 420, "top": 330, "bottom": 350}
    assert not is_whole(name, legend)
    assert is_whole(name, None)
    assert is_whole(name | {"left": 220}, legend)
    assert is_whole(name | {"top": 390, "bottom": 410}, legend)
    assert not is_whole(name | {"right": 699}, None)
