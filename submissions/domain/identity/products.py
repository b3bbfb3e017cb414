"""Products as shops sell them: part number, line, generation, what is printed on them and promised. Rows of
data/products.csv.

A part number tells more than a name: makers sell several generations under one name, and Samsung's letter after the
capacity is the generation. Part numbers compare without punctuation, by their beginning: what follows is packaging.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from submissions.domain import tables
from submissions.domain.identity.words import capacity_words, slugify

# How far a row is to be trusted, the surest first.
CONFIDENCE = {
    "log": "seen in a published log together with its registers",
    "maker": "stated by its maker",
    "shop": "shop title or parts list",
    "forum": "said in a forum",
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
    """One row. `part`: its part number, "*" where anything may stand; "" where nobody told it. Rates in MB/s.

    `is_sold`: whether shops sell it today, by `sold_source`, None if it is not known. Promises of the maker, by
    `promise_source`: hours of Full HD recording, terabytes written, and years of warranty.
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
        """Return whether its maker promises how much may be written to it."""
        return self.hours_full_hd is not None or self.tbw is not None

    @property
    def name(self) -> str:
        """What the box says, with what tells it from others of its name: "Samsung EVO Plus 64 GB (2021, MB-MC64K)"."""
        return self.called(self.line_name, self.number)

    @property
    def line_name(self) -> str:
        """Return the name of the line as printed on the box, without remarks in brackets."""
        printed = _PRINTED.search(self.line)
        return printed[1] if printed else re.split(r"[;,(]", self.line)[0].strip()

    @property
    def box_name(self) -> str:
        """Return brand, line and size, as the box says them."""
        return " ".join(filter(None, (self.brand, self.line_name, capacity_words(self.capacity_gb))))

    def called(self, line: str, number: str) -> str:
        """The name with this spelling of the line and this much of the part number, which shows single letters, too."""
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
        """Its part number without what may be anything at its end."""
        return self.part.rstrip("*-")

    @property
    def lines(self) -> tuple[str, ...]:
        """Its line in lower case as the print says it, and without what is said beside it; "" where it names none."""
        plain = self.line_name.casefold()
        if _PRINTED.search(self.line):
            return (plain,)
        kind = ("",) if _KIND.fullmatch(plain) else ()
        return tuple(dict.fromkeys((plain, _BUS.sub("", plain).strip(), *kind)))

    @property
    def words(self) -> str:
        """What a search finds, in lower case."""
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
    """Every row, in the order of the table."""
    rows = tables.rows("products")
    slugs = _slugs(rows)
    return tuple(_product(row, slug) for row, slug in zip(rows, slugs, strict=True))


@cache
def by_slug() -> Mapping[str, Product]:
    return {product.slug: product for product in all_products()}


def numbered(part: str) -> tuple[Product, ...]:
    """Products whose part number begins so, or with which this one begins; punctuation and case make no difference.

    One number may be of two lines: all are told.
    """
    return tuple(product for product in all_products() if part and _is_number(product, part))


def agree(part: str, other: str) -> bool:
    """Return whether one part number begins with the other; punctuation and case make no difference, * is anything."""
    head, tail = _bare(part), _bare(other)
    return _spelled(part)[2].match(tail) is not None or head.startswith(tail)


def of_another_size(words: Iterable[str]) -> tuple[Product, ...]:
    """Products with the number that one of these words is, but for its digits, which tell the size."""
    sought = [shape for word in words if len(shape := _shape(word)) >= _LEAST_SHAPE]
    shapes = ((product, _shape(product.number)) for product in all_products())
    return tuple(
        product
        for product, shape in shapes
        if len(shape) >= _LEAST_SHAPE and any(one.startswith(shape) for one in sought)
    )


@lru_cache(maxsize=4096)
def of_label(brand: str, line: str, part: str, capacity_gb: float | None) -> Product | None:
    """The one product that a label with a part number is of; None where it is of none, or of several."""
    fitting = [
        product
        for product in (numbered(part) if part else ())
        if product.brand.casefold() == brand.casefold()
        and capacity_gb in (None, product.capacity_gb)
        and (not line or line.casefold() in product.lines)
    ]
    return fitting[0] if len(fitting) == 1 else None


