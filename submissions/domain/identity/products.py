"""Find products as shops sell them: part number, line, generation, print and promises, from data/products.csv.

A part number is more precise than a name: makers sell several generations under one name, and Samsung's letter after
the capacity is the generation. Part numbers are compared without punctuation and by their beginning, since the end only
denotes the packaging.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from submissions.domain import tables
from submissions.domain.identity.words import capacity_words, slugify

# Confidence of a row and its meaning, the surest first.
CONFIDENCE = {
    "log": "seen in a published log, together with its registers",
    "maker": "stated by its maker",
    "shop": "from a shop title or a parts list",
    "forum": "stated in a forum",
}
_KIND = re.compile(r"(?:micro)?sd(?:hc|xc)?(?: card)?(?: class 10)?")
_LEAST_PART = 6
_LEAST_SHAPE = 5
_PRINTED = re.compile(r"\(printed ([^)]+)\)")
_BUS = re.compile(r"\buhs-i+\b")
_MOST_FOUND = 20
_NUMBERS = ("capacity_gb", "read_mb_s", "write_mb_s", "hours_full_hd", "tbw", "warranty_years")
_SOLD = {"yes": True, "no": False, "": None}
_LEAST_LETTERS_OF_A_BEGINNING = 3


@dataclass(frozen=True, slots=True)
class Product:
    """A row of data/products.csv: a card as shops sell it. Rates are in MB/s.

    `part`: its part number, with "*" for any characters; "" if unknown. `is_sold`: whether shops sell it today
    according to `sold_source`, None if not known. The maker promises, according to `promise_source`: hours of Full HD
    recording, terabytes written, and years of warranty.
    """

    slug: str
    brand: str
    line: str
    generation: str
    part: str
    capacity_gb: float
    form: str
    marks: tuple[str, ...]
    read_mb_s: float | None
    write_mb_s: float | None
    pnm: str
    confidence: str
    source: str
    is_sold: bool | None = None
    sold_source: str = ""
    hours_full_hd: float | None = None
    tbw: float | None = None
    warranty_years: float | None = None
    promise_source: str = ""

    @property
    def promises_endurance(self) -> bool:
        """Return whether the maker promises how much may be written to the card."""
        return self.hours_full_hd is not None or self.tbw is not None

    @property
    def name(self) -> str:
        """Return the name on the box, with generation and part number: "Samsung EVO Plus 64 GB (2021, MB-MC64K)"."""
        return self.format_name(self.line_name, self.number)

    @property
    def line_name(self) -> str:
        """Return the name of the product line as printed on the box, without remarks in brackets."""
        printed = _PRINTED.search(self.line)
        return printed[1] if printed else re.split(r"[;,(]", self.line)[0].strip()

    @property
    def box_name(self) -> str:
        """Return brand, product line and size, as printed on the box."""
        return " ".join(filter(None, (self.brand, self.line_name, capacity_words(self.capacity_gb))))

    def format_name(self, line: str, number: str) -> str:
        """Return the name of the product with this spelling of its line and this part number, whole or its beginning.

        A generation that is a single letter is left out beside a part number, which shows the letter.
        """
        said = " ".join(filter(None, (self.brand, line, capacity_words(self.capacity_gb))))
        generation = (
            words
            for words in filter(None, self.generation.split(", "))
            if not number or (len(words) > 1 and not number.startswith(words))
        )
        apart = ", ".join((*generation, *filter(None, [number])))
        return f"{said} ({apart})" if apart else said

    @property
    def number(self) -> str:
        """Return the part number of the product without the wildcard at its end."""
        return self.part.rstrip("*-")

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the spellings of the product line in lower case, as printed and without remarks.

        The spelling "" is one of them if the product has no line.
        """
        plain = self.line_name.casefold()
        if _PRINTED.search(self.line):
            return (plain,)
        kind = ("",) if _KIND.fullmatch(plain) else ()
        return tuple(dict.fromkeys((plain, _BUS.sub("", plain).strip(), *kind)))

    @property
    def words(self) -> str:
        """Return the words by which a search finds the product, in lower case."""
        texts = (
            self.brand,
            self.line,
            self.generation,
            self.pnm,
            self.form,
            capacity_words(self.capacity_gb),
        )
        return " ".join((*texts, *self.marks)).lower()


@cache
def all_products() -> tuple[Product, ...]:
    """Return every product in the order of data/products.csv."""
    rows = tables.rows("products")
    slugs = _slugs(rows)
    return tuple(_product(row, slug) for row, slug in zip(rows, slugs, strict=True))


@cache
def products_by_slug() -> Mapping[str, Product]:
    return {product.slug: product for product in all_products()}


def find_by_part(part: str) -> tuple[Product, ...]:
    """Return products with a part number that begins with `part`, or with which `part` begins.

    Punctuation and case make no difference. Products of two lines may share a part number.
    """
    return tuple(product for product in all_products() if part and _has_number(product, part))


def match_parts(part: str, other: str) -> bool:
    """Return whether one part number begins with the other one.

    Punctuation and case make no difference, and "*" in `part` is any characters.
    """
    head, tail = _bare(part), _bare(other)
    return _compile_part(part)[2].match(tail) is not None or head.startswith(tail)


def find_other_sizes(words: Iterable[str]) -> tuple[Product, ...]:
    """Return products with a part number that differs from one of these words only by digits, which state the size."""
    sought = [shape for word in words if len(shape := _shape(word)) >= _LEAST_SHAPE]
    shapes = ((product, _shape(product.number)) for product in all_products())
    return tuple(
        product
        for product, shape in shapes
        if len(shape) >= _LEAST_SHAPE and any(one.startswith(shape) for one in sought)
    )


