"""How somebody stands who is counted by a rate limit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """`most` may come at once, or in so many seconds; `left` of them; until all may come again."""

    most: int
    period_s: int
    left: int
    reset_s: float
    wait_s: float | None
