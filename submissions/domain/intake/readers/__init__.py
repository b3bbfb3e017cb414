"""One module per tool whose output is read; `intake/tools.py` lists them."""
