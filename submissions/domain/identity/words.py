"""Write capacities in words, and names as parts of web addresses."""

import hashlib
import re
import unicodedata

_LONGEST_SLUG = 150
# Words on labels without a brand, in lower case. Two cards with such a label are different products.
NO_BRANDS = ("", "unbranded", "no name", "noname", "generic", "unknown")
_TRADEMARKS = str.maketrans("", "", "®™℠©")


def capacity_words(capacity_gb: float | None) -> str:
    """Return a capacity in words: "32 GB", "512 MB", "1 TB"; "" if unknown."""
    if capacity_gb is None:
        return ""
    if capacity_gb < 1:
        return f"{capacity_gb * 1000:g} MB"
    if capacity_gb < 1000:
        return f"{capacity_gb:g} GB"
    # A terabyte is printed on cards of 1024 GB; people who copy the label call it 1000.
    return f"{capacity_gb / (1000 if capacity_gb % 512 else 1024):g} TB"


def slugify(text: str) -> str:
    """Return a text as lower-case ASCII words joined by hyphens.

    Case, accents on Latin letters, punctuation and trademark signs make no difference, and "+" is "plus". Every other
    letter is kept as its code point, so that names in other scripts stay different.
    """
    plain = unicodedata.normalize("NFKD", text.translate(_TRADEMARKS)).casefold().replace("+", " plus ")
    unaccented = re.sub(r"(?<=[a-z])[\u0300-\u036f]+", "", plain)
    ascii_only = "".join(c if c.isascii() else f"-u{ord(c):x}-" for c in unaccented)
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-") or "nameless"
    if len(slug) <= _LONGEST_SLUG:
        return slug
    return f"{slug[:_LONGEST_SLUG]}-{hashlib.sha256(slug.encode()).hexdigest()[:8]}"
