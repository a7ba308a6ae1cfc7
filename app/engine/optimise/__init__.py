"""Joint optimisation of track and speed in weather that changes with time."""
