"""Upkeep: sweeper, erasure, data export, installation checks, demo."""
