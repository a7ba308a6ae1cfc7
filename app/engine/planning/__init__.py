"""From a request to the chosen route: candidates, weather routing, limits, areas, comparison."""
