"""Track and speed optimised together, in weather that changes as the ship goes."""
