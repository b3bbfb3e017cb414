"""Find models with cards that differ, in simulated crowds with a known truth. Nothing passes or fails.

Part of `make bench-judgement`; SEEDS="3000 3001" chooses crowds of 600 models, and every tenth is as large as a young
site. Constants were tuned on seeds below 100. Goals: precision .96, recall .70, and no model found where none differs.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.estimates import CardValues
from submissions.domain.estimation.evidence import Evidence, Mask
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.parameters import EFFECTS
from submissions.domain.estimation.people import STRANGER, learn_record
from submissions.domain.estimation.variation import Findings, find_variation, learn_usual
from submissions.domain.estimation.voices import CardFacts
from tests.bench.crowds import CATALOGUE, make_evidence
from tests.crowd import Crowd, crowd
from tests.worlds import Manners, Size

SEEDS = [int(word) for word in os.environ.get("SEEDS", "3000 3001 3002").split()]
SIZES = {"600 models": Size(600, 300, 24_000), "60 models": Size(60, 60, 2_400)}
_USUAL = Manners()
WORLDS = {
    "usual": _USUAL,
    "registers shown": replace(_USUAL, readers_hide_cid=False),
    "no variation": replace(_USUAL, visible=0.0, hidden=0.0, wide=0.0),
}
VISIBLE = 1


@dataclass(slots=True)
class Counts:
    """Numbers of models that were found to vary, rightly found, possible to find, and found among the possible ones.

    `suspected`: models under suspicion by their truth: hidden variation, wide scatter, visible variation or none.
    """

    found: int = 0
    right: int = 0
    testable: int = 0
    hits: int = 0
    suspected: tuple[int, ...] = (0, 0, 0, 0)

    def add(self, drawn: Crowd, findings: Findings, honest_cards: int) -> None:
        able = _list_testable(drawn, honest_cards)
        self.found += len(findings.varies)
        self.right += sum(drawn.kind[model] == VISIBLE for model in findings.varies)
        self.testable += len(able)
        self.hits += sum(model in findings.varies for model in able)
        kinds = [int(drawn.kind[model]) for model in findings.suspected]
        both = zip(self.suspected, (2, 3, 1, 0), strict=True)
        self.suspected = tuple(count + kinds.count(kind) for count, kind in both)

    def __str__(self) -> str:
        precision = f"{self.right / self.found:.3f}" if self.found else "-"
        recall = f"{self.hits / self.testable:.3f}" if self.testable else "-"
        counts = f"{self.found - self.right} of {self.found:<6}{recall:>7} of {self.testable:<5}"
        return f"{precision:>10} {counts} {'/'.join(map(str, self.suspected))}"


def main() -> None:
    print(f"Flags of variation; seeds {SEEDS}; everybody known, or known by their records")
    columns = ("world", "people", "precision", "false", "recall", "suspected: hidden/wide/visible/none")
    print("{:<28}{:<10}{:>10} {:<11}{:<16}{}".format(*columns))
    for label, size in SIZES.items():
        for world, manners in WORLDS.items():
            drawn = [crowd(seed, size, manners) for seed in SEEDS]
            for people in ("known", "records"):
                print(f"{f'{label}, {world}':<28}{people:<10}{_count(drawn, size, people)}", flush=True)


def _count(several: Iterable[Crowd], size: Size, people: str) -> Counts:
    counts = Counts()
    for drawn in several:
        values, is_known, card_variance = _fit(drawn, by_records=people == "records")
        facts = CardFacts(drawn.signature, drawn.card_submitter, is_known)
        findings = find_variation(values, facts, learn_usual(values, facts, card_variance))
        counts.add(drawn, findings, int(0.3 * size.runs))
    return counts


def _fit(drawn: Crowd, *, by_records: bool) -> tuple[CardValues, Mask, np.ndarray]:
    evidence = make_evidence(drawn, ignorance=STRANGER if by_records else 0)
    if by_records:
        evidence = _grade(evidence, drawn)
    fitted = learn(evidence, CATALOGUE, hosts=len(drawn.host_link))
    is_known = np.zeros(drawn.cards, dtype=bool)
    is_known[evidence.card[evidence.ignorance < STRANGER]] = True
    return estimate(evidence, fitted).card_values, is_known, fitted.variance[EFFECTS.index("card")]


def _grade(evidence: Evidence, drawn: Crowd) -> Evidence:
    record = learn_record(evidence, learn(evidence, CATALOGUE, hosts=len(drawn.host_link)))
    nobody = np.zeros(len(evidence), dtype=bool)
    return replace(evidence, ignorance=record.grade_ignorance(evidence.person, evidence.model, nobody))


def _list_testable(drawn: Crowd, honest_cards: int) -> list[int]:
    """Return the models with exchanged silicon, a ratio of at least 1.25, and enough evidence to be found.

    Each side must have two cards of two people with readable registers, not fewer.
    """
    honest, able = np.arange(drawn.cards) < honest_cards, []
    for model in np.flatnonzero((drawn.kind == VISIBLE) & (drawn.ratio >= 1.25)):
        shown = (drawn.card_model == model) & honest & (drawn.signature >= 0)
        sides = [shown & (drawn.signature == 0), shown & (drawn.signature > 0)]
        if all(side.sum() >= 2 and len(np.unique(drawn.card_submitter[side])) >= 2 for side in sides):
            able.append(int(model))
    return able


if __name__ == "__main__":
    main()
