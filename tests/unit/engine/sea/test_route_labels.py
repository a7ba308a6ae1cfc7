"""Alternative routes that share a label are named by their difference."""

from dataclasses import replace

import numpy as np

from app.engine.sea.labels import drop_same_routes, name_distinctly, name_route
from app.engine.sea.path import PassageUse, SeaPath
from app.engine.sea.search.conditions import NO_CONDITIONS

NONE = np.empty(0)


def path(*ids: str) -> SeaPath:
    """A path by passages, each named by its id with a capital."""
    uses = tuple(PassageUse(id, id.capitalize(), 0, 1) for id in ids)
    marks = np.empty(0, dtype=np.int16)
    return SeaPath(NONE, NONE, marks, 0.0, 0.0, uses, name_route(uses), NO_CONDITIONS)


def labels(*paths: SeaPath) -> list[str]:
    return [each.label for each in name_distinctly(paths)]


def test_routes_of_different_labels_keep_them() -> None:
    assert labels(path("suez-canal"), path("cape-horn")) == ["by Suez", "by Cape Horn"]


def test_another_route_of_the_same_label_is_named_by_its_own_passage() -> None:
    ways = path("suez-canal", "malacca"), path("suez-canal", "sunda")
    assert labels(*ways) == ["by Suez", "by Suez and Sunda"]


def test_a_direct_route_by_a_strait_is_named_by_the_strait() -> None:
    assert labels(path("malacca"), path("gaspar")) == ["direct", "by Gaspar"]


def test_three_routes_of_one_label_are_all_named_distinctly() -> None:
    ways = path("malacca"), path("gaspar"), path("gaspar", "bangka")
    assert labels(*ways) == ["direct", "by Gaspar", "by Bangka"]


def track(label: str, *points: tuple[float, float], uses: tuple[PassageUse, ...] = ()) -> SeaPath:
    """A path through positions [deg]."""
    lats, lngs = np.array(points).T
    marks = np.full(len(points) - 1, -1, dtype=np.int16)
    return SeaPath(lats, lngs, marks, 0.0, 0.0, uses, label, NO_CONDITIONS)


def test_a_route_that_omits_a_passage_is_named_by_the_side_on_which_it_passes_it() -> None:
    strait = PassageUse("hecate", "Hecate Strait", 1, 1)
    through = track("direct", (50.0, -131.0), (53.0, -131.0), (56.0, -131.0), uses=(strait,))
    outside = track("direct", (50.0, -131.0), (53.0, -135.0), (56.0, -131.0))
    assert [each.label for each in name_distinctly([through, outside])] == [
        "direct",
        "west of Hecate Strait",
    ]


def test_a_route_is_named_by_the_side_of_the_land_that_it_passes() -> None:
    channel = track("direct", (52.0, 3.0), (51.0, 1.45), (49.0, -6.0), (45.0, -30.0))
    north_about = track("direct", (52.0, 3.0), (60.0, 0.0), (59.5, -6.0), (45.0, -30.0))
    assert name_distinctly([channel, north_about])[1].label == "north of Scotland"


def test_passages_are_named_in_the_order_in_which_they_are_sailed() -> None:
    outward = path("cape-horn", "cape-of-good-hope").label
    assert outward == "by Cape Horn and the Cape of Good Hope"
    home = path("cape-of-good-hope", "cape-horn").label
    assert home == "by the Cape of Good Hope and Cape Horn"


def test_what_tells_a_route_from_another_is_named_where_it_is_sailed() -> None:
    ways = path("malacca", "suez-canal"), path("sunda", "suez-canal")
    assert labels(*ways) == ["by Suez", "by Sunda and Suez"]


def test_routes_close_to_each_other_count_as_one() -> None:
    one = track("direct", (25.0, 55.0), (26.5, 56.5), (22.0, 60.0))
    beside = track("direct", (25.0, 55.0), (26.6, 56.6), (22.0, 60.0))
    other = track("direct", (25.0, 55.0), (26.5, 56.5), (24.5, 60.0), (22.0, 60.0))
    assert drop_same_routes([one, beside, other]) == [one, other]


def test_a_strait_that_is_a_choice_names_the_route() -> None:
    assert name_route([PassageUse("lombok", "Lombok Strait", 0, 1)]) == "by Lombok"
    uses = [PassageUse("suez-canal", "Suez Canal", 0, 1), PassageUse("sunda", "Sunda", 0, 1)]
    assert name_route(uses) == "by Suez"


def test_nothing_but_the_label_changes() -> None:
    ways = path("malacca"), path("gaspar")
    assert name_distinctly(ways)[1] == replace(ways[1], label="by Gaspar")
