"""Labels of the chart that are hidden because they overlap others."""

import json

from tests.unit.pages.test_filters import run_in_node

VIEW = (0, 0, 500, 300)


def clear(*boxes: tuple[int, int, int, int]) -> list[bool]:
    """Return whether each box (left, top, right, bottom) is shown."""
    names = ("left", "top", "right", "bottom")
    sent = json.dumps([dict(zip(names, box, strict=True)) for box in (*boxes, VIEW)])
    shown: list[bool] = run_in_node(f"""
        import {{ findClear }} from "./static/js/chart/labels.js";
        const boxes = {sent};
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
