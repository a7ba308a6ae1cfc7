"""Chartings: accept, run, find, review."""
