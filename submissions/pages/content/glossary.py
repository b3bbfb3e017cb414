"""The words of the field, each in a sentence or two: for the glossary and for where a word stands."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Word(NamedTuple):
    title: str | Promise
    meaning: str | Promise


WORDS = {
    "needs": Word(
        _("Needs"),
        _(
            "What a use asks of a card, each with a source. Passes: 9 of 10 cards do at least this. Fails: 9 of 10 do"
            " not. Unclear: we cannot tell yet. Cards that fail a need come after all others."
        ),
    ),
    "origin": Word(
        _("Measured, expected"),
        _(
            "Measured: somebody tested such a card in such a device. Expected: it was tested in other devices, and we"
            " know how much faster or slower cards usually are in this one."
        ),
    ),
    "place": Word(
        _("Place, shared place"),
        _(
            "Cards are ordered by the ability that matters most for the use. Cards share a place, “=3”, as long as the"
            " probability that the first of them is better is below 80 %."
        ),
    ),
    "small": Word(
        _("Small reads and writes (random, 4 KiB)"),
        _(
            "Pieces of 4 KiB at places all over the card, as a running system reads and saves them."
            " They decide how quick a Raspberry Pi feels."
        ),
    ),
    "large": Word(
        _("Large reads and writes (sequential)"),
        _(
            "One long file from beginning to end, as cameras write it and films are played. This is the speed printed"
            " on boxes."
        ),
    ),
    "iops": Word(
        "IOPS",
        _("Operations per second: how many small reads or writes a card finishes in a second."),
    ),
    "queue": Word(
        _("Queue depth, QD32, no queue"),
        _(
            "How many commands a host hands to the card at once. A2 cards can take 32 (QD32) and put them in a better"
            " order, but few hosts do that: a Raspberry Pi 5 does, a Raspberry Pi 4 does not."
        ),
    ),
    "synchronous": Word(
        _("Synchronous writes, O_SYNC"),
        _("The program waits until the card says that the data is stored. Databases write like this."),
    ),
    "a-class": Word(
        _("A1, A2"),
        _(
            "Application classes. A1 promises 1,500 small reads and 500 small writes per second, A2 promises 4,000"
            " and 2,000, but only in hosts that queue commands."
        ),
    ),
    "v-class": Word(
        _("C10, U1, U3, V10, V30, V60, V90"),
        _(
            "Speed classes: the least speed of writing a long video. C10, U1 and V10 promise 10 MB/s, U3 and V30"
            " 30 MB/s, V60 60 MB/s, V90 90 MB/s."
        ),
    ),
    "bus": Word(
        _("UHS-I, SDR104, DDR50, high speed"),
        _(
            "How fast card and slot talk. High speed carries 25 MB/s, DDR50 50 MB/s, SDR104 104 MB/s. The slower of"
            " the two decides: a fast card in a slow slot is a slow card."
        ),
    ),
    "registers": Word(
        _("Registers, CID, CSD"),
        _(
            "What a card stores about itself: maker, product name, serial number and month in the CID, its size in the"
            " CSD. A forger can write anything there, so registers are a hint, not proof."
        ),
    ),
    "maker": Word(
        _("Maker, brand, OEM number"),
        _(
            "Few companies make flash memory; many brands put their name on it. The maker number and the OEM number"
            " in the CID tell who programmed the card."
        ),
    ),
    "erase-block": Word(
        _("Erase block, allocation unit (AU)"),
        _(
            "The smallest piece that a card can erase, often 4 MiB. Changing a few bytes in it may mean writing the"
            " whole piece anew."
        ),
    ),
    "open-au": Word(
        _("Open AUs"),
        _(
            "In how many places a card can write at the same time. With one place too many it becomes slow at once."
        ),
    ),
    "median": Word(
        _("Median, spread"),
        _(
            "The median is the middle one of all repeats. The spread is the distance from the slowest to the fastest,"
            " as a share of the median."
        ),
    ),
    "varies": Word(
        _("Two cards, one name"),
        _(
            "The same name on the box, and different cards inside. Such a model is placed by its worse version,"
            " because a shop may send you either."
        ),
    ),
    "suspicious": Word(
        _("Suspicious, odd registers"),
        _(
            "Something in the registers does not fit the maker or the size. We say why, and never “fake”: only a test"
            " of the whole capacity proves that."
        ),
    ),
    "mb": Word(
        "MB, MiB",
        _("MB is a million bytes, MiB is 1,048,576 bytes. Cards are sold in GB of a thousand MB."),
    ),
    "host": Word(
        _("Host"),
        _("The device that a card was tested in: a board, a computer, a card reader."),
    ),
    "emmc": Word(
        "eMMC",
        _("Flash memory soldered to a board. It has almost the same registers as a card."),
    ),
}
