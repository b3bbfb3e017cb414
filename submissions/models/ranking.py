"""ModelSummary: what the page of one model shows; and the conditions of facets on models."""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

import msgspec
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from submissions.domain.identity.words import NO_BRANDS
from submissions.domain.ranking.boards import FITTING, Board
from submissions.domain.ranking.facets import FACETS, Facet
from submissions.domain.ranking.summary import Summary
from submissions.models.card import CardModel


def condition(facet: Facet, value: Any, *, of: str) -> Q:
    """That the facet has this value; `of` leads to the row with its column."""
    match facet.lookup:
        case "matching":
            return Q(**{f"{of}pk__in": CardModel.objects.matching(value)})
        case "doubted":
            flags = (("varies", True), ("lost_data", True), ("suspicious_cards__gt", 0))
            doubted = reduce(or_, (Q(**{f"{of}{flag}": value}) for flag, value in flags))
            return doubted if value else ~doubted
        case "has":
            return Q(**{f"{of}{facet.column}__contains": [value]})
    return Q(**{f"{of}{facet.column}__{facet.lookup}": value})


def of_models(chosen: Mapping[str, Any], *, of: str = "") -> Q:
    """What the chosen facets ask of models, or with `of` of what leads to one; those of a performance ask nothing."""
    facets = [FACETS[name] for name in chosen if name in FACETS and not FACETS[name].of_performance]
    asked = [facet for facet in facets if not facet.needs or facet.needs in chosen]
    return Q(*(condition(facet, chosen[facet.name], of=of) for facet in asked))


def fitting(board: Board | None) -> Q:
    """On performances: of models that go into the slot of a board; of every model without one."""
    has_form = board and board.form
    return ~Q(card_model__in=CardModel.objects.exclude(form__in=FITTING)) if has_form else Q()


# On performances: of models that nobody could look for in a shop.
OF_NO_BRAND = reduce(or_, (Q(card_model__brand__iexact=name) for name in NO_BRANDS))


class ModelSummary(models.Model):
    """The summary of one model, worked out from its measurements soon after they change."""

    card_model = models.OneToOneField(CardModel, on_delete=models.CASCADE, related_name="summary")
    judged_at = models.DateTimeField(null=True, help_text="when its rows were read")
    told = models.JSONField(help_text="a Summary, as domain/summary.py has it")
    newest_runs = ArrayField(models.BigIntegerField(), help_text="ids, the newest first")
    left_out = ArrayField(models.BigIntegerField(), help_text="ids of measurements that count for nothing")

    @property
    def summary(self) -> Summary:
        return msgspec.convert(self.told, Summary)
