"""What programs follow: Atom feeds of everything, of one model and of one search, and the sitemap."""

import hashlib
from urllib.parse import urlencode

from django.contrib.sitemaps import Sitemap
from django.contrib.syndication.views import Feed
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _

from submissions.domain.identity import products
from submissions.domain.ranking import boards
from submissions.following import outbox
from submissions.following.kinds import KINDS, UnknownSubject, state_of
from submissions.models import CardModel, Event, Followed, Score, Submission
from submissions.models.ranking import conditions
from submissions.pages.forms.finder import FinderForm
from submissions.pages.forms.following import subject_of

NEWEST = 50


class _Newest(Feed):
    """Processed submissions, newest first."""

    feed_type = Atom1Feed

    def item_title(self, item: Submission) -> str:
        return _("%(model)s, measured with %(tool)s") % {
            "model": item.run.card.variant.card_model.name,
            "tool": item.run.tool,
        }

    def item_description(self, item: Submission) -> str:
        return _("A new test of %(model)s, in %(host)s.") % {
            "model": item.run.card.variant.card_model.name,
            "host": item.run.host,
        }

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
    """Runs of the models that the finder lists for this address."""

    def get_object(self, request: HttpRequest) -> HttpRequest:
        return request

    def title(self, request: HttpRequest) -> str:
        return _("flashdb: a search")

    def link(self, request: HttpRequest) -> str:
        return f"{reverse('finder')}?{request.GET.urlencode()}"

    def items(self, request: HttpRequest) -> QuerySet[Submission]:
        wanted = Score.objects.filter(conditions(FinderForm(request.GET).wish())).values("card_model")
        return Submission.objects.published().filter(run__card__variant__card_model__in=wanted)[:NEWEST]


class OfFollowed(Feed):
    """What changed of something that is followed; of what nobody follows yet, how it stands."""

    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest) -> Followed:
        own = subject_of(request.GET)
        try:
            state = state_of(**own)
        except UnknownSubject as error:
            raise Http404 from error
        return Followed.objects.filter(**own).first() or Followed(**own, state=state.key)

    def title(self, followed: Followed) -> str:
        return f"flashdb: {KINDS[followed.kind].title}"

    def link(self, followed: Followed) -> str:
        return f"{reverse('follow')}?{urlencode({'kind': followed.kind, 'subject': followed.subject})}"

    def items(self, followed: Followed) -> list[Event]:
        events = list(followed.events.order_by("-pk")[:NEWEST]) if followed.pk else []
        return events or _as_it_is(followed)

    def item_title(self, item: Event) -> str:
        return outbox.words(item)

    item_description = item_title

    def item_link(self, item: Event) -> str:
        return item.path

    def item_guid(self, item: Event) -> str:
        number = item.pk or hashlib.sha256(item.followed.state.encode()).hexdigest()[:12]
        return f"urn:flashdb:{item.followed.kind}:{number}"

    def item_updateddate(self, item: Event) -> object:
        return item.happened_at


def _as_it_is(followed: Followed) -> list[Event]:
    state = state_of(followed.kind, followed.subject)
    now = Event(followed=followed, name=state.name, path=state.path, happened_at=state.since)
    return [now] if state.key else []


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


class Products(Sitemap):
    def items(self) -> list[str]:
        return list(products.by_slug())

    def location(self, item: str) -> str:
        return reverse("product", args=[item])


SITEMAPS = {"pages": Pages, "models": Models, "products": Products}
