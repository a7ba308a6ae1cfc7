"""Programs that measure Chartroom against published figures, peers and its own limits."""
