"""Explanations of plans in plain English."""

from app.engine.report.explanation.extra import explain_extra
from app.engine.report.explanation.text import explain

__all__ = ["explain", "explain_extra"]
