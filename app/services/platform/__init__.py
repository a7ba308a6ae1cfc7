"""Platform: sessions, queue, events, idempotency, metrics, paging."""
