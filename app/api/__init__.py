"""The JSON API under ``/v1``: one module per group of resources."""
