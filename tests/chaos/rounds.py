"""Run rounds of load, a fault at a random moment, and recovery; then compare the stored results."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, LiteralString

from tests.chaos.books import assert_equal_to_a_clean_recomputation
from tests.chaos.faults import FAULTS
from tests.chaos.load import MEASUREMENTS, POISON, Load, report_of_own_model
from tests.chaos.stack import Stack, live_site

LONGEST_PAUSE_S = 0.7
LAST, LAST_MODELS, REPORTS_OF_LAST = 2 * 10**7, 30, 2  # number of the first report, after all rounds
REFIT_LOCK = 7_270_154  # of submissions.sql.locks, which cannot be imported without a database, either
MOST_ATTEMPTS = 5  # ingest.MOST_ATTEMPTS, which cannot be imported without a database


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of a run of rounds; if data is lost or doubled, AssertionError was raised before."""

    inflicted: Counter[str]
    accepted: int
    longest_recovery_s: float
    ended_by_themselves: Counter[str]

    def __str__(self) -> str:
        faults = "".join(f"\n  {count:4} x {name}" for name, count in sorted(self.inflicted.items()))
        ended = ", ".join(f"{part} {times}" for part, times in self.ended_by_themselves.items()) or "none"
        return (
            f"{self.inflicted.total()} rounds, {self.accepted:,} submissions accepted, none lost, none doubled, "
            f"all worked out; performances equal to a clean recomputation.\nThe site was taking and working out "
            f"submissions again after {self.longest_recovery_s:.1f} s at most; "
            f"parts that had to be started again because they had ended: {ended}.{faults}"
        )


def run(rounds: int, *, seed: int, say: Callable[[str], None] = lambda _line: None) -> Outcome:
    random = Random(seed)
    inflicted: Counter[str] = Counter()
    recoveries = [0.0]
    with live_site(random=random) as stack:
        with Load(stack.url, seed=seed) as load:
            for number, content in POISON.items():
                load.hand_in(number, content)
            for name in _choose_faults(rounds, random):
                time.sleep(random.uniform(0, LONGEST_PAUSE_S))
                say(f"{inflicted.total() + 1}/{rounds} {name}")
                FAULTS[name](stack)
                inflicted[name] += 1
                recoveries.append(_await_recovery(stack, load))
        with stack.connect() as connection:
            # A full fit would process estimates that were skipped.
            connection.execute(f"SELECT pg_advisory_lock({REFIT_LOCK})")
            for number in range(LAST, LAST + REPORTS_OF_LAST * LAST_MODELS):
                load.hand_in(number, report_of_own_model(number % LAST_MODELS, number))
            await_judgement(stack)
        compare_books(stack, load)
    return Outcome(inflicted, len(load.receipts), max(recoveries), stack.ended_by_themselves)


def await_judgement(stack: Stack) -> None:
    """Wait until all reports are processed and all models estimated, and then stop the parts that do this."""
    stack.eventually(lambda: stack.count("state = 'received'") == 0, "everything is worked out")
    stack.eventually(lambda: not _rows(stack, _MARKED), "every model that was touched is judged")
    for part in stack.JUDGING:
        stack.kill(part)


def compare_books(stack: Stack, load: Load) -> None:
    """Compare the stored rows with the receipts, and with a clean recomputation."""
    assert load.refusals == [], f"refused: {load.refusals}"
    _assert_nothing_lost_nothing_doubled(stack, load)
    assert_equal_to_a_clean_recomputation(stack)


def _choose_faults(rounds: int, random: Random) -> list[str]:
    # Chooses every fault about equally often, in random order.
    names = [name for _ in range(rounds // len(FAULTS) + 1) for name in random.sample([*FAULTS], len(FAULTS))]
    return names[:rounds]


def _await_recovery(stack: Stack, load: Load) -> float:
    """Return the seconds until the site accepts and processes submissions again."""
    began = time.monotonic()
    accepted = len(load.receipts)
    stack.eventually(lambda: len(load.receipts) > accepted, "submissions are accepted again")
    stored = stack.count()
    stack.eventually(lambda: stack.count("state <> 'received'") >= stored, "they are worked out again")
    return time.monotonic() - began


_MEASUREMENTS_PER_RUN = """
    SELECT submission.public_id, count(measurement.id) FROM submissions_submission submission
    JOIN submissions_run run ON run.submission_id = submission.id
    LEFT JOIN submissions_measurement measurement ON measurement.run_id = run.id
    GROUP BY submission.public_id, run.id"""
_MARKED = "SELECT id, card_model_id FROM submissions_touchedmodel"
_TEXTS = "SELECT public_id, id FROM submissions_submission WHERE pasted IS NOT NULL"
_GIVEN_UP = "SELECT uuid, attempts FROM submissions_submission WHERE reason_code = 'processing_failed'"


def _assert_nothing_lost_nothing_doubled(stack: Stack, load: Load) -> None:
    assert {len(ids) for ids in load.receipts.values()} == {1}, "a report got two receipts"
    stored = dict(_rows(stack, "SELECT uuid, public_id FROM submissions_submission WHERE uuid IS NOT NULL"))
    runs = _rows(stack, _MEASUREMENTS_PER_RUN)
    given_up = dict(_rows(stack, _GIVEN_UP))
    receipts = {number: next(iter(ids)) for number, ids in load.receipts.items()}
    there = {uuid.int: public_id for uuid, public_id in stored.items()}
    _assert_same("reports", there, receipts)
    assert {uuid.int for uuid in given_up} == set(POISON), f"given up, besides what is poison: {given_up}"
    assert set(given_up.values()) == {MOST_ATTEMPTS}, f"attempts: {given_up}"
    texts = {public_id for public_id, _ in _rows(stack, _TEXTS)}
    assert texts == load.texts, f"texts lost {load.texts - texts}, doubled {texts - load.texts}"
    once = {receipts[n]: MEASUREMENTS for n in receipts if n not in POISON} | dict.fromkeys(texts, 1)
    assert len(runs) == len(dict(runs)), "a submission has two runs"
    _assert_same("measurements", dict(runs), once)


def _assert_same(what: str, stored: dict[Any, Any], right: dict[Any, Any]) -> None:
    differing = {key: (stored.get(key), right.get(key)) for key in stored.keys() | right.keys()}
    wrong = {key: pair for key, pair in differing.items() if pair[0] != pair[1]}
    assert not wrong, f"{what} of {len(right)}: (stored, right) {dict(list(wrong.items())[:20])}"


def _rows(stack: Stack, query: LiteralString) -> list[tuple[Any, Any]]:
    with stack.connect() as connection:
        return connection.execute(query).fetchall()
