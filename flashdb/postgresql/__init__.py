"""Extend Django's PostgreSQL back end."""
