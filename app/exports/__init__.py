"""Route plans as files: pure functions from a ``RoutePlan`` to bytes.

Every writer is deterministic: the same plan gives the same bytes.
"""
