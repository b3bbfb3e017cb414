"""Name devices: short names, and nouns for use within a sentence."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.ranking import boards
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.wish import Wish

# The most wanted devices -> their short names.
DEVICES = {
    "raspberry-pi-5": "Pi 5",
    "raspberry-pi-4": "Pi 4",
    "raspberry-pi-zero-2-w": "Zero 2 W",
    "dashcam": gettext_noop("Dashcam"),
    "nintendo-switch": "Switch",
}
# Devices without a proper name, as nouns within a sentence.
_NOUNS = {
    "uhs-i-slot": gettext_noop("laptop or board with a UHS-I slot"),
    "dashcam": gettext_noop("dashcam or security camera"),
    "uhs-i-camera": gettext_noop("camera or phone"),
}


def short_name(board: Board) -> str:
    """Return the short name of a device if it is one of DEVICES, else its title."""
    return _(DEVICES[board.slug]) if board.slug in DEVICES else board.title


def noun(board: Board) -> str:
    """Return the noun for a device within a sentence, such as “Best SD card for a dashcam”."""
    return _(_NOUNS[board.slug]) if board.slug in _NOUNS else board.title


def devices() -> list[Wish]:
    """Return each of the most wanted devices with its usual use."""
    chosen = [boards.all_boards()[slug] for slug in DEVICES]
    return [Wish(board, board.use) for board in chosen]
