"""Schemas of stored and served records: names, limits, rounding and descriptions."""
