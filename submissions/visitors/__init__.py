"""Identify the sender of a request, limit the rate of requests, and keep accounts."""
