"""Where data comes from: installed packages, files and downloads, made into arrays."""
