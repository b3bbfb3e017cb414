"""Plots as frozen values, drawn by one template. They hold geometry only: every word comes from the caller.

Horizontal places are in percent of the width, vertical ones in pixels, so that a plot fills any width with text of one
size. Kinds of plot: `line_plot.lines` and `row_plot.rows`; a new one returns a `figure.Plot`.
"""
