"""Runs that may be one result sent again (`domain.measuring.sameness`), found by the numbers of their figures."""

from collections.abc import Iterable, Sequence

from submissions.sql import bulk

# Each number by itself: PostgreSQL takes an overlap with a thousand numbers for one with every row, and reads them all.
# As `sameness` has it, runs are alike in all figures of the smaller one; one figure alone tells only by one sender.
_TWINS = """
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

# Who sent it, and the numbers of its figures.
Result = tuple[str, Sequence[int]]


def of(results: Iterable[Result]) -> dict[int, str]:
    """Run -> key of its card, of stored runs that may be the same as one of these, themselves included; one query."""
    rows = [
        (place, number, submitter) for place, (submitter, prints) in enumerate(results) for number in prints
    ]
    return dict(bulk.asked(_TWINS, list(map(list, zip(*rows, strict=True))))) if rows else {}
