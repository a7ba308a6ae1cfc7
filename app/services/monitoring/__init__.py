"""Voyages under way: start, monitor by position reports, advise, finish."""
