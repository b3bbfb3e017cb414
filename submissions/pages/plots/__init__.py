"""Plots as frozen values, drawn by one template. Geometry only: every word comes from the caller.

Horizontally everything is in percent of the width, vertically in pixels, so that a plot fills its place at any
width with text of one size. Kinds of plot: `lines`, `strips`, `intervals`; a new one returns a `figure.Plot`.
"""
