"""Work on what strangers send, away from the web process, with little time and little memory.

`workshop.py` hands a task over, `__main__.py` is the process that takes it, `tasks.py` lists what there is to do.
"""
