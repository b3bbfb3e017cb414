"""Correct the models under which cards are filed. Each decision is a row that later processing reads.

    merge    cards of several models belong to one model
    rename   a model gets another name
    split    some variants of a model belong to another model

No card is filed meanwhile, because NAMES_LOCK is held exclusively. Old URLs still lead to the cards.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from django.db import transaction
from django.db.models import QuerySet

from submissions.domain.errors import ReportError
from submissions.domain.identity import model_names
from submissions.domain.identity.model_names import ModelName, VariantKey, correct
from submissions.domain.report import Label
from submissions.models import AuditEntry, Card, CardModel, Correction, Variant
from submissions.models.audit import SYSTEM, Actor
from submissions.models.naming import name_in
from submissions.writing import filing, holding, observing, scoring

Action = AuditEntry.Action


class CorrectionError(ReportError):
    """An error: a correction of names is impossible; the message says how to proceed instead."""

    code = "impossible_correction"


def merge(slugs: Collection[str], *, into: str, by: Actor = SYSTEM) -> CardModel:
    """File the cards of the models `slugs` under `into`. Raise CorrectionError, and change nothing, if impossible."""
    with transaction.atomic():
        filing.lock_names(to_correct=True)
        target = _find(into)
        name = name_in(target, slug=target.slug)
        for source in [_find(slug) for slug in slugs]:
            _refuse_unlike(source, target)
            _store_decision(source.slug, None, name)
            _record(Action.MERGED, source, to=name, by=by)
        return _file_again(Card.objects.filter(variant__card_model__slug__in=slugs), target.slug)


def rename(slug: str, *, label: Label, by: Actor = SYSTEM) -> CardModel:
    """Rename a model by the filled fields of a label. Raise CorrectionError, and change nothing, if impossible."""
    with transaction.atomic():
        filing.lock_names(to_correct=True)
        model = _find(slug)
        name = _merge_label(model, label)
        if name.slug != slug and CardModel.objects.filter(slug=name.slug).exists():
            raise CorrectionError(
                f"{name.name} is there already: merge {slug} into {name.slug}.", field="slug"
            )
        _store_decision(slug, None, name)
        _record(Action.RENAMED, model, to=name, by=by)
        CardModel.objects.filter(slug=name.slug).update(**_fields(name))
        return _file_again(Card.objects.filter(variant__card_model=model), name.slug)


def split(slug: str, *, variants: Collection[int], to: Label | str, by: Actor = SYSTEM) -> CardModel:
    """File some variants of a model under another model: a new model with a label, or an existing model with a slug.

    Raise CorrectionError, and change nothing, if that is impossible.
    """
    with transaction.atomic():
        filing.lock_names(to_correct=True)
        model = _find(slug)
        name = name_in(_find(to), slug=to) if isinstance(to, str) else _merge_label(model, to)
        if name.slug == slug:
            raise CorrectionError(
                "The new model has the same name as the old one. Say how it differs.", field="to"
            )
        chosen = _variants(model, variants)
        for variant in chosen:
            _store_decision(slug, variant.silicon, name)
        _record(Action.SPLIT, model, to=name, by=by)
        return _file_again(Card.objects.filter(variant__in=chosen), name.slug)


def _record(action: AuditEntry.Action, model: CardModel, *, to: ModelName, by: Actor) -> None:
    before = {"slug": model.slug, "name": model.name}
    AuditEntry.objects.write(
        action, by=by, subject=model.slug, before=before, after={"slug": to.slug, "name": to.name}
    )


def _find(slug: str) -> CardModel:
    try:
        return CardModel.objects.get(slug=slug)
    except CardModel.DoesNotExist:
        raise CorrectionError(
            f"There is no model “{slug}”. The slug is the last part of the address of a model's page.",
            field="slug",
        ) from None


def _refuse_unlike(source: CardModel, target: CardModel) -> None:
    if source == target:
        raise CorrectionError(f"{source.slug} cannot be merged into itself.", field="into")
    if source.simulated != target.simulated:
        raise CorrectionError("A simulated card and a real one are never the same model.", field="into")


def _variants(model: CardModel, ids: Collection[int]) -> Sequence[Variant]:
    variants = list(model.variants.filter(pk__in=ids))
    if not variants or len(variants) < len(set(ids)):
        choices = ", ".join(f"{variant.pk} ({variant})" for variant in model.variants.order_by("pk"))
        raise CorrectionError(f"Name variants of {model.slug}. It has {choices}.", field="variant")
    return variants


def _merge_label(model: CardModel, label: Label) -> ModelName:
    whole = Label(
        brand=label.brand or model.brand,
        line=label.line or model.line,
        model_number=label.model_number or (model.model_number if model.named_from == "label" else ""),
        capacity_gb=label.capacity_gb or model.capacity_gb,
    )
    return model_names.label_name(whole, simulated=model.simulated)


def _fields(name: ModelName) -> dict[str, object]:
    fields = asdict(name)
    del fields["slug"]
    return fields


def _store_decision(slug: str, silicon: VariantKey | None, name: ModelName) -> None:
    # The new name is final: older corrections that would move its cards to another model are deleted.
    _write(name.slug, None, name)
    _write(slug, silicon, name)
    for row in Correction.objects.filter(slug=name.slug, silicon__isnull=False):
        assert row.decision.silicon is not None
        ends = correct(row.decision.to, row.decision.silicon, Correction.objects.of)
        if ends.slug in (name.slug, slug):
            row.delete()


def _write(slug: str, silicon: VariantKey | None, name: ModelName) -> None:
    key = list(asdict(silicon).values()) if silicon else None
    same = {"silicon": key} if key else {"silicon__isnull": True}
    Correction.objects.filter(slug=slug, **same).delete()
    Correction.objects.create(slug=slug, silicon=key, to_slug=name.slug, **_fields(name))


def _file_again(cards: QuerySet[Card], slug: str) -> CardModel:
    locked = cards.select_for_update(of=["self"]).select_related("variant__card_model").order_by("key")
    cards_held = list(locked)
    touched = filing.place_cards(cards_held, holding.load_runs(cards_held), filing.NameCache())
    observing.copy_values(cards_held)
    scoring.refresh(touched)
    return CardModel.objects.get(slug=slug)
