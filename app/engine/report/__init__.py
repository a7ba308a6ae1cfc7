"""From the chosen route to the plan: waypoints, facts, warnings, explanation, critical points."""
