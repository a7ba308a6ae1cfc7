"""The sea: coast, depth, passages, and paths over the water."""
