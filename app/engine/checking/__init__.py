"""Checks of given routes: dangers, warnings, unknowns and notes along them."""
