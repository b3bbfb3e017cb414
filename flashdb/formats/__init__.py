"""Formats of dates that differ from Django's own."""
