"""Checks of given routes: dangers, warnings, unknowns and notes along them."""

from app.engine.checking.check import CheckedRoute, check_route
from app.engine.checking.findings import Finding, FindingCode, Severity

__all__ = ["CheckedRoute", "Finding", "FindingCode", "Severity", "check_route"]
