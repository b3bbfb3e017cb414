"""Import modules that only POSIX systems have; they are None elsewhere, where only files can be checked."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _load(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


fcntl, resource = _load("fcntl"), _load("resource")
