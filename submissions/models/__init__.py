"""Define the tables of the database, their constraints and querysets. Only the package `writing` changes their rows."""

from submissions.models.account import ApiToken
from submissions.models.audit import AuditEntry, Remark
from submissions.models.card import Card, CardModel, Variant
from submissions.models.judgement import (
    AbilityEstimate,
    Fit,
    Observation,
    Standing,
    TouchedModel,
    VariationFlag,
)
from submissions.models.measurement import Geometry, Host, Measurement, Run
from submissions.models.naming import Correction, FormerSlug
from submissions.models.offer import Offer
from submissions.models.performance import Performance
from submissions.models.publication import Publication
from submissions.models.ranking import ModelSummary
from submissions.models.submission import Submission
from submissions.models.word import Word
