"""A ship's records at sea: voyages made good, and sums by day."""
