"""Store results from other publications. The author of a source counts as the submitter."""

from collections.abc import Sequence

from submissions.domain.intake.published.reports import Drafted
from submissions.models import keys
from submissions.writing.receiving import receive_all

# Reports stored in one statement.
BATCH = 500


def store_table(reports: Sequence[Drafted], *, vouched: bool) -> int:
    """Store the reports from a table of published results, and return the number of new reports."""
    pairs = [(report.body, keys.submitter_key("source", report.author)) for report in reports]
    batches = (pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH))
    return sum(receive_all(batch, channel="bulk", vouched=vouched) for batch in batches)
