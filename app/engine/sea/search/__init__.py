"""Shortest ways over a graph on the sphere, and how to draw them taut."""
