"""What is stored and served, each thing defined once: its names, limits, rounding and words."""
