"""Serialize the advice on a model for a use on a board: its rank, needs, leading figure, abilities and evidence."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue, Advice
from submissions.domain.ranking.gates import Gate
from submissions.domain.ranking.order import NeedState
from submissions.evidence import flag_words
from submissions.evidence.places import Advised

NOT_MEASURED = "not_measured"
ORIGINS = ("here", "elsewhere", NOT_MEASURED)


class ProofSerializer(serializers.Serializer[Any]):
    """The evidence behind a figure; `known_people` have a record of confirmed results, or the operator trusts them."""

    cards = serializers.IntegerField()
    people = serializers.IntegerField()
    known_people = serializers.IntegerField()
    runs = serializers.IntegerField()
    voices = serializers.IntegerField(help_text="people; those who may be the same person count once")


class FigureSerializer(serializers.Serializer[Any]):
    ability = serializers.ChoiceField(list(ABILITIES))
    value = serializers.FloatField(allow_null=True)
    lower = serializers.FloatField(allow_null=True, help_text="lower end of the 95 % interval")
    upper = serializers.FloatField(allow_null=True, help_text="upper end of the 95 % interval")
    unit = serializers.CharField(help_text="base unit of all numbers")
    origin = serializers.ChoiceField(
        ORIGINS, help_text="measured in such a slot, or expected from other slots"
    )
    at_least = serializers.BooleanField(
        help_text="true if links limited all values, so the real one may be better"
    )


_FIGURE, _PROOF = tuple(FigureSerializer().fields), tuple(ProofSerializer().fields)


class EnduranceSerializer(serializers.Serializer[Any]):
    """The endurance that the maker of a model promises; null for a figure that it does not promise."""

    hours_full_hd = serializers.FloatField(allow_null=True)
    tbw = serializers.FloatField(allow_null=True, help_text="terabytes written")
    warranty_years = serializers.FloatField(allow_null=True)
    source = serializers.CharField()  # type: ignore[assignment]


class OfferSerializer(serializers.Serializer[Any]):
    """The newest price of a model, if it is younger than a year."""

    amount = serializers.FloatField()
    currency = serializers.CharField()
    seen_on = serializers.DateField(help_text="the day of the price, or the first of its month")
    shop = serializers.CharField()


class LeadingSerializer(FigureSerializer):
    """The figure that ranks models for a use; all of its numbers are null if it was not measured."""

    def to_representation(self, advice: Advice) -> dict[str, Any]:
        fields = advice.leading.published_columns if advice.leading else _unmeasured_fields(advice)
        return {name: fields[name] for name in _FIGURE}


class LeadingProofSerializer(ProofSerializer):
    """The evidence behind the leading figure, which ranks models for a use."""

    def to_representation(self, advice: Advice) -> dict[str, int]:
        return {name: getattr(advice.leading, name, 0) for name in _PROOF}


class AbilitySerializer(FigureSerializer, ProofSerializer):
    """The value of an ability in the slot of the board, with its evidence."""

    median = serializers.FloatField(help_text="median of the measured values, in any slot")


class NeedSerializer(serializers.Serializer[Any]):
    """A need (requirement) of the use, and whether nine of ten cards of the model pass it."""

    ability = serializers.CharField(source="need.ability")
    state = serializers.ChoiceField([state.value for state in NeedState])
    value = serializers.SerializerMethodField(help_text="null if the ability was not measured")
    threshold = serializers.FloatField(source="need.threshold")
    unit = serializers.SerializerMethodField()
    source = serializers.CharField(source="need.source")  # type: ignore[assignment]

    def get_unit(self, result: Any) -> str:
        return ABILITIES[result.need.ability].base_unit

    def get_value(self, result: Any) -> float | None:
        is_own = result.value is not None and result.value.ability == result.need.ability
        return result.value.value if is_own else None


class AdviceSerializer(serializers.Serializer[Any]):
    """The advice on a model for a use on a board.

    `place` is the rank. It is null if the leading ability, which ranks models, was not measured; if a single person
    without a record of confirmed results reports it; and if a gate excludes the model: lost_data, does_not_fit,
    too_small.
    """

    board = serializers.CharField(source="advice.board.slug")
    use = serializers.CharField(source="advice.use.name")
    place = serializers.IntegerField(source="advice.place.number", allow_null=True, default=None)
    shared = serializers.BooleanField(
        source="advice.place.shared", default=False, help_text="true if other models share this place"
    )
    gates = serializers.ListField(
        source="advice.gates",
        child=serializers.ChoiceField([gate.value for gate in Gate]),
        help_text="reasons against the model, whatever its figures are, the most serious first",
    )
    needs = NeedSerializer(source="advice.needs", many=True)
    leading = LeadingSerializer(source="advice")
    abilities = serializers.SerializerMethodField(help_text="the measured abilities, by name")
    proof = LeadingProofSerializer(source="advice")
    flagged = serializers.BooleanField(
        source="model.is_flagged", help_text="true if the model's cards differ, are suspicious or lost data"
    )
    spread = serializers.SerializerMethodField(
        help_text="95 of 100 cards lie within this factor of the leading figure; null for fewer than three cards"
    )
    endurance = EnduranceSerializer(
        source="advice.facts.endurance", allow_null=True, help_text="the endurance that the maker promises"
    )
    offer = OfferSerializer(source="advice.offer", allow_null=True)

    def get_spread(self, advised: Advised) -> float | None:
        return flag_words.find_spread(advised.advice.leading)

    @extend_schema_field(serializers.DictField(child=AbilitySerializer()))
    def get_abilities(self, advised: Advised) -> dict[str, Any]:
        abilities = advised.advice.abilities
        return {name: value.published_columns for name, value in abilities.items()}


def complete_abilities(abilities: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the abilities that a performance stores, by name, and add to each its name and unit."""
    return {name: AbilityValue(name, **columns).published_columns for name, columns in abilities.items()}


def _unmeasured_fields(advice: Advice) -> dict[str, Any]:
    ability = ABILITIES[advice.use.leading]
    numbers = dict.fromkeys(("value", "lower", "upper"))
    fixed = {"unit": ability.base_unit, "origin": NOT_MEASURED, "at_least": False}
    return {"ability": ability.name, **numbers, **fixed}
