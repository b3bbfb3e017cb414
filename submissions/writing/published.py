"""Results that others have published, kept as everything else is: each with its source, and with its author's voice."""

from collections.abc import Sequence

from submissions.domain.intake.published.reports import Drafted
from submissions.models import keys
from submissions.writing.receiving import receive_all

# Reports kept in one statement.
BATCH = 500


def keep_table(reports: Sequence[Drafted], *, vouched: bool) -> int:
    """Keep the reports of a table; as `receive_all`. Returns how many are new."""
    pairs = [(report.body, _voice(report.author)) for report in reports]
    batches = (pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH))
    return sum(receive_all(batch, channel="bulk", vouched=vouched) for batch in batches)


def _voice(author: str) -> str:
    return keys.submitter_key("source", author)
