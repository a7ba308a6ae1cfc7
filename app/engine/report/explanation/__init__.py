"""Explanations of plans in plain English."""

from app.engine.report.explanation.text import explain, explain_extra

__all__ = ["explain", "explain_extra"]
