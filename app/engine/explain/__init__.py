"""A plan in plain English."""

from app.engine.explain.explanation import explain

__all__ = ["explain"]
