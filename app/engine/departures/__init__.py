"""When to leave: the departures of a window compared, coarsely first, the best ones thoroughly."""
