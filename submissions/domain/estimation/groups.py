"""Small statistics over groups. A group is a number from 0."""

import numpy as np

from submissions.domain.estimation.evidence import Floats, Index


def find_medians(group: Index, values: Floats, count: int) -> Floats:
    """Return the median of each group; each must have a value. Does not depend on the order of the values."""
    ordered = values[np.lexsort((values, group))]
    number = np.bincount(group, minlength=count)
    first = np.cumsum(number) - number
    middle: Floats = (ordered[first + (number - 1) // 2] + ordered[first + number // 2]) / 2
    return middle


def number_pairs(left: Index, right: Index) -> tuple[Index, Index, Index]:
    """Return the left and right of each different pair, ascending, and for each row the number of its pair."""
    least = int(right.min(initial=0))
    width = int(right.max(initial=0)) - least + 1
    keys, number = np.unique(left * width + (right - least), return_inverse=True)
    first, second = np.divmod(keys, width)
    return first, second + least, number
