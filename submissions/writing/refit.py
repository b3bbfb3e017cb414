"""Make a full fit: learn from all measurements how methods, hosts and people differ, and estimate every model by that.

Reading and fitting take no lock but REFIT_LOCK, and read from the replica, if there is one. Then one transaction stores
the fit and, holding NAMES_LOCK exclusively, replaces the estimates, performances and flags of models. Models that
changed meanwhile are estimated soon after, by the new fit.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import islice

import numpy as np
from django.db import connection, transaction
from django.db.models import Count, Max, Q
from django.utils import timezone
from msgspec import to_builtins

from submissions.domain.estimation.parameters import DEFAULTS
from submissions.domain.estimation.people import PersonRecord
from submissions.evidence import abilities, census, credits, crowds, performances, variation_flags
from submissions.evidence.abilities import Judged
from submissions.models import AbilityEstimate, CardModel, Fit, Observation, Performance, Run, Standing
from submissions.sql import bulk, locks, replica
from submissions.writing import filing, model_facts, observing, scoring

# A fit is due after so many new runs, as a share of the runs of the last fit; and at least so many.
_NEW_SHARE, _NEW_RUNS = 0.01, 20
# After a fit, wait so many times as long as it took, because meanwhile one worker did not process reports.
_REST = 60
_KEPT_FITS = 3
_MODELS_AT_ONCE = 200

_STANDINGS = """
    INSERT INTO submissions_standing (fit_id, person, model, agrees)
    SELECT %s, * FROM unnest(%s::bigint[], %s::bigint[], %s::boolean[])
"""
Stamps = Mapping[int, tuple[datetime | None, int]]


def is_due() -> bool:
    """Return whether enough runs are new since the last full fit, and enough time has passed; two queries."""
    newest = Run.objects.aggregate(newest=Max("pk"))["newest"] or 0
    last = (
        Fit.objects.exclude(crowd={})
        .order_by("-pk")
        .only("last_run", "run_count", "made_at", "took_ns")
        .first()
    )
    if last is None:
        return bool(newest >= _NEW_RUNS)
    is_rested = timezone.now() - last.made_at >= _REST * timedelta(microseconds=last.took_ns / 1000)
    return is_rested and bool(newest - last.last_run >= max(_NEW_RUNS, _NEW_SHARE * last.run_count))


def refit() -> Fit | None:
    """Make a full fit now; return None if another process is making one."""
    with locks.try_hold_for_session(locks.REFIT_LOCK) as alone:
        return _refit() if alone else None


def refit_after_load() -> Fit | None:
    """Make a full fit and update columns and page summary of every model, after a bulk load that postponed both."""
    bulk.update_statistics()
    fit = refit()
    models = iter(CardModel.objects.order_by("pk").values_list("pk", flat=True))
    while some := list(islice(models, _MODELS_AT_ONCE)):
        with transaction.atomic():
            filing.lock_names()
            scoring.describe(some)
    return fit


def _refit() -> Fit:
    began = time.monotonic_ns()
    before = crowds.current_crowd()
    with replica.reading_from_replica():
        stamps = _stamps()
        last_run = Run.objects.aggregate(newest=Max("pk"))["newest"] or 0
        judged = abilities.judge_all(before)
    gathered = judged.gathered
    fit = Fit(
        model_count=len(gathered.models),
        card_count=len(gathered.cards),
        run_count=len(np.unique(gathered.evidence.report)),
        last_run=last_run,
        parameters=asdict(DEFAULTS),
        crowd=crowds.to_document(judged.stored),
    )
    with transaction.atomic():
        fit.took_ns = time.monotonic_ns() - began
        # No worker waits for these rows; they wait only once NAMES_LOCK is held.
        _store_fit(fit, gathered.numbers.record)
        filing.lock_names(to_correct=True)
        observing.update_untrusted(gathered.numbers.record)
        _store_estimates(judged, stamps)
        # The fit decides which people have a record, and so which doubts and findings count.
        weighed = Q(judging_people__gt=0) | Q(summary__told__findings__0__isnull=False)
        scoring.mark((), CardModel.objects.filter(weighed).values_list("pk", flat=True))
        model_facts.delete_unused_words()
    with replica.reading_from_replica():
        fit.census = census.count_all() | {"credits": to_builtins(credits.count_credits())}
    fit.save(update_fields=["census"])
    return fit


def _stamps() -> Stamps:
    """Return the time of the last estimate and the number of believable values of each model, to notice changes.

    Even values that no estimate used count, because the new fit may trust them. Call this before the evidence is read,
    and from the same database: rows that a replica lacks then count as changes.
    """
    values = dict(Observation.objects.values_list("card_model").annotate(number=Count("*")))
    return {
        pk: (judged_at, values.get(pk, 0))
        for pk, judged_at in CardModel.objects.real().values_list("pk", "judged_at")
    }


def _store_fit(fit: Fit, record: PersonRecord) -> None:
    fit.save(force_insert=True)
    Standing.objects.all().delete()
    columns = (record.person, record.model, record.agrees)
    with connection.cursor() as cursor:
        cursor.execute(_STANDINGS, [fit.pk, *(column.tolist() for column in columns)])
    kept = Fit.objects.order_by("-pk").values_list("pk", flat=True)[:_KEPT_FITS]
    Fit.objects.exclude(pk__in=list(kept)).delete()


def _compare_stamps(stamps: Stamps) -> tuple[set[int], set[int]]:
    """Return two sets of model ids: unchanged since `stamps` were read, and changed; two queries."""
    now = _stamps()
    untouched = {pk for pk, stamp in now.items() if pk in stamps and stamps[pk] == stamp}
    return untouched, set(now) - untouched


def _store_estimates(judged: Judged, stamps: Stamps) -> None:
    # Models that changed since `stamps` keep their rows and are marked to be judged again soon.
    untouched, touched = _compare_stamps(stamps)
    AbilityEstimate.objects.filter(card_model__simulated=False).exclude(card_model__in=touched).delete()
    estimates = abilities.estimate_rows(judged)
    bulk.copy_models(AbilityEstimate, (row for row in estimates if row.card_model_id in untouched))
    Performance.objects.filter(simulated=False).exclude(card_model__in=touched).delete()
    rows = performances.performance_rows(judged)
    bulk.copy_models(Performance, (row for row in rows if row.card_model_id in untouched))
    flags = [row for row in variation_flags.flag_rows(judged) if row.card_model_id in untouched]
    scoring.store_flags(untouched, flags, kinds=scoring.JUDGED_FLAGS)
    scoring.update_varies(untouched)
    scoring.mark(touched)
