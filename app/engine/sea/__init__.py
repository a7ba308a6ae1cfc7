"""The sea: where there is water, how deep it is, and the paths through it."""