@cache
def _printed() -> frozenset[tuple[str, str]]:
    """(brand, line) that boxes print otherwise than the maker spells them: EVO+ of 2015 is no EVO Plus of 2017."""
    printed = ((product.brand, _PRINTED.search(product.line)) for product in all_products())
    return frozenset((brand.casefold(), match[1].casefold()) for brand, match in printed if match)


def is_printed_so(brand: str, line: str) -> bool:
    """Whether this spelling of a line is of another generation than the name it would read as."""
    return (brand.casefold(), line.casefold()) in _printed()


@lru_cache(maxsize=4096)
def named(brand: str, line: str, capacity_gb: float | None) -> tuple[Product, ...]:
    """Every product of this name and size, whatever its generation."""
    said = brand.casefold(), line.casefold()
    return tuple(
        product
        for product in all_products()
        if product.brand.casefold() == said[0]
        and said[1] in product.lines
        and product.capacity_gb == capacity_gb
    )


@lru_cache(maxsize=4096)
def of_model(brand: str, line: str, part: str, capacity_gb: float | None, form: str) -> tuple[Product, ...]:
    """Return the products that a model may be: that of its part number, else all of its name, size and form."""
    one = of_label(brand, line, part, capacity_gb)
    if one:
        return (one,)
    return tuple(product for product in named(brand, line, capacity_gb) if form in ("", product.form))


def find_whether_sold(found: Iterable[Product]) -> bool | None:
    """Return True if shops sell these products, False if they do not, None if unknown or if the products differ."""
    known = {product.is_sold for product in prefer_numbered(found)}
    return known.pop() if len(known) == 1 else None


def prefer_numbered(found: Iterable[Product]) -> list[Product]:
    """Return the products that have a part number, or all products if none has one.

    A product without one stands for cards whose part number was not seen: they may be of any of the others.
    """
    every = list(found)
    return [product for product in every if product.part] or every


def matching(
    words: Iterable[str], *, least_gb: float | None = None, most_gb: float | None = None
) -> tuple[Product, ...]:
    """Return products that hold every word, in their name or as their part number; at most 20.

    Those that shops sell today are first, then the surest. “|” stands between words of which either will do.
    """
    either = [part.split() for part in " ".join(words).lower().split("|") if part.strip()]
    order = list(CONFIDENCE)
    found = [
        product
        for product in all_products()
        if (least_gb is None or product.capacity_gb >= least_gb)
        and (most_gb is None or product.capacity_gb <= most_gb)
        and any(all(_holds(product, word) for word in part) for part in either)
    ]
    found.sort(key=lambda product: (product.is_sold is not True, order.index(product.confidence)))
    return tuple(found[:_MOST_FOUND])


def _holds(product: Product, word: str) -> bool:
    """That one of its words begins so, or is so where one or two letters begin too many; or its part number."""
    end = r"(?![^\W_])" if len(word) < _LEAST_LETTERS_OF_A_BEGINNING else ""
    if re.search(rf"(?<![^\W_]){re.escape(word)}{end}", product.words):
        return True
    return _is_number(product, word)


def _is_number(product: Product, typed: str) -> bool:
    """A short number must be told whole."""
    bare = _bare(typed)
    if not product.part or not bare:
        return False
    whole, head, longer = _spelled(product.part)
    if bare == whole or len(bare) < _LEAST_PART:
        return bare == whole
    return head.startswith(bare) or longer.match(bare) is not None


@lru_cache(maxsize=4096)
def _bare(part: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", part.upper())


@lru_cache(maxsize=4096)
def _shape(part: str) -> str:
    """ "SDSQXA1-064G" -> "SDSQXA#G"; "" for a word without a digit."""
    shape = re.sub(r"\d+", "#", _bare(part))
    return shape if "#" in shape else ""


@cache
def _spelled(part: str) -> tuple[str, str, re.Pattern[str]]:
    """(a part number bare, how it begins, what longer ones begin with); "*" stands for anything."""
    head, *rest = map(_bare, part.split("*"))
    return _bare(part), head, re.compile(".*".join(map(re.escape, (head, *filter(None, rest)))))


def _slugs(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """An address for each row; of rows that read alike each but the first ends in its number."""
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
