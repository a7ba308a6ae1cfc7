"""Data sources: installed packages, files and downloads, converted to arrays."""
