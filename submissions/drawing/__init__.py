"""Turns rows into plots: which figures, on which axes, in which words. A module per page."""
