"""What was measured of some models, in numbers from 0: the input of the judgement, of one model or of all."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from submissions.domain.judgement import robust
from submissions.domain.judgement.claims import People
from submissions.domain.judgement.reputation import TRUSTED, VOUCHED
from submissions.domain.judgement.robust import Index, Mask
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """`runs`: figure -> believable values; `submission`: figure -> whose report each of them is from. Hosts are
    numbered as in the last full fit; each that it has not seen has a number of its own below 0. `traits`: models x
    kinds of trait, -1 not known. `level`: figure -> trust level of the submitter of each of them, by
    `reputation.trust_levels`; by default everybody is trusted."""

    runs: Mapping[str, Runs]
    submission: Mapping[str, Index]
    traits: Index
    cards: CardFacts
    level: Mapping[str, Index] = field(default_factory=dict)

    def level_of(self, figure: str) -> Index:
        return self.level.get(figure, np.full(len(self.runs[figure].model), TRUSTED))

    @property
    def models(self) -> int:
        return len(self.traits)

    def cards_of(self) -> Index:
        """Number of cards of each model."""
        return robust.counts(self.cards.model, count=self.models)


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """Per model: how many cards, runs and submitters stand behind some figures of it; `trusted` and `vouched` of the
    submitters as in People."""

    cards: Index
    runs: Index
    submitters: Index
    trusted: Index
    vouched: Index

    def people(self, model: int) -> People:
        return People(*(int(column[model]) for column in (self.submitters, self.trusted, self.vouched)))


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
        models = [figure_runs.model for figure_runs in of_runs]
        self._seen = [_seen(models, column) for column in columns]
        for least in (TRUSTED, VOUCHED):
            keep = [evidence.level_of(name) >= least for name in self._bits]
            self._seen.append(_seen(_where(models, keep), _where(columns[-1], keep)))
        self._known: dict[int, Behind] = {}

    def behind(self, figures: Collection[str]) -> Behind:
        wanted = sum(bit for name, bit in self._bits.items() if name in figures)
        if wanted not in self._known:
            counts = (
                robust.counts(model[(bits & wanted) > 0], count=self._models) for model, bits in self._seen
            )
            self._known[wanted] = Behind(*counts)
        return self._known[wanted]


def _where(columns: Sequence[Index], keep: Sequence[Mask]) -> list[Index]:
    return [column[mask] for column, mask in zip(columns, keep, strict=True)]


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
    """Some models taken apart: each silicon judged as a model of its own. Per silicon `model`, `signature` and `cards`,
    those of trusted people: the others may be invented."""

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
        cards=robust.counts(silicon[identified & evidence.cards.trusted], count=len(distinct)),
    )


def _regrouped(evidence: Evidence, group: Index, traits: Index) -> Evidence:
    """The runs filed under other models. `group`: the new model of each card, -1 for a card that is left out."""
    number = np.cumsum(group >= 0) - 1
    runs, submission, level = {}, {}, {}
    for name, rows in evidence.runs.items():
        keep = group[rows.card] >= 0
        if keep.any():
            kept = rows.where(keep)
            runs[name] = replace(kept, model=group[kept.card], card=number[kept.card])
            submission[name] = evidence.submission[name][keep]
            level[name] = evidence.level_of(name)[keep]
    return Evidence(runs, submission, traits, evidence.cards.filed(group), level)
