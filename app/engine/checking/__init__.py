"""A route from elsewhere, checked: what is wrong with it, unknown or worth knowing."""

from app.engine.checking.check import CheckedRoute, check_route
from app.engine.checking.findings import Finding, FindingCode, Severity

__all__ = ["CheckedRoute", "Finding", "FindingCode", "Severity", "check_route"]
