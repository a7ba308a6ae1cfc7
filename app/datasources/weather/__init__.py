"""Weather from files and downloads, stored in the format that the engine reads."""
