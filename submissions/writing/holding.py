"""Hold doubtful submissions out of rankings until a moderator has ruled. Called by `ingest` after cards are placed.

The decision rests on stored rows only, so the order of processing does not matter: the report, other reports of its
card, remarks of visitors, and above all rulings of moderators. The number of cards that the same submitter sent before
counts, too. These cards may be processed later, or be deleted: `find_misplaced` finds submissions for which that made
a difference, and the sweep (a periodic task) processes them again.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, DateTimeField, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from submissions.domain.identity import lookalikes
from submissions.domain.identity.suspicions import Suspicion, find_foreign_reason
from submissions.domain.intake.structures import group_by
from submissions.domain.measuring import holds
from submissions.domain.measuring.holds import CALLED_WRONG, MANY_AT_ONCE, Facts, Hold
from submissions.models import AuditEntry, Card, CardModel, Remark, Run, Submission
from submissions.models.audit import Actor, Role
from submissions.sql.prepared import AnyOf, Param, PreparedQuery
from submissions.writing import same_result

State = Submission.State
_A_DAY = timedelta(days=1)
# `brand_look` of models that an older release stored and that were not described since.
_NOT_WRITTEN = ""
# Remarks may hold this share of a model's reports within a day, but always one.
_HELD_OF_MODEL = 0.05


def hold_submissions(cards: Iterable[Card], runs: Sequence[Any], *, new: Collection[Run]) -> dict[int, Hold]:
    """Exclude runs of these cards from rankings or include them; return holds by submission id.

    A hold is the reason to keep a submission out of rankings until a moderator decides. `runs` are all runs of these
    cards, from `load_runs`. The caller writes the states of submissions with `new` runs. One query if nothing changes.
    """
    models = {card.pk: card.variant.card_model_id for card in cards}
    crowds = _count_cards_in_a_day([run for run in runs if run.submission.is_by_one_person], models)
    first = _first_registers(runs)
    caller_writes = {run.submission_id for run in new}
    originals = same_result.find_originals(cards, runs, new=caller_writes)
    alike = _find_lookalikes(cards)
    held: dict[int, Hold] = {}
    for run in runs:
        facts = replace(
            Facts(**run.facts),
            other_registers=bool(run.csd) and run.csd != first[run.card_id],
            cards_in_a_day=crowds.get(run.pk, 0),
            most_cards_in_a_day=settings.MOST_CARDS_IN_A_DAY,
            same=run.same,
            wrong=run.wrong,
            sent_again=originals.get(run.pk, ""),
            looks_like=alike.get(run.card_id, ""),
        )
        hold = _apply_ruling(run.submission, holds.hold(facts))
        if hold and hold.by_visitors and not _may_hold(run, models[run.card_id]):
            hold = None
        _exclude(run, hold)
        if hold and not hold.final:
            held[run.submission_id] = hold
        _hold_or_release(
            run.submission, held.get(run.submission_id), written=run.submission_id in caller_writes
        )
    return held


def _find_lookalikes(cards: Iterable[Card]) -> dict[int, str]:
    """Return, by card id, the earlier brand that the card's brand imitates; one query if a brand is not known."""
    brands = {card.pk: card.variant.card_model.brand for card in cards}
    unlisted = [brand for brand in set(brands.values()) if brand and not lookalikes.is_known(brand)]
    if not unlisted:
        return {}
    earlier = _brands_in_order(looks=[_NOT_WRITTEN, *map(lookalikes.look, unlisted)])
    alike = lookalikes.twins(unlisted, (brand for brand, _ in earlier))
    return {card: alike[brand] for card, brand in brands.items() if brand in alike}


@PreparedQuery
def _brands_in_order() -> "QuerySet[CardModel, Any]":
    named = CardModel.objects.filter(AnyOf("brand_look", "looks")).exclude(brand="").values("brand")
    return named.annotate(first=Min("created_at")).order_by("first").values_list("brand", "first")


def load_runs(cards: Collection[Card]) -> list[Any]:
    """Return the runs of these cards in the order of their reports; one query.

    `.same` and `.wrong` count the returning visitors who confirm the result of the run, or call the result wrong.
    """
    return _runs_with_remarks(cards=[card.pk for card in cards])


@PreparedQuery
def _runs_with_remarks() -> "QuerySet[Run]":
    returning = Remark.objects.by_returning().filter(submission=OuterRef("submission"))
    remarks = returning.order_by().values("submission")
    runs = Run.objects.filter(AnyOf("card", "cards")).with_submission()
    counted = runs.annotate(**{kind: _count(remarks.filter(kind=kind)) for kind in Remark.Kind.values})
    return counted.order_by("card_id", "submission_id")


def _count(rows: Any) -> Coalesce:
    return Coalesce(Subquery(rows.annotate(all=Count("pk")).values("all")), 0)


def _first_registers(runs: Sequence[Run]) -> Mapping[int, str]:
    # From the last run to the first, which replaces the others of its card.
    return {run.card_id: run.csd for run in reversed(runs) if run.csd}


def _count_cards_in_a_day(runs: Collection[Run], models: Mapping[int, int]) -> dict[int, int]:
    """Return, by run id, the number of cards of the model that the submitter sent in the 24 hours before; one query."""
    if not runs or not settings.MOST_CARDS_IN_A_DAY:
        return {}
    times = [run.submission.received_at for run in runs]
    sent = _sent_cards(
        models=list({models[run.card_id] for run in runs}),
        submitters=list({run.submission.submitter for run in runs}),
        after=min(times) - _A_DAY,
        until=max(times),
    )
    by_crowd = defaultdict(list)
    for card, model, submitter, at in sent:
        by_crowd[model, submitter].append((at, card))
    by_sender = group_by(runs, lambda run: (models[run.card_id], run.submission.submitter))
    return {
        run: number
        for key, of_sender in by_sender.items()
        for run, number in _count_in_a_day(of_sender, by_crowd[key])
    }


