"""Read texts of strangers away from the web process, with limited processor time and memory.

`limited_call.py` sends a call to another process; `__main__.py` is that process.
"""
