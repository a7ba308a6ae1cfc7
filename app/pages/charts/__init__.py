"""Charts: route map, areas and the printed chart."""
