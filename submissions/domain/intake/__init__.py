"""Understand text that other tools print."""
