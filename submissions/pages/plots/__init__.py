"""Make plots as frozen values, which one template draws.

Only places are computed here; every word comes from the caller.

Horizontal places are in percent of the width, vertical places in pixels, so that a plot fills any width with text of
one size. Kinds of plot: `line_plot.lines` and `row_plot.rows`; a new kind returns a `figure.Plot`, too.
"""
