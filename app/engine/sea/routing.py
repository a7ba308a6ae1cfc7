"""Ways between two places: the cheapest, and others that differ in kind."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.sea.approach import Approach
from app.engine.sea.closures import Closures
from app.engine.sea.gates import CAPES
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import PassageUse, SeaPath
from app.engine.sea.shared_water import name_uses
from app.engine.sea.taut import Chain, assemble_chain, find_crossings, find_runs, pull_chain
from app.engine.search.astar import FARTHEST, OPEN_SEA, SeaGraph, find_way
from app.engine.search.conditions import Waters
from app.engine.search.hierarchy import Hierarchy
from app.engine.search.sphere import distance_nm

#: Passages by which a way is known, the weightiest first; others by their name.
_LABELS: Final = {
    "suez-canal": "Suez",
    "panama-canal": "Panama",
    "panama-canal-neopanamax": "Panama",
    "cape-of-good-hope": "the Cape of Good Hope",
    "cape-horn": "Cape Horn",
    "kiel-canal": "Kiel",
}
_CHOICES: Final = (PassageKind.CANAL, PassageKind.STRAIT)
_CHANNELS: Final = (PassageKind.CANAL, PassageKind.RIVER, PassageKind.APPROACH)


@dataclass(frozen=True)
class Way:
    """A chain through the graph, and what it costs."""

    chain: Chain
    cost: float
    router: "Router"

    @cached_property
    def gates(self) -> frozenset[str]:
        """Ids of the passages and capes that it leads by; what a single way needn't know."""
        return frozenset(use.id for use in self.router.list_uses(self.chain))


@dataclass(frozen=True)
class Router:
    """The graph with the passages by which ways are told apart."""

    graph: SeaGraph
    hierarchy: Hierarchy
    passages: tuple[Passage, ...]
    gates: NDArray[np.float64]
    waters: Waters

    def find_way(
        self, start: Approach, end: Approach, closures: Closures, limit: float = FARTHEST
    ) -> Way | None:
        """The cheapest way, or None when there is none that costs less than ``limit``."""
        nodes, edges, cost = find_way(
            self.graph,
            self.hierarchy,
            closures.closed,
            closures.conditions,
            (start.nodes, start.costs),
            (end.nodes, end.costs),
            limit,
            is_exact=not closures.is_polar,
        )
        if nodes.size == 0:
            return None
        chain = assemble_chain(self.graph, start, end, nodes, edges)
        return Way(chain, float(cost), self)

    def list_uses(self, chain: Chain) -> list[PassageUse]:
        """Passages and capes that a chain leads by, in order."""
        uses = [
            PassageUse(passage.id, passage.name, first, last, line=passage.name)
            for index, first, last in find_runs(chain.marks.tolist())
            for passage in (self.passages[index],)
        ]
        known = {use.id for use in uses}
        for index, step in enumerate(find_crossings(chain.lats, chain.lngs, self.gates).tolist()):
            passage = self.passages[index]
            if step >= 0 and passage.id not in known and not self._is_channel(chain.marks[step]):
                uses.append(PassageUse(passage.id, passage.name, step, step + 1))
        lines = np.array([cape.line for cape in CAPES])
        for cape, step in zip(
            CAPES, find_crossings(chain.lats, chain.lngs, lines).tolist(), strict=True
        ):
            if step >= 0:
                uses.append(PassageUse(cape.id, cape.name, step, step + 1))
        return sorted(uses, key=lambda use: (use.first, use.last))

    def _is_channel(self, mark: int) -> bool:
        """Whether a step follows a channel of its own, which may lead across another's gate."""
        return mark != OPEN_SEA and self.passages[mark].kind in _CHANNELS

    def list_choices(self, way: Way) -> list[str]:
        """Ids of the passages and capes on a way that another way might avoid."""
        kinds = {passage.id: passage.kind for passage in self.passages}
        capes = {cape.id for cape in CAPES}
        return sorted(
            (id for id in way.gates if id in capes or kinds.get(id) in _CHOICES),
            key=lambda id: (kinds.get(id) is not PassageKind.CANAL, id not in capes, id),
        )

    def pull(self, way: Way, closures: Closures) -> SeaPath:
        """A way made taut, measured and named."""
        chain = pull_chain(self.waters, closures.conditions, way.chain)
        uses = name_uses(self.list_uses(chain), chain, self.passages)
        points = zip(chain.lats.tolist(), chain.lngs.tolist(), strict=True)
        length = sum(float(distance_nm(*a, *b)) for a, b in pairwise(points))
        return SeaPath(
            chain.lats,
            chain.lngs,
            chain.marks,
            length,
            way.cost,
            tuple(uses),
            name_way(uses),
            closures.conditions,
        )


def find_twins(id: str) -> frozenset[str]:
    """The passages that go by the same name as one, as the locks of Panama; itself included."""
    name = _LABELS.get(id)
    return frozenset([id, *(twin for twin, other in _LABELS.items() if other == name)])


def name_way(uses: Sequence[PassageUse]) -> str:
    """The way in words, by its weightiest passages: "by Suez", "direct"."""
    present = {use.id for use in uses}
    return _name(list(dict.fromkeys(name for id, name in _LABELS.items() if id in present)))


def _name(names: Sequence[str]) -> str:
    if not names:
        return "direct"
    return "by " + " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def tell_apart(paths: Sequence[SeaPath]) -> tuple[SeaPath, ...]:
    """The paths, none with the label of another.

    The first of a label keeps it; the others say what they lead by and it does not,
    what fewest use first: "by Suez and Sunda Strait".
    """
    users = Counter(name for path in paths for name in _list_names(path))
    named: list[SeaPath] = []
    firsts: dict[str, SeaPath] = {}
    for path in paths:
        first = firsts.setdefault(path.label, path)
        taken = {other.label for other in named}
        label = path.label if first is path else _name_beside(path, first, users, taken)
        named.append(replace(path, label=label))
    return tuple(named)


def _list_names(path: SeaPath) -> list[str]:
    return list(dict.fromkeys(use.name for use in path.uses))


def _name_beside(path: SeaPath, first: SeaPath, users: Counter[str], taken: set[str]) -> str:
    """A label that no other path has, for one that shares that of ``first``."""
    names, known = _list_names(path), _list_names(first)
    own = sorted((name for name in names if name not in known), key=users.__getitem__)
    given = [] if path.label == "direct" else [path.label.removeprefix("by ")]
    for most in range(1, len(own) + 1):
        label = _name([*given, *own[:most]])
        if label not in taken:
            return label
    missed = [name for name in known if name not in names]
    if not missed:
        numbered = (f"{path.label}, way {number}" for number in count(2))
        return next(label for label in numbered if label not in taken)
    return f"{path.label}, without {' and '.join(missed)}"
