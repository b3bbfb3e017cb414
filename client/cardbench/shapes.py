"""Names of the shapes that JSON takes in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JsonDict = dict[str, Any]
JsonMapping = Mapping[str, Any]  # an object that is only read
