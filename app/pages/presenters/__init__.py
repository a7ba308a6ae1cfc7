"""Presenters: plans, vessels and times prepared for templates."""
