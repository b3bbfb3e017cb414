"""The choices of answers to questions that a text leaves open: the stored value, and its words for people."""

from typing import TypeAlias

from submissions.domain.measuring.metrics import size_in_words

Choices: TypeAlias = dict[str, str]

_ORDERS = {"sequential": "in sequence", "random": "at random"}
_MOST_OPEN_AUS = 16

DIRECTIONS: Choices = {"read": "it read the card", "write": "it wrote to the card"}
SIZES: Choices = {str(2**power): size_in_words(2**power) for power in range(9, 28)}
ORDERS_AND_SIZES: Choices = {
    f"{order} {2**power}": f"{words}, {size_in_words(2**power)}"
    for order, words in _ORDERS.items()
    for power in range(9, 25)
}
OPEN_AUS: Choices = {
    f"{order} {count}": f"{count} open, {'linear' if order == 'sequential' else 'random'}"
    for order in _ORDERS
    for count in range(1, _MOST_OPEN_AUS + 1)
}
FLASHBENCH_TESTS: Choices = {"fat": "find-fat"} | {
    f"open-au {pattern}": f"open-au, {words}" for pattern, words in OPEN_AUS.items()
}
MEGABYTES: Choices = {
    "1000000": "1,000,000 bytes",
    "1048576": "1,048,576 bytes",
    "1024000": "1,024,000 bytes",
}
DISKS: Choices = {
    "usb": "a USB stick, or a card in a USB reader",
    "card": "a card in a slot that is not on USB",
    "disk": "a disk inside the computer",
}
MEDIA: Choices = {"card": "a card", "other": "something else"}
WHOLE: Choices = {"whole": "it is complete", "cut": "something is missing"}
LOST_MICRO: Choices = {"s": "seconds", "us": "microseconds"}
_FACTORS = {
    "": (("1", ""),),
    "k": (("1000", "1000 "), ("1024", "1024 ")),
    "m": (("1000000", "1,000,000 "), ("1048576", "1,048,576 ")),
    "g": (("1000000000", "1,000,000,000 "), ("1073741824", "1,073,741,824 ")),
}


def rates(unit: str) -> Choices:
    """Return the meanings of an ambiguous unit such as Mb/s: "1000000 bits" -> words for people.

    `bytes_of` reads the keys.
    """
    prefix = unit[0].lower() if unit[0].lower() in "kmg" else ""
    return {
        f"{factor} {kind}": f"{words}{kind} a second"
        for factor, words in _FACTORS[prefix]
        for kind in ("bytes", "bits")
    }


def bytes_of(answer: str) -> float:
    """Return how many bytes one of an ambiguous unit such as Mb has, by the sender's answer, a key of `rates`."""
    factor, kind = answer.split()
    return int(factor) / (8 if kind == "bits" else 1)
