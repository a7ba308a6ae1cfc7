"""Schemas of requests and responses; each field with its unit and range."""
