"""Describe the worlds of simulated crowds: the variation of models, cards, hosts and runs, and kinds of trouble."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, slots=True)
class Figure:
    """The spreads of a figure in natural-log units; `linked`: it is in bytes per second and limited by the bus."""

    name: str
    typical: float
    brand: float
    line: float
    capacity: float
    model: float
    host: float
    card: float
    interaction: float
    repeat: float
    linked: bool = False
    share: float = 1.0


# Sizes are estimates. They were set so that plain medians and means of runs err about as much as in the prototypes that
# the goals of the bench come from: the gain of the judgement can then be compared.
FIGURES = (
    Figure("seq_read", 78e6, 0.10, 0.14, 0.05, 0.16, 0.05, 0.05, 0.03, 0.04, linked=True),
    Figure("seq_write", 24e6, 0.30, 0.42, 0.25, 0.18, 0.06, 0.08, 0.04, 0.06, linked=True),
    Figure("rand_read_4k", 1700.0, 0.20, 0.25, 0.08, 0.14, 0.08, 0.06, 0.04, 0.05, share=0.85),
    Figure("rand_write_4k", 480.0, 0.50, 0.60, 0.30, 0.22, 0.09, 0.08, 0.05, 0.07, share=0.85),
    Figure("open_au_random_16k_osync", 9e5, 0.50, 0.60, 0.30, 0.25, 0.09, 0.10, 0.06, 0.08, share=0.6),
)
NAMES = tuple(figure.name for figure in FIGURES)
LINKED = np.array([figure.linked for figure in FIGURES])[:, None]
# A market in which brand, line and capacity tell little of a model, on hosts that differ more.
LONE = tuple(
    replace(figure, brand=brand, line=brand, capacity=0.1, model=model, host=2 * figure.host)
    for figure, brand, model in zip(
        FIGURES, (0.1, 0.3, 0.15, 0.3, 0.3), (0.22, 0.5, 0.25, 0.6, 0.6), strict=True
    )
)

# Type of host: share of submitters, rate of its bus in bytes per second, whether it hides the CID.
# Reached: about 22 of 25, 44 of 50, 90 of 104 MB/s on Raspberry Pi 3, 4, 5; 33 MB/s through USB 2.
LINKS = (
    ("high speed slot", 0.08, 22e6, False),
    ("DDR50 slot", 0.18, 44e6, False),
    ("SDR104 slot", 0.26, 90e6, False),
    ("USB 2 reader", 0.08, 33e6, True),
    ("USB 3 reader", 0.40, 93e6, True),
)
REFERENCE_LINK = 93e6
KINDS = ("none", "visible", "hidden", "wide")


@dataclass(frozen=True, slots=True)
class Size:
    models: int = 5000
    hosts: int = 300
    runs: int = 200_000


@dataclass(frozen=True, slots=True)
class Manners:
    """The kinds of trouble in a simulated crowd. Shares are of models, runs or submitters.

    `lone`: models scatter independently, and brands are equally frequent. `own_types`: no two hosts are of one type.
    `soft`: how gradually a bus limits, in log units; 0 is a hard limit. `silent`: share of the hosts that state no bus.
    `wrong`: share of the USB 3 readers that report USB 2.
    """

    visible: float = 0.06
    hidden: float = 0.03
    wide: float = 0.03
    mistakes: bool = True
    spam: bool = True
    readers_hide_cid: bool = True
    spammers: float = 0.006
    lone: bool = False
    own_types: bool = False
    soft: float = 0.0
    silent: float = 0.0
    wrong: float = 0.0

    @property
    def figures(self) -> tuple[Figure, ...]:
        return LONE if self.lone else FIGURES


# All kinds of trouble at once that our own crowds lack.
FOREIGN = Manners(lone=True, own_types=True, soft=0.1, silent=0.3, wrong=0.15, spammers=0.06)
