"""Measurements, their order, and the report made of them."""
