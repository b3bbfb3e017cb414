"""Tables, constraints and named querysets. Only `ingest` writes them."""

from submissions.models.card import Card, CardModel, Variant
from submissions.models.measurement import Host, Measurement, Run
from submissions.models.ranking import Score
from submissions.models.submission import Submission

__all__ = ["Card", "CardModel", "Host", "Measurement", "Run", "Score", "Submission", "Variant"]
