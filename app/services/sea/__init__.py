"""Sea: the atlas, base map, unproven water, scales."""
