"""The pages. Each view says one verb; rules live in `domain`, rows are chosen in `models`."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.vary import vary_on_headers

from submissions import ingest, portrait, presentation, tasks, visitor
from submissions.domain import maker_search, metrics, pasted, profiles
from submissions.domain.errors import ReportError
from submissions.forms import DecodeForm, FinderForm, MakersForm, ReportForm
from submissions.models import Card, CardModel, Measurement, Run, Score, Submission, Variant
from submissions.understanding import Understanding, understand

RECENT = 8
MOST_MODELS_OF_A_MAKER = 200


@vary_on_headers("HX-Request")
def finder(request: HttpRequest) -> HttpResponse:
    """Models ranked for a purpose; the same page and, for htmx, only its ranking."""
    form = FinderForm(request.GET)
    wanted = form.wanted()
    context = {
        "form": form,
        "profile": wanted.profile,
        "figures": metrics.FIGURES,
        "scores": Score.objects.ranking(profile=wanted.profile.name, interface=wanted.interface).matching(
            wanted.words
        ),
        "simulated": Score.objects.ranking(
            profile=wanted.profile.name, interface="simulated", simulated=True
        ),
        "recent": Submission.objects.recent()[:RECENT],
    }
    template = "submissions/_ranking.html" if request.htmx else "submissions/finder.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything about one model: scores, variants, figures and the runs behind them. Old addresses lead on."""
    card_model = CardModel.objects.with_variants().filter(slug=slug).first()
    if card_model is None:
        return _moved(slug)
    runs = Run.objects.of_model(card_model)
    context = {
        "model": card_model,
        "scores": card_model.scores.order_by("interface", "profile"),
        "profiles": profiles.all_profiles(),
        "runs": runs,
        "doubts": presentation.doubts(runs),
        "figures": Measurement.objects.figures_of(card_model),
    }
    return render(request, "submissions/model.html", context)


def card(request: HttpRequest, key: str) -> HttpResponse:
    """One specimen and its runs."""
    specimen = get_object_or_404(Card.objects.select_related("variant__card_model"), key=key)
    return render(request, "submissions/card.html", {"card": specimen, "runs": Run.objects.of_card(specimen)})


def decode(request: HttpRequest) -> HttpResponse:
    """Say what pasted registers tell. Nothing is stored, and what was pasted is shown again only if it is refused."""
    example = {"text": portrait.EXAMPLE} if "example" in request.GET else None
    form = DecodeForm(request.POST if request.method == "POST" else example)
    found: portrait.Readings | None = None
    if form.is_valid():
        try:
            found = portrait.read(
                form.cleaned_data["text"],
                label_brand=form.cleaned_data["label_brand"],
                received_on=timezone.now().date(),
            )
        except ReportError as error:
            form.refuse(error)
    status = 400 if form.errors else 200
    context = {"form": DecodeForm() if found else form, "readings": found}
    return render(request, "submissions/decode.html", context, status=status)


def makers(request: HttpRequest) -> HttpResponse:
    """Who stands behind the manufacturer numbers, with the number of models in the database."""
    form = MakersForm(request.GET)
    words, bus = form.wanted()
    counts = Variant.objects.models_per_maker()
    rows = [
        (maker, counts.get((maker.bus, maker.mid, maker.oid), 0))
        for maker in maker_search.matching(words, bus=bus)
    ]
    return render(request, "submissions/makers.html", {"form": form, "rows": rows})


def maker(request: HttpRequest, bus: str, number: str) -> HttpResponse:
    """One manufacturer and OEM number: what is known, and the models in the database that carry it."""
    found = maker_search.at_address(bus, number)
    if found is None:
        raise Http404
    models = CardModel.objects.made_by(bus=found.bus, mid=found.mid, oid=found.oid)
    context = {
        "maker": found,
        "products": maker_search.products_of(found),
        "models": models[:MOST_MODELS_OF_A_MAKER],
    }
    return render(request, "submissions/maker.html", context)


def submit(request: HttpRequest) -> HttpResponse:
    """Take a report, or what another tool printed; the receipt is the submission's page. Shown first, if asked."""
    form = ReportForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        try:
            if "look" not in request.POST:
                return _receipt(request, _accept(request, form))
            context["understood"] = _understand(form)
        except ReportError as error:
            form.refuse(error)
    status = 400 if form.errors else 200
    return render(request, "submissions/submit.html", context, status=status)


def _accept(request: HttpRequest, form: ReportForm) -> ingest.Receipt:
    origin = {"channel": "page", "submitter": visitor.submitter(request)}
    given = form.handed_in()
    if pasted.looks_like_report(given):
        return tasks.accept(given, **origin)
    return tasks.accept_text(given, label=form.label(), **origin)


def _understand(form: ReportForm) -> Understanding:
    given = form.handed_in()
    form.keep_file_as_text()
    is_report = pasted.looks_like_report(given)
    return understand(given if is_report else pasted.as_report(given, label=form.label()))


@vary_on_headers("HX-Request")
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """State of a submission and what became of it; for htmx only the part that changes."""
    found = get_object_or_404(Submission.objects.recent(), public_id=public_id)
    context = {"submission": found, "delete_key": request.session.get(found.public_id)}
    if found.state == Submission.State.PROCESSED:
        context |= _outcome(found.run)
    template = "submissions/_outcome.html" if request.htmx else "submissions/submission.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def _outcome(run: Run) -> dict[str, Any]:
    card_model = run.card.variant.card_model
    return {
        "run": run,
        "model": card_model,
        "standings": Score.objects.standings(card_model, interface=run.host.interface),
        "tables": presentation.tables(run.measurements.order_by("position")),
    }


def _receipt(request: HttpRequest, receipt: ingest.Receipt) -> HttpResponse:
    """The page of the submission; the delete key is shown there to whoever handed it in, in this browser only."""
    if receipt.delete_key:
        request.session[receipt.submission.public_id] = receipt.delete_key
    return redirect(receipt.submission)


def _moved(slug: str) -> HttpResponse:
    """The page to which the cards of a vanished model have gone."""
    successor = CardModel.objects.successor(slug)
    if successor is None:
        raise Http404
    return redirect(successor, permanent=True)
