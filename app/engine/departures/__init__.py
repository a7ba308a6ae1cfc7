"""Comparison of departure times: coarse searches of all, thorough searches of the best."""
