"""Name the model of a card by its label and registers, and compute the keys of its variant and specimen."""

import hashlib
import hmac
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from submissions.domain.errors import ImplausibleReport
from submissions.domain.identity import products
from submissions.domain.identity.makers import find_maker
from submissions.domain.identity.words import capacity_words, slugify
from submissions.domain.registers import Cid, Decoded
from submissions.domain.report import Card, Label

# Capacities that are sold, in decimal gigabytes: 8 MB to 128 TB, the most an SDUC card can have. A card holds 0.90
# to 1.08 of the capacity on its label.
_SOLD_GB = (*(2**n / 1000 for n in range(3, 10)), *(float(2**n) for n in range(18)))
LEAST_OF_LABEL, _MOST = 0.90, 1.08
# Products that share brand, line and size with a card, but are not cards.
_NO_CARDS = ("eMMC", "USB stick", "module")
# Forms of other products that are sold under the name of a microSD card -> the end of their names.
_APART = {form: form for form in _NO_CARDS} | {"SD": "full size"}
_LONGEST_NAME = 600


@dataclass(frozen=True, slots=True)
class ModelName:
    """The name of a model of cards, which rankings list.

    `named_from`: "label", or "registers" if the report has no label.
    """

    name: str
    slug: str
    brand: str
    line: str
    model_number: str
    capacity_gb: float | None
    named_from: str


@dataclass(frozen=True, slots=True)
class VariantKey:
    """The fields of the registers that identify the silicon of a card, which can differ between cards of one name.

    Unknown fields are None.
    """

    bus: str | None
    mid: int | None
    oid: int | None
    pnm: str | None
    prv: str | None
    capacity_bytes: int | None


def nominal_capacity_gb(capacity_bytes: int | None) -> float | None:
    """Return the capacity as sold of a card of this size, in decimal gigabytes; None if no sold capacity is near."""
    size_gb = (capacity_bytes or 0) / 1e9
    return next((size for size in _SOLD_GB if LEAST_OF_LABEL <= size_gb / size <= _MOST), None)


def name_model(card: Card, decoded: Decoded | None, *, simulated: bool = False) -> ModelName:
    """Return the model of a card by its label, else by its registers. Raise ImplausibleReport if both are missing."""
    stated_bytes = card.size_bytes or (decoded.capacity_bytes if decoded else None)
    capacity_gb = card.label.capacity_gb or nominal_capacity_gb(stated_bytes)
    if card.label.brand.strip():
        return _keep_apart(_from_label(card.label, capacity_gb), simulated=simulated)
    if decoded and decoded.cid:
        return _keep_apart(_from_registers(decoded, decoded.cid, capacity_gb), simulated=simulated)
    if decoded and decoded.readings:
        raise ImplausibleReport(
            f"The CID fits both SD and MMC ({decoded.bus_reason}): name one in card.bus.",
            field="card.bus",
            code="undecided_bus",
        )
    raise ImplausibleReport(
        "The report does not identify the card: give card.registers.cid or card.label.brand.",
        field="card",
        code="unidentified_card",
    )


def label_name(label: Label, *, simulated: bool = False) -> ModelName:
    """Return the model that a label names. Raise ImplausibleReport for a label without a brand."""
    if not label.brand.strip():
        raise ImplausibleReport("A model must have a brand.", field="brand", code="unnamed_model")
    return _keep_apart(_from_label(label, label.capacity_gb), simulated=simulated)


def name_unidentified(card: Card, *, simulated: bool = False) -> ModelName:
    """Return the model of a card by its label, else a name such as "Unidentified card 32 GB".

    It is for cards without a name, and for registers that belong to another card.
    """
    if card.label.brand.strip():
        return name_model(card, None, simulated=simulated)
    capacity_gb = card.label.capacity_gb or nominal_capacity_gb(card.size_bytes)
    kind = card.label.form if card.label.form in _NO_CARDS else "card"
    words = (f"Unidentified {kind}", card.label.model_number.strip(), capacity_words(capacity_gb))
    name = " ".join(filter(None, words))
    return _keep_apart(
        ModelName(name, slugify(name), "", "", "", capacity_gb, "registers"), simulated=simulated
    )


def variant_key(card: Card, decoded: Decoded | None) -> VariantKey:
    """Return the variant (silicon) of a card by its registers; without a CID only bus and size are known."""
    capacity = (decoded and decoded.capacity_bytes) or card.size_bytes
    if decoded is None or decoded.cid is None:
        return VariantKey(decoded.bus if decoded else card.bus, None, None, None, None, capacity)
    cid = decoded.cid
    return VariantKey(decoded.bus, cid.mid, cid.oid, cid.pnm, cid.prv, capacity)


