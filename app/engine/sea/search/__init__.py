"""Shortest paths over a graph on the sphere, and string pulling."""
