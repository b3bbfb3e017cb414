"""What is sold under the name of a model, what its maker promises, who measured it, and what a Pi 5 makes of it."""

from collections.abc import Mapping
from typing import NamedTuple

from submissions.domain.identity import products
from submissions.domain.identity.products import Product
from submissions.domain.identity.suspicions.quirks import Queueing
from submissions.models import AbilityEstimate, CardModel, Run
from submissions.pages import wording

# Abilities by which promises of reading and writing are checked, the best first.
_READ = ("large_reads_express", "large_reads")
_WRITE = ("large_writes_express", "large_writes")


class Sold(NamedTuple):
    """`products`: rows of the table of products with its name. `read`, `write`: what was measured where no slot is in
    the way, in words; "" where it was not. `sources`: (slug, title) of who published. `queueing`: different answers of
    its cards."""

    products: tuple[Product, ...]
    read: str
    write: str
    sources: tuple[tuple[str, str], ...]
    queueing: tuple[Queueing, ...]


def of_model(model: CardModel, estimates: Mapping[str, AbilityEstimate]) -> Sold:
    """Of a model `with_variants`, and its abilities where no slot is in the way; one query."""
    return Sold(
        products=_products(model),
        read=_measured(estimates, _READ),
        write=_measured(estimates, _WRITE),
        sources=tuple(Run.objects.sources_of(model)),
        queueing=tuple(dict.fromkeys(one for kind in model.variants.all() for one in kind.queueing)),
    )


def _products(model: CardModel) -> tuple[Product, ...]:
    """The one of its part number, else every one of its name and, where it is known, its form."""
    label = model.brand, model.line, model.model_number, model.capacity_gb
    one = products.of_label(*label)
    named = products.named(model.brand, model.line, model.capacity_gb)
    return (one,) if one else tuple(product for product in named if model.form in ("", product.form))


def _measured(estimates: Mapping[str, AbilityEstimate], abilities: tuple[str, ...]) -> str:
    found = next((estimates[name] for name in abilities if name in estimates), None)
    if found is None:
        return ""
    words = wording.amount(found.median, "B/s")
    return words if found.level_known else f"≥ {words}"
