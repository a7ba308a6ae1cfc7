"""Voyages under way: started, followed by their ships' reports, finished."""
