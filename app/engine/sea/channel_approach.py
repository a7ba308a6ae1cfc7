"""Approaches along the channels that an end of a voyage lies in.

A ship under way in a dredged channel is in water whose depth only the passage knows: on a local
chart, every path from there crosses the shallow water next to the channel.
"""

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import split_columns
from app.engine.request import Position
from app.engine.sea.approach import Approach
from app.engine.sea.passage_index import PassageIndex
from app.engine.sea.route_restrictions import RouteRestrictions
from app.engine.sea.search.sphere import distance_nm


def add_channel_paths(
    approach: Approach,
    index: PassageIndex,
    nodes: NDArray[np.int32],
    restrictions: RouteRestrictions,
) -> Approach:
    """Return an approach with further paths along the open channels that its place lies in.

    They lead straight to the next points of the centre line on both sides, within the water of the
    channel. ``nodes`` are those of the points of all passages. Passages with one direction are not
    followed.
    """
    firsts = [0, *accumulate(len(passage.centre_line) for passage in index.passages)]
    place = Position(approach.lat, approach.lng)
    for n in index.find_containing(place):
        passage = index.passages[n]
        if passage.one_way or restrictions.closed[n]:
            continue
        astern = min(int(passage.locate(place)), len(passage.centre_line) - 2)
        for point in (astern, astern + 1):
            track = place, passage.centre_line[point]
            if not restrictions.bars(track):
                lats, lngs = split_columns(track)
                cost, node = float(distance_nm(*track[0], *track[1])), int(nodes[firsts[n] + point])
                approach = approach.add_passage_path(node, cost, (lats, lngs), n)
    return approach
