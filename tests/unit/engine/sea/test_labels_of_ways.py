"""Ways that share a label say what tells them apart."""

from dataclasses import replace

import numpy as np

from app.engine.sea.path import PassageUse, SeaPath
from app.engine.sea.routing import name_way, tell_apart
from app.engine.search.conditions import NO_CONDITIONS

NONE = np.empty(0)


def path(*ids: str) -> SeaPath:
    """A path by passages, each named by its id with a capital."""
    uses = tuple(PassageUse(id, id.capitalize(), 0, 1) for id in ids)
    marks = np.empty(0, dtype=np.int16)
    return SeaPath(NONE, NONE, marks, 0.0, 0.0, uses, name_way(uses), NO_CONDITIONS)


def labels(*paths: SeaPath) -> list[str]:
    return [each.label for each in tell_apart(paths)]


def test_ways_of_different_labels_keep_them() -> None:
    assert labels(path("suez-canal"), path("cape-horn")) == ["by Suez", "by Cape Horn"]


def test_another_way_of_the_same_label_names_what_only_it_leads_by() -> None:
    ways = path("suez-canal", "malacca"), path("suez-canal", "sunda")
    assert labels(*ways) == ["by Suez", "by Suez and Sunda"]


def test_a_direct_way_by_a_strait_is_named_by_the_strait() -> None:
    assert labels(path("malacca"), path("sunda")) == ["direct", "by Sunda"]


def test_three_ways_of_one_label_are_all_told_apart() -> None:
    ways = path("malacca"), path("sunda"), path("sunda", "torres")
    assert labels(*ways) == ["direct", "by Sunda", "by Torres"]


def test_a_way_that_only_leaves_something_out_says_what() -> None:
    assert labels(path("suez-canal", "sunda"), path("suez-canal")) == [
        "by Suez",
        "by Suez, without Sunda",
    ]


def test_nothing_but_the_label_changes() -> None:
    ways = path("malacca"), path("sunda")
    assert tell_apart(ways)[1] == replace(ways[1], label="by Sunda")
