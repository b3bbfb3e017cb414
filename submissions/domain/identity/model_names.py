"""Label and registers of a card -> the name of its model, the key of its variant, the key of the specimen."""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache

from submissions.domain.errors import ImplausibleReport
from submissions.domain.registers import Cid, Decoded
from submissions.domain.report import Card, Label

# Capacities that are sold, in decimal gigabytes: 8 MB to 128 TB, the most an SDUC card can have. A card holds 0.90
# to 1.08 of what its label says.
_SOLD_GB = (*(2**n / 1000 for n in range(3, 10)), *(float(2**n) for n in range(18)))
_LEAST, _MOST = 0.90, 1.08
_LONGEST_SLUG = 150
_LONGEST_NAME = 600
_TRADEMARKS = str.maketrans("", "", "®™℠©")


@dataclass(frozen=True, slots=True)
class ModelName:
    """What is ranked. `named_from`: "label", or "registers" where the report has no label."""

    name: str
    slug: str
    brand: str
    line: str
    model_number: str
    capacity_gb: float | None
    named_from: str


@dataclass(frozen=True, slots=True)
class VariantKey:
    """The silicon: same name, different variant means a different card inside. Unknown fields are None."""

    bus: str | None
    mid: int | None
    oid: int | None
    pnm: str | None
    prv: str | None
    capacity_bytes: int | None


def nominal_capacity_gb(capacity_bytes: int | None) -> float | None:
    """Capacity as sold, in decimal gigabytes; None when no sold capacity is near."""
    size_gb = (capacity_bytes or 0) / 1e9
    return next((size for size in _SOLD_GB if _LEAST <= size_gb / size <= _MOST), None)


def name_model(card: Card, decoded: Decoded | None, *, simulated: bool = False) -> ModelName:
    """The model of a card: by its label, else by its registers. Raises ImplausibleReport without either."""
    stated_bytes = card.size_bytes or (decoded.capacity_bytes if decoded else None)
    capacity_gb = card.label.capacity_gb or nominal_capacity_gb(stated_bytes)
    if card.label.brand.strip():
        return _from_label(card.label, capacity_gb, simulated=simulated)
    if decoded and decoded.cid:
        return _from_registers(decoded, decoded.cid, capacity_gb, simulated=simulated)
    if decoded and decoded.readings:
        raise ImplausibleReport(
            f"The CID can be read as SD and as MMC ({decoded.bus_reason}): say which in card.bus.",
            field="card.bus",
            code="undecided_bus",
        )
    raise ImplausibleReport(
        "The report does not say which card this is: give card.registers.cid, or card.label.brand.",
        field="card",
        code="unidentified_card",
    )


def label_name(label: Label, *, simulated: bool = False) -> ModelName:
    """The model of what a label says. Raises ImplausibleReport without a brand."""
    if not label.brand.strip():
        raise ImplausibleReport("A model needs a brand.", field="brand", code="unnamed_model")
    return _from_label(label, label.capacity_gb, simulated=simulated)


def unidentified(card: Card, *, simulated: bool = False) -> ModelName:
    """The model of a card whose registers belong to another card: by its label, else "Unidentified card 32 GB"."""
    if card.label.brand.strip():
        return name_model(card, None, simulated=simulated)
    capacity_gb = nominal_capacity_gb(card.size_bytes)
    name = f"Unidentified card {capacity_words(capacity_gb)}".strip()
    slug = _model_slug(name, simulated=simulated)
    return ModelName(name, slug, "", "", "", capacity_gb, "registers")


def variant_key(card: Card, decoded: Decoded | None) -> VariantKey:
    """The variant, from the registers; without a CID only bus and size are known."""
    capacity = (decoded and decoded.capacity_bytes) or card.size_bytes
    if decoded is None or decoded.cid is None:
        return VariantKey(decoded.bus if decoded else card.bus, None, None, None, None, capacity)
    cid = decoded.cid
    return VariantKey(decoded.bus, cid.mid, cid.oid, cid.pnm, cid.prv, capacity)


def card_key(secret: str, *identity: bytes) -> str:
    """Keyed hash (HMAC-SHA-256) by which a specimen is recognised again; 24 hex digits, safe to publish.

    `identity` is bus and the first 15 CID bytes (the last holds a CRC that many hosts drop), or whatever else tells
    specimens apart. Parts are length-prefixed, so that no two identities share a message.
    """
    message = b"".join(len(part).to_bytes(4, "big") + part for part in identity)
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()[:24]


