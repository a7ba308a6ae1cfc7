"""Vessels: particulars, consumption, telemetry, statistics."""
