"""Use-cases: what pages, API and jobs have in common. Every function is given its session."""
