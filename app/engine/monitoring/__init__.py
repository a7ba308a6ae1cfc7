"""Monitoring of voyages under way: the ship's reported positions against the plan.

Monitoring is the last of the four stages of voyage planning in IMO resolution A.893(21):
appraisal, planning, execution and monitoring.
"""
