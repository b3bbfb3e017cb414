"""What was measured of some models, in numbers from 0: the input of the judgement, of one model or of all."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.robust import Index
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """`runs`: figure -> believable values; `submission`: figure -> whose report each of them is from. Hosts are
    numbered as in the last full fit, -1 one it has not seen. `traits`: models x kinds of trait, -1 not known."""

    runs: Mapping[str, Runs]
    submission: Mapping[str, Index]
    traits: Index
    cards: CardFacts

    @property
    def models(self) -> int:
        return len(self.traits)

    def cards_of(self) -> Index:
        """Number of cards of each model."""
        return robust.counts(self.cards.model, count=self.models)


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """Per model: how many cards, runs and submitters stand behind some figures of it."""

    cards: Index
    runs: Index
    submitters: Index


class Counted:
    """Counts over several figures together: who measured two of them counts once."""

    def __init__(self, evidence: Evidence) -> None:
        self._bits = {name: 1 << at for at, name in enumerate(evidence.runs)}
        self._models = evidence.models
        of_runs = [evidence.runs[name] for name in self._bits]
        columns = (
            [figure_runs.card for figure_runs in of_runs],
            [evidence.submission[name] for name in self._bits],
            [figure_runs.submitter for figure_runs in of_runs],
        )
        self._seen = [_seen([figure_runs.model for figure_runs in of_runs], column) for column in columns]
        self._known: dict[int, Behind] = {}

    def behind(self, figures: Collection[str]) -> Behind:
        wanted = sum(bit for name, bit in self._bits.items() if name in figures)
        if wanted not in self._known:
            counts = (
                robust.counts(model[(bits & wanted) > 0], count=self._models) for model, bits in self._seen
            )
            self._known[wanted] = Behind(*counts)
        return self._known[wanted]


def _seen(models: Sequence[Index], columns: Sequence[Index]) -> tuple[Index, Index]:
    """(model, figures in which it was seen as bits) of every different value of a column in a model. One array for each
    figure."""
    nothing = np.zeros(0, dtype=np.int64)
    model = np.concatenate([nothing, *models])
    first, place = robust.numbered(model, np.concatenate([nothing, *columns]))
    bits = np.zeros(len(first), dtype=np.int64)
    np.bitwise_or.at(
        bits, place, np.repeat(1 << np.arange(len(columns)), [len(column) for column in columns])
    )
    return model[first], bits


@dataclass(frozen=True, slots=True, eq=False)
class Silicons:
    """Some models taken apart: each silicon judged as a model of its own. `model`, `signature`, `cards` per silicon."""

    evidence: Evidence
    model: Index
    signature: Index
    cards: Index


def apart(evidence: Evidence, models: Collection[int]) -> Silicons:
    """The silicons of these models. Cards whose registers were never seen are left out."""
    identified = np.isin(evidence.cards.model, list(models)) & (evidence.cards.signature >= 0)
    pairs = np.column_stack([evidence.cards.model, evidence.cards.signature])[identified]
    distinct, of_card = np.unique(pairs, axis=0, return_inverse=True)
    silicon = np.full(len(identified), -1)
    silicon[identified] = of_card.reshape(-1)
    return Silicons(
        evidence=_regrouped(evidence, silicon, evidence.traits[distinct[:, 0]]),
        model=distinct[:, 0],
        signature=distinct[:, 1],
        cards=robust.counts(of_card.reshape(-1), count=len(distinct)),
    )


def _regrouped(evidence: Evidence, group: Index, traits: Index) -> Evidence:
    """The runs filed under other models. `group`: the new model of each card, -1 for a card that is left out."""
    number = np.cumsum(group >= 0) - 1
    runs, submission = {}, {}
    for name, rows in evidence.runs.items():
        keep = group[rows.card] >= 0
        if keep.any():
            kept = rows.where(keep)
            runs[name] = replace(kept, model=group[kept.card], card=number[kept.card])
            submission[name] = evidence.submission[name][keep]
    in_group = group >= 0
    cards = CardFacts(group[in_group], evidence.cards.signature[in_group], evidence.cards.submitter[in_group])
    return Evidence(runs, submission, traits, cards)
