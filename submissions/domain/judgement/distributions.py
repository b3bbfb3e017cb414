"""Distribution functions, those of scipy.special: loaded when one is first asked for, since that takes a fifth of a
second, and most processes judge nothing. scipy.stats has them, too, and takes a second.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    from scipy import special  # noqa: PLC0415

    function = globals()[name] = getattr(special, name)
    return function
