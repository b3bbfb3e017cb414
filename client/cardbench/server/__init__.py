"""Requests to the site over HTTP."""
