"""Weather from files and downloads, kept on disk as the engine reads it."""
