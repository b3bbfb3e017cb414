"""Tables, constraints and named querysets. Only `ingest`, with `filing`, `scoring` and `corrections`, writes them."""

from submissions.models.account import ApiToken
from submissions.models.audit import AuditEntry
from submissions.models.card import Card, CardModel, Variant
from submissions.models.geometry import Geometry
from submissions.models.judgement import Estimate, FigureFit, Fit, VariationFlag
from submissions.models.measurement import Host, Measurement, Run
from submissions.models.naming import Correction, FormerSlug
from submissions.models.photo import Photo
from submissions.models.ranking import Score
from submissions.models.remark import Remark
from submissions.models.submission import Submission
from submissions.models.summary import ModelSummary
from submissions.models.word import Word

__all__ = [
    "ApiToken",
    "AuditEntry",
    "Card",
    "CardModel",
    "Correction",
    "Estimate",
    "FigureFit",
    "Fit",
    "FormerSlug",
    "Geometry",
    "Host",
    "Measurement",
    "ModelSummary",
    "Photo",
    "Remark",
    "Run",
    "Score",
    "Submission",
    "Variant",
    "VariationFlag",
    "Word",
]