def capacity_words(capacity_gb: float | None) -> str:
    """ "32 GB", "512 MB", "1 TB", or "" when unknown."""
    if capacity_gb is None:
        return ""
    if capacity_gb < 1:
        return f"{capacity_gb * 1000:g} MB"
    if capacity_gb < 1000:
        return f"{capacity_gb:g} GB"
    # A terabyte is printed on cards of 1024 GB; people who copy the label call it 1000.
    return f"{capacity_gb / (1000 if capacity_gb % 1000 == 0 else 1024):g} TB"


def _from_label(label: Label, capacity_gb: float | None, *, simulated: bool) -> ModelName:
    texts = label.brand, label.line, label.model_number
    return _labelled(*texts, capacity_gb=capacity_gb, simulated=simulated)


@lru_cache(maxsize=4096)  # of one model there are many reports
def _labelled(brand: str, line: str, number: str, *, capacity_gb: float | None, simulated: bool) -> ModelName:
    brand, line, number = (re.sub(r"\s+", " ", text).strip() for text in (brand, line, number))
    name = " ".join(filter(None, [brand, line, number, capacity_words(capacity_gb)]))
    slug = _model_slug(name, simulated=simulated)
    return ModelName(name[:_LONGEST_NAME], slug, brand, line, number, capacity_gb, "label")


def _from_registers(decoded: Decoded, cid: Cid, capacity_gb: float | None, *, simulated: bool) -> ModelName:
    """Maker and OEM number go into the name: two makers may use one product name."""
    product = cid.pnm or "Nameless"
    capacity = capacity_words(capacity_gb)
    name = f"{product} {capacity}".strip() + f" ({cid.mid:02x}/{cid.oid_text or '-'})"
    slug = _model_slug(
        f"{product} {capacity} {decoded.bus} {cid.mid:02x} {0 if cid.oid is None else cid.oid:04x}",
        simulated=simulated,
    )
    return ModelName(name, slug, "", "", cid.pnm, capacity_gb, "registers")


def _model_slug(text: str, *, simulated: bool) -> str:
    """Simulated cards never share a model with real ones, whatever a real one calls itself."""
    slug = slugify(text)
    claims_so = slug.startswith("simulated-")
    if simulated == claims_so:
        return slug
    return f"simulated-{slug}" if simulated else f"card-{slug}"


def slugify(text: str) -> str:
    """Lower-case ASCII words joined by hyphens.

    Case, accents on Latin letters, punctuation and trademark signs make no difference, and "+" is "plus". Every
    other letter is kept as its code point, so that names in other scripts do not meet.
    """
    plain = unicodedata.normalize("NFKD", text.translate(_TRADEMARKS)).casefold().replace("+", " plus ")
    unaccented = re.sub(r"(?<=[a-z])[\u0300-\u036f]+", "", plain)
    ascii_only = "".join(c if c.isascii() else f"-u{ord(c):x}-" for c in unaccented)
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-") or "nameless"
    if len(slug) <= _LONGEST_SLUG:
        return slug
    return f"{slug[:_LONGEST_SLUG]}-{hashlib.sha256(slug.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class NameCorrection:
    """Cards of the model `slug`, or only those with this `silicon`, belong to the model `to`."""

    slug: str
    silicon: VariantKey | None
    to: ModelName


Find = Callable[[str], Collection[NameCorrection]]


def correct(name: ModelName, silicon: VariantKey, find: Find) -> ModelName:
    """`name` after all corrections that people have made; `find` gives the corrections of a slug.

    A correction of this silicon wins over one of the whole model. Corrections that run in a circle
    end where they would begin to repeat.
    """
    seen: set[str] = set()
    while name.slug not in seen:
        seen.add(name.slug)
        correction = _for_silicon(find(name.slug), silicon)
        if correction is None:
            break
        name = correction.to
    return name


def _for_silicon(corrections: Collection[NameCorrection], silicon: VariantKey) -> NameCorrection | None:
    """The correction of this silicon, else that of the whole model, else None."""
    fitting = [correction for correction in corrections if correction.silicon in (silicon, None)]
    return min(fitting, key=lambda correction: correction.silicon is None, default=None)
