"""Webhooks: endpoints, dispatch, delivery, addresses."""
