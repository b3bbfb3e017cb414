"""Generate reports as a young but lively site gets them: few models have most of the cards, and cards few runs.

The popularity of a model is 1 / its rank. A report has 40 measurements: those of the crowd, and others of the suite.
"""

import json
from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any

import numpy as np

from tests.bench import server
from tests.bench.crowd_reports import measurement
from tests.worlds import FIGURES

MEASUREMENTS = 40
_HOSTS = 200
# The first of the other measurements are figures of the crowd in another unit.
_FIGURES = 4
_CARDS_PER_PERSON = 3
# Standard deviations in natural logs: between models, between cards of a model, between runs of a card.
_SPREADS = (0.5, 0.1, 0.05)


def reports(*, models: int, first: int) -> Iterator[tuple[bytes, str]]:
    """Yield (report, name of the submitter) endlessly for runs from `first` on.

    The same number gives the same report.
    """
    level = _SPREADS[0] * np.random.default_rng(1).standard_normal((models, len(FIGURES)))
    share = 1 / np.arange(1, models + 1)
    for number in count(first):
        chance = np.random.default_rng((2, number))
        model = int(chance.choice(models, p=share / share.sum()))
        card = number if chance.random() > 0.05 else int(chance.integers(number + 1))
        spread = float(np.hypot(*_SPREADS[1:]))
        values = np.exp(level[model] + spread * chance.standard_normal(len(FIGURES)))
        person = f"person {number // _CARDS_PER_PERSON}"
        yield json.dumps(_report(number, model, card, values, int(chance.integers(_HOSTS)))).encode(), person


def _report(number: int, model: int, card: int, values: Any, host: int) -> dict[str, Any]:
    label = {"brand": f"Brand {model % 40}", "line": f"Line {model % 120}", "model_number": f"M{model}"}
    known = [
        measurement(figure.name, figure.typical * float(value) / 2)
        for figure, value in zip(FIGURES, values, strict=True)
    ]
    random = Random(number)
    more = [server.measurement(_FIGURES + index, random) for index in range(MEASUREMENTS - len(known))]
    return {
        "format": "flashdb-report",
        "format_version": 1,
        "client": {"name": "bench", "version": "1"},
        "card": {"bus": "SD", "label": label | {"capacity_gb": 32}, "specimen": f"card {card}"},
        "host": {
            "board": "Raspberry Pi 4",
            "machine": f"host {host}",
            "interface": "mmc",
            "bus_mode": {"name": "SDR104", "clock_hz": 208_000_000, "width_bits": 4},
        },
        "run": {"suite": "quick", "tool": "bench", "target": "device"},
        "measurements": known + more,
        "extra": {"number": number},
    }
