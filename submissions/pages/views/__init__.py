"""Serve the pages, one module per page. Rules are in `domain`, and querysets of `models` select the rows."""