def _count_in_a_day(runs: Iterable[Run], sent: Iterable[tuple[datetime, int]]) -> Iterator[tuple[int, int]]:
    """Yield (run id, number of different cards sent in the 24 hours up to the run); `sent` has (time, card)."""
    coming, going = (deque(sorted(sent)) for _ in range(2))
    cards: Counter[int] = Counter()
    different = 0
    for run in sorted(runs, key=lambda run: run.submission.received_at):
        until = run.submission.received_at
        while coming and coming[0][0] <= until:
            card = coming.popleft()[1]
            different += cards[card] == 0
            cards[card] += 1
        while going and going[0][0] <= until - _A_DAY:
            card = going.popleft()[1]
            cards[card] -= 1
            different -= cards[card] == 0
        yield run.pk, different


@PreparedQuery
def _sent_cards() -> "QuerySet[Run, Any]":
    sent = Run.objects.filter(
        AnyOf("submission__submitter", "submitters"),
        AnyOf("card__variant__card_model", "models"),
        submission__received_at__gt=Param("after", DateTimeField()),
        submission__received_at__lte=Param("until", DateTimeField()),
    )
    of_submission = ("submission__submitter", "submission__received_at")
    return sent.values_list("card_id", "card__variant__card_model", *of_submission)


def find_misplaced(*, since: datetime) -> list[int]:
    """Return ids of submissions to which the limit of cards in a day was wrongly applied, or wrongly not applied.

    Submissions received after `since`, and all submissions that this limit holds, are checked; at most four queries.
    """
    if not settings.MOST_CARDS_IN_A_DAY:
        return []
    counted = Submission.objects.by_one_person().filter(received_at__gt=since)
    busy = counted.values("submitter").annotate(all=Count("pk")).filter(all__gt=settings.MOST_CARDS_IN_A_DAY)
    eager = list(busy.order_by().values_list("submitter", flat=True))
    standing = counted.filter(submitter__in=eager, state=State.PROCESSED, ruling="")
    held = Submission.objects.filter(state=State.HELD, reason_code=MANY_AT_ONCE)
    candidates = Run.objects.filter(submission__in=held | standing)
    runs = list(candidates.with_submission())
    cards = Card.objects.filter(pk__in={run.card_id for run in runs})
    crowds = _count_cards_in_a_day(runs, dict(cards.values_list("pk", "variant__card_model")))
    return [
        run.submission_id
        for run in runs
        if (crowds[run.pk] > settings.MOST_CARDS_IN_A_DAY) != (run.submission.state == State.HELD)
    ]


def _apply_ruling(submission: Submission, hold: Hold | None) -> Hold | None:
    match submission.ruling:
        case Submission.Ruling.CONFIRMED:
            return None
        case Submission.Ruling.DISPUTED:
            return Hold("disputed", f"a moderator disputes it: {submission.ruling_reason}")
        case Submission.Ruling.EXCLUDED:
            return Hold("excluded", f"a moderator left it out: {submission.ruling_reason}", final=True)
    return hold


def _may_hold(run: Run, model: int) -> bool:
    """Return whether remarks of visitors may hold one more run of the site, and of the model, today; two queries.

    A run that remarks hold already stays held.
    """
    if run.submission.reason_code == CALLED_WRONG:
        return True
    since = timezone.now() - _A_DAY
    today = AuditEntry.objects.filter(action=AuditEntry.Action.HELD, role=Role.VISITORS, at__gt=since)
    of_model = Q(submission__run__card__variant__card_model=model)
    counted = today.aggregate(site=Count("pk"), model=Count("pk", filter=of_model))
    everything = Run.objects.filter(card__variant__card_model=model).count()
    return counted["site"] < settings.MOST_HELD_BY_REMARKS and counted["model"] < max(
        1, everything * _HELD_OF_MODEL
    )


def _exclude(run: Run, hold: Hold | None) -> None:
    foreign = find_foreign_reason([Suspicion(**fields) for fields in run.suspicions])
    excluded = foreign or run.not_compared or (hold.reason if hold else "")
    if run.excluded != excluded:
        Run.objects.filter(pk=run.pk).update(excluded=excluded)
        if hold and hold.code == "sent_again":
            AuditEntry.objects.write_about(
                run.submission, AuditEntry.Action.EXCLUDED, by=Actor(Role.RULE), reason=hold.reason
            )


def _hold_or_release(submission: Submission, hold: Hold | None, *, written: bool) -> None:
    is_held = submission.state == State.HELD
    if bool(hold) == is_held:
        return
    if not written:
        Submission.objects.filter(pk=submission.pk).update(
            state=State.HELD if hold else State.PROCESSED,
            reason_code=hold.code if hold else "",
            reason_detail=hold.reason if hold else "",
        )
    if not submission.ruling:
        AuditEntry.objects.write_about(
            submission,
            AuditEntry.Action.HELD if hold else AuditEntry.Action.RELEASED,
            by=Actor(Role.VISITORS if hold and hold.by_visitors else Role.RULE),
            reason=hold.reason if hold else "the reason to hold it is gone",
        )
