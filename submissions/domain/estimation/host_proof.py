"""Decide by which values the effect of a host is learned, and how well it is proven.

The figures of every model in a slot contain the effects of its hosts, so one report must not move these effects. Ten
strangers of ten networks, or known people (see people.py), prove the effect of a host; two strangers make it plausible.
Where known people report from a host, the values of strangers decide about it only if there are ten.
"""

from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.crowd import PLAUSIBLE, PROVEN, UNPROVEN
from submissions.domain.estimation.evidence import Evidence, Index, Mask
from submissions.domain.estimation.groups import count_different
from submissions.domain.estimation.people import (
    SETTLED_BY,
    STRANGER,
    VOUCHED,
    count_known_people,
    number_batches,
)

_MANY_STRANGERS, _FEW_VOICES = 10, 2


class HostProof(NamedTuple):
    """Which rows of the evidence decide about their host, and how well each host is proven: abilities x hosts."""

    decides: Mask
    proof: Index


def prove_hosts(evidence: Evidence, ability: Index, shape: tuple[int, int]) -> HostProof:
    """Find for each host the rows of the evidence that decide about its effect, and how well they prove it.

    `ability`: the ability of each row of the evidence; `shape`: numbers of abilities and hosts.
    """
    place, size = ability * shape[1] + evidence.host, shape[0] * shape[1]
    everybody, is_stranger = np.ones(len(evidence), dtype=np.bool_), evidence.ignorance == STRANGER
    batch = number_batches(evidence)
    known = count_known_people(
        place, evidence.person, batch, evidence.ignorance, agrees=everybody, roots=size
    )
    network = np.where(evidence.network < 0, -1 - evidence.person, evidence.network)
    voices, strangers = (
        count_different(place[some], network[some], size) for some in (everybody, is_stranger)
    )
    is_crowd = strangers >= _MANY_STRANGERS
    proof = np.select([(known > 0) | is_crowd, voices >= _FEW_VOICES], [PROVEN, PLAUSIBLE], UNPROVEN)
    is_known = (evidence.ignorance == VOUCHED) | (~is_stranger & (known >= SETTLED_BY)[place])
    return HostProof((is_crowd | (known == 0))[place] | is_known, proof.reshape(shape))


def mask_best_proven(proof: Index) -> Mask:
    """Return for each ability a mask of the hosts with the best proof among these, without unproven hosts."""
    best: Mask = (proof > UNPROVEN) & (proof == proof.max(axis=1, keepdims=True, initial=UNPROVEN))
    return best
