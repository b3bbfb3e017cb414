"""Talking to the site."""
