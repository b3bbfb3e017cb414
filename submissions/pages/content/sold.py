"""Load the products that a model may be, with measured rates, sources of results, and command queues on a Pi 5."""

from collections.abc import Mapping
from typing import Any

from submissions.models import AbilityEstimate, CardModel, Run
from submissions.pages import wording

# Abilities by which promises of reading and writing are checked, the best first.
_READ = ("large_reads_express", "large_reads")
_WRITE = ("large_writes_express", "large_writes")


def load_sold(model: CardModel, estimates: Mapping[str, AbilityEstimate]) -> dict[str, Any]:
    """Return the products that a model may be, with facts beside them; one query. Load the model `with_variants`.

    read, write   measured rates without the limit of a slot, in words; "" if they were not measured
    sources       (slug, title) of the sources of published results
    queueing      the ways in which a Raspberry Pi 5 uses the command queue of the model's cards
    """
    return {
        "products": model.products,
        "read": _write_rate(estimates, _READ),
        "write": _write_rate(estimates, _WRITE),
        "sources": Run.objects.sources_of(model),
        "queueing": list(dict.fromkeys(one for kind in model.variants.all() for one in kind.queueing)),
    }


def _write_rate(estimates: Mapping[str, AbilityEstimate], abilities: tuple[str, ...]) -> str:
    found = next((estimates[name] for name in abilities if name in estimates), None)
    if found is None:
        return ""
    words = wording.amount(found.median, "B/s")
    return words if found.level_known else f"≥ {words}"
