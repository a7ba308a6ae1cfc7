"""Chartroom: voyage optimisation as a service."""
