"""Schemas of requests and answers; each field with its unit and range."""
