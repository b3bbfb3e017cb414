"""Answer a search for a product that was not tested for a use: its facts, its promises, and similar cards."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.identity import products
from submissions.domain.identity.endurance import find_endurance
from submissions.domain.identity.products import Product
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.catalogue_names import is_brand
from submissions.evidence import places
from submissions.evidence.same_line import find_same_line
from submissions.models import CardModel
from submissions.pages import wording
from submissions.pages.content import advice_rows, advice_words
from submissions.pages.content.advice_rows import Row


class ProductAnswer(NamedTuple):
    """All known facts about a product, in words.

    name       the name on the box
    versions   the number of products with this name, and the names of those that shops sell today
    promises   promises of the maker: speed, marks, endurance
    tested     tested models of this name, which the search does not list
    nearest    rows of tested models of the same line
    """

    product: Product
    name: str
    versions: str
    promises: tuple[str, ...]
    tested: tuple[CardModel, ...]
    nearest: tuple[Row, ...]


def answer_product(found: Sequence[Product], wish: Wish) -> ProductAnswer | None:
    """Return the facts about the product that a search most likely means: it fits, is sold, has most promises.

    Three queries. Return None if the words of the search name several lines or sizes, or only a brand.
    """
    meant = _find_meant(wish.words, found)
    if not meant or is_brand(wish.words):
        return None
    product = min(meant, key=lambda one: _rank(one, wish))
    alike = products.find_by_name(product.brand, product.lines[0], product.capacity_gb)
    rows, _axis = advice_rows.make_rows(places.advise(find_same_line(product, wish), wish), wish.board)
    return ProductAnswer(
        product=product,
        name=product.box_name,
        versions=_describe_versions(alike),
        promises=tuple(_list_promises(product)),
        tested=tuple(CardModel.objects.called(*alike)),
        nearest=tuple(rows),
    )


def _find_meant(words: str, found: Sequence[Product]) -> Sequence[Product]:
    named = [
        one for one in found if any(_simplify(f"{one.brand} {line}") == words for line in one.lines)
    ] or found
    is_one_line = bool(found) and bool(set.intersection(*(set(one.lines) for one in named)))
    return named if is_one_line and len({one.capacity_gb for one in named}) == 1 else ()


def _simplify(name: str) -> str:
    # As the words of a search: in lower case, without the “!” of some names.
    return name.casefold().replace("!", "").strip()


def _rank(product: Product, wish: Wish) -> tuple[bool, bool, int]:
    return not wish.board.takes(product.form), product.is_sold is not True, -len(_list_promises(product))


def _describe_versions(alike: Sequence[Product]) -> str:
    sold = [product.name for product in alike if product.is_sold]
    count = ngettext("%(count)s product has this name.", "%(count)s products have this name.", len(alike))
    words = [count % {"count": len(alike)}]
    if sold:
        words.append(_("Shops sell %(names)s.") % {"names": ", ".join(sold)})
    elif products.find_whether_sold(alike) is False:
        words.append(_("Shops no longer sell it."))
    return " ".join(words)


def _list_promises(product: Product) -> list[str]:
    endurance = find_endurance([product])
    rates = (
        (product.read_mb_s, _("reads at up to %(rate)s")),
        (product.write_mb_s, _("writes at up to %(rate)s")),
    )
    promised = [words % {"rate": wording.amount(rate * 1e6, "B/s")} for rate, words in rates if rate]
    promised += [", ".join(product.marks)] if product.marks else []
    promised += [advice_words.describe_endurance(endurance)] if endurance else []
    return promised
