"""Parsers of the output of tools, one module per tool; `intake/tools.py` lists them."""
