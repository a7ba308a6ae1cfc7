"""Records of a ship's telemetry: distance, time and fuel of voyages, and sums by day."""
