"""The words of the field, each in a sentence or two: for the glossary and for where a word stands."""

from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

_WORDS = {
    "at-least": (
        gettext_noop("At least, likely, enough"),
        gettext_noop(
            "“Enough” is what a use needs: 1×. “Likely” is our best guess for a card, “at least” is what we are"
            " sure of: in 95 of 100 cases the truth lies within the band. Cards are ordered by “at least”."
        ),
    ),
    "evidence": (
        gettext_noop("Early, ranked, solid"),
        gettext_noop(
            "How many people stand behind a result. Early: fewer than 3. Ranked: 3 or more. Solid: 8 or more."
            " A published source we trust counts as two people."
        ),
    ),
    "small": (
        gettext_noop("Small reads and writes (random, 4 KiB)"),
        gettext_noop(
            "Pieces of 4 KiB at places all over the card, as a running system reads and saves them."
            " They decide how quick a Raspberry Pi feels."
        ),
    ),
    "large": (
        gettext_noop("Large reads and writes (sequential)"),
        gettext_noop(
            "One long file from beginning to end, as cameras write it and films are played. This is the speed printed"
            " on boxes."
        ),
    ),
    "iops": (
        "IOPS",
        gettext_noop("Operations per second: how many small reads or writes a card finishes in a second."),
    ),
    "queue": (
        gettext_noop("Queue depth, QD32, no queue"),
        gettext_noop(
            "How many commands a host hands to the card at once. A2 cards can take 32 (QD32) and put them in a better"
            " order, but few hosts do that: a Raspberry Pi 5 does, a Raspberry Pi 4 does not."
        ),
    ),
    "synchronous": (
        gettext_noop("Synchronous writes, O_SYNC"),
        gettext_noop(
            "The program waits until the card says that the data is stored. Databases write like this."
        ),
    ),
    "a-class": (
        gettext_noop("A1, A2"),
        gettext_noop(
            "Application classes. A1 promises 1,500 small reads and 500 small writes per second, A2 promises 4,000"
            " and 2,000, but only in hosts that queue commands."
        ),
    ),
    "v-class": (
        gettext_noop("C10, U1, U3, V10, V30, V60, V90"),
        gettext_noop(
            "Speed classes: the least speed of writing a long video. C10, U1 and V10 promise 10 MB/s, U3 and V30"
            " 30 MB/s, V60 60 MB/s, V90 90 MB/s."
        ),
    ),
    "bus": (
        gettext_noop("UHS-I, SDR104, DDR50, high speed"),
        gettext_noop(
            "How fast card and slot talk. High speed carries 25 MB/s, DDR50 50 MB/s, SDR104 104 MB/s. The slower of"
            " the two decides: a fast card in a slow slot is a slow card."
        ),
    ),
    "registers": (
        gettext_noop("Registers, CID, CSD"),
        gettext_noop(
            "What a card stores about itself: maker, product name, serial number and month in the CID, its size in the"
            " CSD. A forger can write anything there, so registers are a hint, not proof."
        ),
    ),
    "maker": (
        gettext_noop("Maker, brand, OEM number"),
        gettext_noop(
            "Few companies make flash memory; many brands put their name on it. The maker number and the OEM number"
            " in the CID tell who programmed the card."
        ),
    ),
    "family": (
        gettext_noop("CID family, firmware revision"),
        gettext_noop(
            "Cards with the same maker, OEM number and product name in their CID. A maker may change what is inside and"
            " keep the name; the firmware revision, also in the CID, can tell."
        ),
    ),
    "erase-block": (
        gettext_noop("Erase block, allocation unit (AU)"),
        gettext_noop(
            "The smallest piece that a card can erase, often 4 MiB. Changing a few bytes in it may mean writing the"
            " whole piece anew."
        ),
    ),
    "open-au": (
        gettext_noop("Open AUs"),
        gettext_noop(
            "In how many places a card can write at the same time. With one place too many it becomes slow at once."
        ),
    ),
    "median": (
        gettext_noop("Median, spread"),
        gettext_noop(
            "The median is the middle one of all repeats. The spread is the distance from the slowest to the fastest,"
            " as a share of the median."
        ),
    ),
    "varies": (
        gettext_noop("Two cards, one name"),
        gettext_noop(
            "The same name on the box, and different cards inside. Such a model is placed by its worse version,"
            " because a shop may send you either."
        ),
    ),
    "suspicious": (
        gettext_noop("Suspicious, odd registers"),
        gettext_noop(
            "Something in the registers does not fit the maker or the size. We say why, and never “fake”: only a test"
            " of the whole capacity proves that."
        ),
    ),
    "mb": (
        "MB, MiB",
        gettext_noop("MB is a million bytes, MiB is 1,048,576 bytes. Cards are sold in GB of a thousand MB."),
    ),
    "host": (
        gettext_noop("Host"),
        gettext_noop("The device that a card was tested in: a board, a computer, a card reader."),
    ),
    "emmc": (
        "eMMC",
        gettext_noop("Flash memory soldered to a board. It has almost the same registers as a card."),
    ),
}


class Word(NamedTuple):
    slug: str
    title: str
    meaning: str


def word(slug: str) -> Word:
    """In the active language. Raises KeyError for a word that is not in the table."""
    title, meaning = _WORDS[slug]
    return Word(slug, _(title), _(meaning))


def all_words() -> list[Word]:
    """In the order of the table: first what stands on the first page."""
    return [word(slug) for slug in _WORDS]
