"""Identity: organizations, users, keys, sign-in."""