@lru_cache(maxsize=4096)
def find_by_label(brand: str, line: str, part: str, capacity_gb: float | None) -> Product | None:
    """Return the one product that fits a label with a part number; None if no or several products fit."""
    fitting = [
        product
        for product in (find_by_part(part) if part else ())
        if product.brand.casefold() == brand.casefold()
        and capacity_gb in (None, product.capacity_gb)
        and (not line or line.casefold() in product.lines)
    ]
    return fitting[0] if len(fitting) == 1 else None


@cache
def _printed_lines() -> frozenset[tuple[str, str]]:
    # Brand and line that boxes spell differently than the maker: EVO+ of 2015 is no EVO Plus of 2017.
    printed = ((product.brand, _PRINTED.search(product.line)) for product in all_products())
    return frozenset((brand.casefold(), match[1].casefold()) for brand, match in printed if match)


def is_printed_so(brand: str, line: str) -> bool:
    """Return whether this spelling of a product line denotes another generation than the usual spelling."""
    return (brand.casefold(), line.casefold()) in _printed_lines()


@lru_cache(maxsize=4096)
def find_by_name(brand: str, line: str, capacity_gb: float | None) -> tuple[Product, ...]:
    """Return the products of every generation with this brand, product line and size."""
    said = brand.casefold(), line.casefold()
    return tuple(
        product
        for product in all_products()
        if product.brand.casefold() == said[0]
        and said[1] in product.lines
        and product.capacity_gb == capacity_gb
    )


@lru_cache(maxsize=4096)
def find_by_model(
    brand: str, line: str, part: str, capacity_gb: float | None, form: str
) -> tuple[Product, ...]:
    """Return the products that a model may be: that of its part number, else all with its name, size and form."""
    one = find_by_label(brand, line, part, capacity_gb)
    if one:
        return (one,)
    return tuple(product for product in find_by_name(brand, line, capacity_gb) if form in ("", product.form))


def find_whether_sold(found: Iterable[Product]) -> bool | None:
    """Return whether shops sell these products today; None if that is unknown or if the products differ."""
    known = {product.is_sold for product in prefer_numbered(found)}
    return known.pop() if len(known) == 1 else None


def prefer_numbered(found: Iterable[Product]) -> list[Product]:
    """Return the products that have a part number, or all products if none has a part number.

    A product without a part number represents cards with an unknown part number, which may be any of the other
    products.
    """
    every = list(found)
    return [product for product in every if product.part] or every


def search_products(
    words: Iterable[str], *, least_gb: float | None = None, most_gb: float | None = None
) -> tuple[Product, ...]:
    """Return products that have every word in their name or as their part number; at most 20.

    Products that shops sell today are first, then those with the best confidence. “|” separates alternatives.
    """
    either = [part.split() for part in " ".join(words).lower().split("|") if part.strip()]
    order = list(CONFIDENCE)
    found = [
        product
        for product in all_products()
        if (least_gb is None or product.capacity_gb >= least_gb)
        and (most_gb is None or product.capacity_gb <= most_gb)
        and any(all(_has_word(product, word) for word in part) for part in either)
    ]
    found.sort(key=lambda product: (product.is_sold is not True, order.index(product.confidence)))
    return tuple(found[:_MOST_FOUND])


def _has_word(product: Product, word: str) -> bool:
    # One or two letters begin too many words, so they must be a whole word.
    end = r"(?![^\W_])" if len(word) < _LEAST_LETTERS_OF_A_BEGINNING else ""
    if re.search(rf"(?<![^\W_]){re.escape(word)}{end}", product.words):
        return True
    return _has_number(product, word)


def _has_number(product: Product, typed: str) -> bool:
    bare = _bare(typed)
    if not product.part or not bare:
        return False
    whole, head, longer = _compile_part(product.part)
    if bare == whole or len(bare) < _LEAST_PART:  # the beginning of a number must not be too short
        return bare == whole
    return head.startswith(bare) or longer.match(bare) is not None


@lru_cache(maxsize=4096)
def _bare(part: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", part.upper())


@lru_cache(maxsize=4096)
def _shape(part: str) -> str:
    """Return a part number with "#" for digits, "SDSQXA1-064G" -> "SDSQXA#G"; "" for a word without a digit."""
    shape = re.sub(r"\d+", "#", _bare(part))
    return shape if "#" in shape else ""


@cache
def _compile_part(part: str) -> tuple[str, str, re.Pattern[str]]:
    # Returns the bare part number, its beginning before "*", and a pattern with which longer part numbers begin.
    head, *rest = map(_bare, part.split("*"))
    return _bare(part), head, re.compile(".*".join(map(re.escape, (head, *filter(None, rest)))))


def _slugs(rows: Iterable[Mapping[str, str]]) -> list[str]:
    # If rows have the same words, the slug of each but the first ends in a number.
    seen: Counter[str] = Counter()
    slugs = []
    for row in rows:
        words = (
            row["brand"],
            row["line"],
            capacity_words(float(row["capacity_gb"])),
            row["generation"],
            row["part"],
        )
        slug = slugify(" ".join(filter(None, words)))
        seen[slug] += 1
        slugs.append(slug if seen[slug] == 1 else f"{slug}-{seen[slug]}")
    return slugs


def _product(row: Mapping[str, str], slug: str) -> Product:
    cells: dict[str, Any] = {name: cell for name, cell in row.items() if name not in ("mid", "oid", "sold")}
    read = {name: float(cells[name]) if cells[name] else None for name in _NUMBERS}
    marks = tuple(filter(None, row["marks"].split(",")))
    return Product(slug, **cells | read | {"marks": marks, "is_sold": _SOLD[row["sold"]]})
