"""Parse texts of visitors outside the web process, with limited processor time and memory.

`limited_call.py` sends a function call to another process; `__main__.py` is that process.
"""
