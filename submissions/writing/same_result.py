"""Find stored runs with equal results (rule: `domain.measuring.same_result`). Called by `ingest` and `holding`."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from submissions.domain.measuring import same_result
from submissions.domain.measuring.same_result import Result
from submissions.models import Card, Run
from submissions.sql import bulk, locks
from submissions.sql.prepared import AnyOf, PreparedQuery

# It looks up each fingerprint separately: for an overlap with a thousand numbers PostgreSQL would read the whole table.
_FIND = """
    WITH wanted AS (
        SELECT *, count(*) OVER (PARTITION BY result) AS figures
        FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS p (result, number, submitter)
    ), alike AS (
        SELECT r.id, r.card_id, r.submission_id, cardinality(r.result) AS figures, w.submitter,
            w.figures AS wanted, count(*) AS shared
        FROM wanted w CROSS JOIN LATERAL (
            SELECT id, card_id, submission_id, result FROM submissions_run
            WHERE result @> ARRAY[w.number] OFFSET 0
        ) AS r
        GROUP BY w.result, w.figures, w.submitter, r.id, r.card_id, r.submission_id, r.result
    )
    SELECT a.id, c.key FROM alike a
    JOIN submissions_card c ON c.id = a.card_id JOIN submissions_submission s ON s.id = a.submission_id
    WHERE a.shared = least(a.figures, a.wanted)
        AND (a.shared > 1 OR (a.figures = a.wanted AND s.submitter = a.submitter))
"""
# A submitter, and the fingerprints of a result.
Sent = tuple[str, Sequence[int]]


def lock_results(results: Iterable[Sent]) -> None:
    """Lock these results until the transaction ends, so that duplicates that arrive together wait for each other."""
    locks.hold_each(min(fingerprints) for _, fingerprints in results if fingerprints)


def find_runs(results: Iterable[Sent]) -> dict[int, str]:
    """Return the card keys of the stored runs that may have one of these results, by run id; one query."""
    rows = [
        (place, number, submitter)
        for place, (submitter, fingerprints) in enumerate(results)
        for number in fingerprints
    ]
    return dict(bulk.fetch_rows(_FIND, list(map(list, zip(*rows, strict=True))))) if rows else {}


def find_originals(cards: Iterable[Card], runs: Sequence[Any], *, new: Collection[int]) -> dict[int, str]:
    """Return, by id of each duplicate run, the public id of the submission that counts instead; two queries at most.

    `runs` are all runs of `cards`, `new` the ids of submissions that are processed now. `cards` must include every
    card that has the same result as one of the runs.
    """
    # Runs that are excluded already may have their original among other cards.
    elsewhere = _load_runs([run for run in runs if run.excluded and run.submission_id not in new])
    every = {run.pk: run for run in chain(elsewhere, runs)}
    variants = {card.pk: card.variant for card in chain((run.card for run in elsewhere), cards)}
    counting = [run for run in every.values() if _may_be_original(run)]
    results = [_result(run, has_registers=variants[run.card_id].mid is not None) for run in counting]
    originals = same_result.find_originals(results)
    return {copy: every[original.run].submission.public_id for copy, original in originals.items()}


def _load_runs(copies: Iterable[Any]) -> list[Any]:
    found = find_runs((run.submission.submitter, run.result) for run in copies)
    return _runs_by_id(pks=list(found)) if found else []


@PreparedQuery
def _runs_by_id() -> "QuerySet[Run]":
    return Run.objects.filter(AnyOf("pk", "pks")).with_submission().select_related("card__variant")


def _may_be_original(run: Any) -> bool:
    return bool(run.result) and not run.not_compared and not run.facts.get("no_card")


def _result(run: Any, *, has_registers: bool) -> Result:
    label = (str(run.label.get(name, "")).casefold() for name in ("brand", "line", "capacity_gb"))
    # In a bulk load two different cards may well have an equal result.
    sender = (run.submission.submitter, *label) if run.submission.is_by_one_person else (run.pk,)
    card = run.card_id if has_registers else None
    return Result(run.pk, frozenset(run.result), card, run.submission_id, sender)
