"""The spread of a plan: what it takes in other weather than the one that it was made for."""
