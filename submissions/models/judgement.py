"""Define tables of the estimation: full fits, ability estimates of each model, and flags of models that vary.

Only `writing.scoring` and `writing.refit` write rows. All logs are natural; a latency counts as its inverse, so that
more is always better.
"""

from typing import Any

from django.db import models

from submissions.domain.estimation.parameters import HALF_WIDTH
from submissions.domain.ranking.catalogue import base_value
from submissions.models.card import Card, CardModel, Variant
from submissions.models.measurement import Host
from submissions.models.submission import Submission

# A copy of a value of another row, which is removed with the rows of its card.
_COPIED: dict[str, Any] = {"db_constraint": False, "db_index": False, "related_name": "+"}


class Fit(models.Model):
    """One full fit: effects of hosts, methods and people, estimated from all models.

    The effects stay fixed until the next fit, so that a single model can be estimated without the others.
    """

    made_at = models.DateTimeField(auto_now_add=True)
    took_ns = models.BigIntegerField()
    model_count = models.PositiveIntegerField(help_text="models with a comparable figure")
    card_count = models.PositiveIntegerField()
    run_count = models.PositiveIntegerField()
    last_run = models.BigIntegerField(help_text="id of the newest run it knows")
    parameters = models.JSONField(
        help_text="the numbers it was made with; estimation/parameters.py explains them"
    )
    census = models.JSONField(
        default=dict, db_default={}, help_text="how much was known then (evidence/census.py)"
    )
    crowd = models.JSONField(
        default=dict,
        db_default={},
        help_text="what it learned of abilities, methods and hosts (evidence/crowds.py)",
    )


class Standing(models.Model):
    """Whether a person agreed with others about a model in the last full fit; rows of older fits are removed."""

    fit = models.ForeignKey(Fit, on_delete=models.CASCADE, related_name="standings")
    person = models.BigIntegerField(help_text="hash of the submitter's key")
    model = models.BigIntegerField(help_text="id of the model; it may be gone since")
    agrees = models.BooleanField(help_text="with what others measured")

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_standing_per_model", fields=["fit", "person", "model"])
        ]


class Observation(models.Model):
    """A believable figure of a run, with all columns that the estimation needs.

    `writing.observing` copies the columns from other tables, so that a model is estimated by one scan of one index
    (see `evidence.sources`).
    """

    pk = models.CompositePrimaryKey("card_id", "figure", "turn")
    card_model = models.ForeignKey(CardModel, on_delete=models.DO_NOTHING, **_COPIED)
    figure = models.CharField(max_length=64)
    untrusted = models.SmallIntegerField(help_text="0 if the submitter has a record, or is vouched for")
    turn = models.IntegerField(
        help_text="of the values of this figure of this card which it is, in their order"
    )
    lot = models.BigIntegerField(help_text="the beginning of the key of the card, as a number")
    signature = models.BigIntegerField(help_text="id of the variant, -1 where no register told it")
    card = models.ForeignKey(Card, on_delete=models.DO_NOTHING, **_COPIED)
    host = models.ForeignKey(Host, on_delete=models.DO_NOTHING, **_COPIED)
    submission = models.ForeignKey(Submission, on_delete=models.DO_NOTHING, **_COPIED)
    person = models.BigIntegerField(help_text="hash of the submitter's key")
    vouched = models.SmallIntegerField(help_text="1 where the operator vouches for what was sent")
    network = models.BigIntegerField(db_default=-1, help_text="of its sender, -1 if not known")
    week = models.IntegerField(
        db_default=-1, help_text="of its arrival, since 1970; -1 if the operator brought it"
    )
    month = models.IntegerField(
        db_default=0, help_text="of the measurement: 12 * year + months before it; 0 if not known"
    )
    value = models.FloatField(help_text="in the base unit")

    class Meta:
        indexes = [
            models.Index(
                name="observations_in_turn", fields=["card_model", "figure", "untrusted", "turn", "lot"]
            )
        ]


class AbilityEstimate(models.Model):
    """The estimate of one ability of a model on the reference host, or of one `variant`, if the cards differ."""

    card_model = models.ForeignKey(CardModel, on_delete=models.CASCADE, related_name="ability_estimates")
    variant = models.ForeignKey(
        Variant, on_delete=models.CASCADE, null=True, related_name="ability_estimates"
    )
    ability = models.CharField(max_length=64)
    mean = models.FloatField(help_text="log value, more is better")
    sd = models.FloatField(help_text="one standard deviation of the mean")
    card_sd = models.FloatField(help_text="of a single card around the mean")
    level_known = models.BooleanField(help_text="false: links hid all values, it reaches at least the mean")
    median = models.FloatField(help_text="the middle of the measured values, in the base unit")
    cards = models.PositiveIntegerField()
    people = models.PositiveIntegerField()
    known_people = models.PositiveIntegerField(help_text="with a record, or vouched for by the operator")
    runs = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_estimate_per_ability",
                fields=["card_model", "variant", "ability"],
                nulls_distinct=False,
            ),
        ]

    @property
    def value(self) -> float:
        """Return the mean of the ability in its base unit."""
        return base_value(self.ability, self.mean)

    def find_interval(self, sd: float) -> tuple[float, float]:
        """Return the ends of the ability's 95 % interval in its base unit; `sd`: standard deviation of the log."""
        low, high = sorted(base_value(self.ability, self.mean + side * HALF_WIDTH * sd) for side in (-1, 1))
        return low, high


class TouchedModel(models.Model):
    """A mark on a model that must be estimated and described again, because its reports changed.

    To describe a model is to update its columns and its summary. `judged`: the model was estimated, but must still be
    described. Each transaction that changes the reports inserts a row, without a constraint, so that no transaction
    waits for another.
    """

    card_model = models.ForeignKey(
        CardModel, on_delete=models.DO_NOTHING, db_constraint=False, related_name="marks"
    )
    judged = models.BooleanField(default=False, db_default=False)


class VariationFlag(models.Model):
    """One way in which cards of a model differ. `evidence` holds the values that show it."""

    class Kind(models.TextChoices):
        VARIES = "varies", "cards differ by what is inside"
        SUSPECTED = "suspected", "cards scatter more than usual"
        GEOMETRY = "geometry_differs", "cards differ in their geometry"

    # Kinds that mean that the cards certainly differ.
    DIFFERENT = (Kind.VARIES, Kind.GEOMETRY)

    card_model = models.ForeignKey(CardModel, on_delete=models.CASCADE, related_name="variation_flags")
    kind = models.CharField(max_length=16, choices=Kind)
    figure = models.CharField(max_length=64, help_text="ability, or quantity of the geometry")
    ratio = models.FloatField(
        null=True, help_text="faster over slower; of a suspicion 90th over 10th percentile"
    )
    lower_ratio = models.FloatField(null=True, help_text="95 % interval of the ratio")
    upper_ratio = models.FloatField(null=True)
    p_value = models.FloatField(null=True)
    cards = models.PositiveIntegerField(help_text="cards it rests on")
    submitters = models.PositiveIntegerField(help_text="submitters who measured them")
    evidence = models.JSONField(help_text="groups as variant ids, counts, and what the words are made of")
    since = models.DateTimeField(help_text="when it was raised first")

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_flag_per_figure", fields=["card_model", "kind", "figure"])
        ]
