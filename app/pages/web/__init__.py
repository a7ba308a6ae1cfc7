"""Web: access, security headers, compression, errors, forms."""
