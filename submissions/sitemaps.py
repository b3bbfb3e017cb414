"""Which pages there are, for search engines."""

from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.urls import reverse

from submissions.domain.ranking import boards
from submissions.models import CardModel


class Pages(Sitemap):
    def items(self) -> list[str]:
        named = ("finder", "boards", "makers", "decode", "submit", "about", "tour", "statistics")
        return [*map(reverse, named), *(reverse("board", args=[slug]) for slug in boards.all_boards())]

    def location(self, item: str) -> str:
        return item


class Models(Sitemap):
    limit = 10_000

    def items(self) -> QuerySet[CardModel]:
        return CardModel.objects.real().order_by("pk")


SITEMAPS = {"pages": Pages, "models": Models}