def card_key(secret: str, *identity: bytes) -> str:
    """Return a keyed hash (HMAC-SHA-256) that recognises a single card; 24 hex digits, safe to publish.

    `identity` is the bus and the first 15 CID bytes (the last byte holds a CRC that many hosts drop), or other data
    that distinguish cards. Parts are length-prefixed, so that no two identities share a message.
    """
    message = b"".join(len(part).to_bytes(4, "big") + part for part in identity)
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()[:24]


def _from_label(label: Label, capacity_gb: float | None) -> ModelName:
    texts = label.brand, label.line, label.model_number
    form = _APART.get(label.form or "", "")
    return _name_from_texts(*texts, capacity_gb=capacity_gb, form=form)


@lru_cache(maxsize=4096)  # of one model there are many reports
def _name_from_texts(
    brand: str, line: str, number: str, *, capacity_gb: float | None, form: str
) -> ModelName:
    brand, line, number = (re.sub(r"\s+", " ", text).strip() for text in (brand, line, number))
    name = " ".join(filter(None, [brand, line, number, capacity_words(capacity_gb), form]))
    apart = (
        " as printed" if products.is_printed_so(brand, line) else ""
    )  # “EVO+” reads as “EVO Plus” in an address
    slug = slugify(name + apart)
    said = _product_name(brand, line, number, capacity_gb) or name
    said = f"{brand} card" if said == brand else said
    return ModelName(said[:_LONGEST_NAME], slug, brand, line, number, capacity_gb, "label")


def _product_name(brand: str, line: str, number: str, capacity_gb: float | None) -> str:
    """Return a name such as "Samsung EVO Plus 64 GB (2021, MB-MC64KA)"; "" unless the part number is of one product."""
    product = products.find_by_label(brand, line, number, capacity_gb)
    return product.format_name(line or product.line, number.split("/", maxsplit=1)[0]) if product else ""


def _from_registers(decoded: Decoded, cid: Cid, capacity_gb: float | None) -> ModelName:
    # Maker and OEM number go into the name: two makers may use one product name.
    product = cid.pnm or "Nameless"
    capacity = capacity_words(capacity_gb)
    maker = find_maker(cid.bus, cid.mid, cid.oid)
    whose = f"{maker.short_name} card" if maker.is_known else "Card of an unknown maker"
    oem = "" if cid.oid is None else f", OEM 0x{cid.oid:04x}"
    name = ", ".join(filter(None, (whose, capacity))) + f" ({product}{oem})"
    slug = slugify(
        f"{product} {capacity} {decoded.bus} {cid.mid:02x} {0 if cid.oid is None else cid.oid:04x}"
    )
    return ModelName(name, slug, "", "", cid.pnm, capacity_gb, "registers")


def _keep_apart(name: ModelName, *, simulated: bool) -> ModelName:
    """Return the model with a slug that a simulated and a real model never share.

    They do not share it even if the real model is named "simulated".
    """
    claims_so = name.slug.startswith("simulated-")
    if simulated == claims_so:
        return name
    return replace(name, slug=f"simulated-{name.slug}" if simulated else f"card-{name.slug}")


@dataclass(frozen=True, slots=True)
class NameCorrection:
    """A correction by people: cards of the model `slug` are of the model `to`.

    With a `silicon`, only the cards with these fields in their registers are.
    """

    slug: str
    silicon: VariantKey | None
    to: ModelName


Find = Callable[[str], Collection[NameCorrection]]


def correct(name: ModelName, silicon: VariantKey, find: Find) -> ModelName:
    """Return the name of a model after all corrections that people have made.

    `find` returns the corrections of a slug. A correction of this silicon takes precedence over one of the whole model.
    Corrections that form a circle end before they repeat.
    """
    seen: set[str] = set()
    while name.slug not in seen:
        seen.add(name.slug)
        correction = _choose_correction(find(name.slug), silicon)
        if correction is None:
            break
        name = correction.to
    return name


def _choose_correction(corrections: Collection[NameCorrection], silicon: VariantKey) -> NameCorrection | None:
    fitting = [correction for correction in corrections if correction.silicon in (silicon, None)]
    return min(fitting, key=lambda correction: correction.silicon is None, default=None)
