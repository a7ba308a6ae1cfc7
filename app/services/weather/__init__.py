"""Weather: store, intake, retention, grid for pages."""
