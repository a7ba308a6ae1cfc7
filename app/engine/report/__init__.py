"""Writing of plans: waypoints, facts, warnings, explanation, critical points."""
