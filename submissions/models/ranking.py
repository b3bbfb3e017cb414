"""Define ModelSummary, stored for the page of a model, and SQL conditions for the facets (filters) of models."""

from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

import msgspec
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from submissions.domain.identity.words import NO_BRANDS
from submissions.domain.ranking.boards import FITTING, Board
from submissions.domain.ranking.facets import FACETS, Facet
from submissions.domain.ranking.offers import CURRENT_DAYS
from submissions.domain.ranking.summary import Summary
from submissions.domain.ranking.wish import Wish
from submissions.models.card import CardModel


def match_facet(facet: Facet, value: Any, *, path: str) -> Q:
    """Return the condition that a facet of a model has this value; `path` leads to the model, as `card_model__`."""
    match facet.lookup:
        case "matching":
            return Q(**{f"{path}pk__in": CardModel.objects.matching(value)})
        case "doubted":
            flags = (("varies", True), ("lost_data", True), ("losers__gt", 0), ("suspicious_cards__gt", 0))
            doubted = reduce(or_, (Q(**{f"{path}{flag}": value}) for flag, value in flags))
            return doubted if value else ~doubted
        case "offered":
            return Q(**{f"{path}{facet.column}__lte": value}) & is_offered(path)
        case "has":
            return Q(**{f"{path}{facet.column}__contains": [value]})
    return Q(**{f"{path}{facet.column}__{facet.lookup}": value})


def is_offered(path: str = "") -> Q:
    """Return the condition that a model has a current price; `path` leads to the model."""
    return Q(**{f"{path}priced_on__gt": Now() - timedelta(days=CURRENT_DAYS)})


def match_wish(wish: Wish, *, path: str = "") -> Q:
    """Return the condition that a model passes the filters (facets) of a wish, and none that the wish excludes.

    Facets of performances, not of models, are left out. `path` leads from the queried rows to their models.
    """
    facets = [FACETS[name] for name in wish.chosen if name in FACETS and not FACETS[name].of_performance]
    asked = [facet for facet in facets if not facet.needs or facet.needs in wish.chosen]
    chosen = (match_facet(facet, wish.chosen[facet.name], path=path) for facet in asked)
    excluded = (~match_facet(FACETS[name], value, path=path) for name, value in wish.excluded.items())
    return Q(*chosen, *excluded)


def match_form(board: Board) -> Q:
    """Return the condition on performances that the form of the model (such as microSD) goes into a board's slot."""
    return ~Q(card_model__in=CardModel.objects.exclude(form__in=FITTING)) if board.form else Q()


# The condition on performances that the model has no brand by which a shop could be asked for it.
OF_NO_BRAND = reduce(or_, (Q(card_model__brand__iexact=name) for name in NO_BRANDS))


class ModelSummary(models.Model):
    """The summary of one model, computed from its measurements soon after they change."""

    card_model = models.OneToOneField(CardModel, on_delete=models.CASCADE, related_name="summary")
    judged_at = models.DateTimeField(null=True, help_text="when its rows were read")
    told = models.JSONField(help_text="a Summary, as domain/summary.py has it")
    newest_runs = ArrayField(models.BigIntegerField(), help_text="ids, the newest first")
    left_out = ArrayField(models.BigIntegerField(), help_text="ids of measurements that count for nothing")

    @property
    def summary(self) -> Summary:
        return msgspec.convert(self.told, Summary)
