"""Measure this machine against the raw libraries."""
