"""Serve the pages of a model, its runs, the values behind its abilities, one card of it, and one run of a card."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking import boards, uses
from submissions.evidence import flag_words, places
from submissions.evidence.reasons import list_reasons
from submissions.models import Card, CardModel, Measurement, Run
from submissions.pages.content import (
    ability_rows,
    aside_lines,
    dossier,
    figure_tables,
    filesystem_table,
    health_curve,
    reason_rows,
    register_rows,
    scan_map,
    sentences,
    sold,
)
from submissions.pages.forms.finder_form import FinderForm
from submissions.pages.plots import of_runs

RUNS_PER_PAGE = 50


def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the page of one model, for a board and a use, or redirect from a former slug of the model."""
    card_model = CardModel.objects.with_variants().select_related("summary").filter(slug=slug).first()
    if card_model is None:
        if successor := CardModel.objects.successor(slug):
            return redirect(successor, permanent=True)
        raise Http404
    wish = FinderForm(request.GET).wish()
    arranged = dossier.load_dossier(card_model, wish)
    context = {
        "model": card_model,
        "dossier": arranged,
        "wish": wish,
        "page_url": request.build_absolute_uri(card_model.get_absolute_url()),
        "badge_url": request.build_absolute_uri(reverse("badge", args=[slug])) + f"?board={wish.board.slug}",
        "boards": boards.all_boards().values(),
        "uses": uses.all_uses().values(),
        "sold": sold.load_sold(card_model, arranged["estimates"]),
        "asides": aside_lines.make_asides(arranged["summary"]),
    }
    return render(request, "submissions/model.html", context)


def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all runs of a model's cards, the newest first, in pages of RUNS_PER_PAGE."""
    card_model = get_object_or_404(CardModel, slug=slug)
    page = Paginator(Run.objects.of_model(card_model), RUNS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "submissions/runs.html", {"model": card_model, "page": page})


def why(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the measured values behind an ability of a model, and the values that are not used."""
    model = get_object_or_404(CardModel, slug=slug)
    wish, ability = FinderForm(request.GET).wish(), request.GET.get("ability", "")
    ability = ability if ability in ABILITIES else wish.use.leading
    ((_, advice),) = places.load_answers(model, [wish])
    reasons = list_reasons(model, ability)
    context = {
        "model": model,
        "wish": wish,
        "boards": boards.all_boards().values(),
        "abilities": ABILITIES.values(),
        "ability": ability,
        "title": ABILITIES[ability].title,
        "said": list(sentences.describe_value(advice.abilities.get(ability), wish.board)),
        "estimate": ability_rows.convert_estimates(ability_rows.load_estimates(model)).get(ability),
        "reasons": reasons,
        "cards": reason_rows.group_values(reasons.values),
        "more": reasons.values_in_all - len(reasons.values),
        "flags": [
            flag_words.describe_flag(flag) for flag in model.variation_flags.order_by("kind", "figure")
        ],
    }
    return render(request, "why/why.html", context)


def card(request: HttpRequest, key: str) -> HttpResponse:
    """Show one card: its registers, its runs, and changes over time."""
    specimen = get_object_or_404(Card.objects.select_related("variant__card_model"), key=key)
    figures = list(Measurement.objects.filter(run__card=specimen).exclude(figure="").by_card())
    runs = list(Run.objects.of_card(specimen))
    context = {
        "card": specimen,
        "model": specimen.variant.card_model,
        "runs": runs,
        "wear": health_curve.report_wear(specimen, runs),
        "figures": figures,
        "plots": of_runs.figures_over_time(figures),
        "filesystems": filesystem_table.compare_filesystems(runs),
    }
    return render(request, "submissions/card.html", context)


def run(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the run of a submission: its measurements, its host and its tool."""
    shown = get_object_or_404(Run.objects.with_report(), submission__public_id=public_id)
    card = shown.card
    pictures, rest = figure_tables.draw_tables(
        shown.measurements.exclude(workload="geometry").order_by("position")
    )
    context = {
        "run": shown,
        "submission": shown.submission,
        "card": card,
        "model": card.variant.card_model,
        "geometry": shown.geometry.by_quantity(),
        "scan": scan_map.draw_scan(shown.scan),
        "pictures": pictures,
        "figures": rest,
        "portraits": register_rows.explain_report(bytes(shown.submission.body)),
    }
    return render(request, "submissions/run.html", context)
