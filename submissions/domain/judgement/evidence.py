"""What was measured of some models, in numbers from 0: the input of the judgement, of one model or of all."""

from collections.abc import Collection, Mapping
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


def behind(evidence: Evidence, figures: Collection[str]) -> Behind:
    """Counts over all `figures` together: who measured two of them counts once."""
    parts = [name for name in evidence.runs if name in set(figures)]
    nothing = np.zeros(0, dtype=np.int64)
    model = np.concatenate([nothing, *(evidence.runs[name].model for name in parts)])
    card = np.concatenate([nothing, *(evidence.runs[name].card for name in parts)])
    submitter = np.concatenate([nothing, *(evidence.runs[name].submitter for name in parts)])
    submission = np.concatenate([nothing, *(evidence.submission[name] for name in parts)])
    return Behind(*(_distinct(model, column, evidence.models) for column in (card, submission, submitter)))


def _distinct(model: Index, column: Index, models: int) -> Index:
    """Number of different values of `column` in each model."""
    order = np.lexsort((column, model))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(model[order]) != 0) | (np.diff(column[order]) != 0)
    return robust.counts(model[order][first], count=models)


@dataclass(frozen=True, slots=True, eq=False)
class Silicons:
    """Some models taken apart: each silicon judged as a model of its own. `model`, `signature`, `cards` per silicon."""

    evidence: Evidence
    model: Index
    signature: Index
    cards: Index


def apart(evidence: Evidence, models: Collection[int]) -> Silicons:
    """The silicons of these models. Cards whose registers nobody saw are left out."""
    told = np.isin(evidence.cards.model, list(models)) & (evidence.cards.signature >= 0)
    pairs = np.column_stack([evidence.cards.model, evidence.cards.signature])[told]
    known, of_card = np.unique(pairs, axis=0, return_inverse=True)
    silicon = np.full(len(told), -1)
    silicon[told] = of_card.reshape(-1)
    return Silicons(
        evidence=_regrouped(evidence, silicon, evidence.traits[known[:, 0]]),
        model=known[:, 0],
        signature=known[:, 1],
        cards=robust.counts(of_card.reshape(-1), count=len(known)),
    )


def _regrouped(evidence: Evidence, group: Index, traits: Index) -> Evidence:
    """The same runs under other models: `group` per card, -1 for a card that is left out."""
    number = np.cumsum(group >= 0) - 1
    runs, submission = {}, {}
    for name, rows in evidence.runs.items():
        keep = group[rows.card] >= 0
        if keep.any():
            kept = rows.where(keep)
            runs[name] = replace(kept, model=group[kept.card], card=number[kept.card])
            submission[name] = evidence.submission[name][keep]
    told = group >= 0
    cards = CardFacts(group[told], evidence.cards.signature[told], evidence.cards.submitter[told])
    return Evidence(runs, submission, traits, cards)
