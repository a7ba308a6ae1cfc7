"""Calibration of a ship's response by its own reports (docs/method/calibration.md)."""
