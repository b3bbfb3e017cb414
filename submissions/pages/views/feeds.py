"""Serve Atom feeds (everything, a model, a search, a first place) and the sitemap."""

from django.contrib.sitemaps import Sitemap
from django.contrib.syndication.views import Feed
from django.db.models import QuerySet, Value
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _

from submissions.domain.identity import products
from submissions.domain.ranking import boards
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Performance, Submission
from submissions.pages.content.finding_lines import list_findings
from submissions.pages.forms.finder_form import FinderForm
from submissions.pages.views.best_page import find_wish

NEWEST = 50


class _Newest(Feed):
    """A base class of Atom feeds of processed submissions, the newest first."""

    feed_type = Atom1Feed
    author_name = "flashdb"  # which Atom requires

    def item_title(self, item: Submission) -> str:
        return _("%(model)s, measured with %(tool)s") % {
            "model": item.run.card.variant.card_model.name,
            "tool": item.run.tool,
        }

    def item_description(self, item: Submission) -> str:
        words = {"model": item.run.card.variant.card_model.name, "host": item.run.host}
        first = (one.sentence for one in list_findings(item.run.findings[:1]))
        return " ".join((*first, _("A new test of %(model)s, in %(host)s.") % words))

    def item_link(self, item: Submission) -> str:
        return reverse("run", args=[item.public_id])

    def item_pubdate(self, item: Submission) -> object:
        return item.received_at

    item_updateddate = item_pubdate


class Everything(_Newest):
    link = "/"

    def title(self) -> str:
        return _("flashdb: latest tests")

    def items(self) -> QuerySet[Submission]:
        return Submission.objects.published()[:NEWEST]


class OfModel(_Newest):
    def get_object(self, request: HttpRequest, slug: str) -> CardModel:
        return get_object_or_404(CardModel, slug=slug)

    def title(self, model: CardModel) -> str:
        return f"flashdb: {model.name}"

    def link(self, model: CardModel) -> str:
        return model.get_absolute_url()

    def items(self, model: CardModel) -> QuerySet[Submission]:
        return Submission.objects.published().filter(run__card__variant__card_model=model)[:NEWEST]


class OfSearch(_Newest):
    """An Atom feed of the runs of all models that the search with this URL query lists."""

    def get_object(self, request: HttpRequest) -> HttpRequest:
        return request

    def title(self, request: HttpRequest) -> str:
        return _("flashdb: a search")

    def link(self, request: HttpRequest) -> str:
        return f"{reverse('finder')}?{request.GET.urlencode()}"

    def items(self, request: HttpRequest) -> QuerySet[Submission]:
        wanted = Performance.objects.wanted(FinderForm(request.GET).wish()).values("card_model")
        return Submission.objects.published().filter(run__card__variant__card_model__in=wanted)[:NEWEST]


class OfFirstPlace(_Newest):
    """An Atom feed with an entry for each model that takes the first place for a use on a board.

    The id of an entry is the URL of the model, so that a further test of the model is no new entry.
    """

    def get_object(self, request: HttpRequest, board: str, use: str) -> Wish:
        return find_wish(board, use)

    def title(self, wish: Wish) -> str:
        return f"flashdb: {wish.board.title}, {wish.use.title}"

    def link(self, wish: Wish) -> str:
        return reverse("best", args=[wish.board.slug, wish.use.name])

    def items(self, wish: Wish) -> QuerySet[Submission]:
        proven = Performance.objects.wanted(wish).proven(wish.use)
        first = proven.values("card_model")[:1]
        tests = Submission.objects.published().filter(run__card__variant__card_model__in=first)
        return tests.annotate(query=Value(f"board={wish.board.slug}&use={wish.use.name}"))[:1]

    def item_title(self, item: Submission) -> str:
        return _("New number one: %(name)s") % {"name": item.run.card.variant.card_model.name}

    def item_link(self, item: Submission) -> str:
        # It is also the id of the entry.
        query: str = item.query  # type: ignore[attr-defined]
        return f"{item.run.card.variant.card_model.get_absolute_url()}?{query}"


class Pages(Sitemap):
    def items(self) -> list[str]:
        named = (
            "finder",
            "boards",
            "makers",
            "sources",
            "quirks",
            "decode",
            "submit",
            "about",
            "tour",
            "glossary",
            "statistics",
        )
        return [*map(reverse, named), *(reverse("board", args=[slug]) for slug in boards.all_boards())]

    def location(self, item: str) -> str:
        return item


class Models(Sitemap):
    limit = 1_000  # of one file: 40 ms of processor

    def items(self) -> QuerySet[CardModel]:
        return CardModel.objects.real().order_by("pk")


class Products(Pages):
    def items(self) -> list[str]:
        return [reverse("product", args=[slug]) for slug in products.products_by_slug()]


SITEMAPS = {"pages": Pages, "models": Models, "products": Products}
