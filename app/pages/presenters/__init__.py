"""Presenters: plans, vessels and times as templates show them."""
