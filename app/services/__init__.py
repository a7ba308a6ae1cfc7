"""Use cases shared by pages, API and jobs."""
