"""Import a part of scipy at its first use, as an attribute of this module.

The import takes a fifth of a second, and most processes estimate nothing.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    part = globals()[name] = import_module(f"scipy.{name}")
    return part
