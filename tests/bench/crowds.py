"""The estimation on simulated crowds with a known truth."""

import numpy as np

from submissions.domain.estimation.evidence import Evidence
from submissions.domain.ranking.catalogue import make_catalogue
from tests.crowd import Crowd
from tests.worlds import FIGURES

CATALOGUE = make_catalogue()


def make_evidence(drawn: Crowd, *, ignorance: int = 0) -> Evidence:
    """Make the evidence of a crowd; an unknown link is nan."""
    parts = []
    for figure in FIGURES:
        value = drawn.values[figure.name]
        rows = np.flatnonzero(np.isfinite(value))
        stated = np.where(np.isinf(drawn.host_link), np.nan, np.log(drawn.host_link))
        reach = stated[drawn.host[rows]] if figure.linked else np.full(len(rows), np.inf)
        same = np.zeros(len(rows), dtype=np.int64)
        method = same + CATALOGUE.methods.index(figure.name)
        people = (drawn.host[rows], drawn.submitter[rows], same - 1, same - 1, same + ignorance)
        values = (np.log(value[rows]), reach, np.zeros(len(rows)), rows)
        parts.append((drawn.model[rows], drawn.card[rows], method, *people, *values))
    return Evidence(len(drawn.kind), *map(np.concatenate, zip(*parts, strict=True)))
