"""Check Atom feeds against RFC 4287: sections 3.3 and 4.1, RFC 3339 for times, RFC 3986 for URLs."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

ATOM = "{http://www.w3.org/2005/Atom}"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
# Ids are addresses or tags; a URN needs a registered namespace.
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+|tag:[\w.-]+,\d{4}(-\d\d(-\d\d)?)?:\S+")
_ONCE = ("id", "title", "updated")
_AT_MOST_ONCE = (
    "generator",
    "icon",
    "logo",
    "published",
    "rights",
    "subtitle",
    "summary",
    "content",
    "source",
)


def list_errors(content: bytes) -> list[str]:
    """Return the errors of an Atom feed, each as a sentence."""
    feed = ElementTree.fromstring(content)
    if feed.tag != f"{ATOM}feed":
        return [f"the root is {feed.tag}"]
    entries = feed.findall(f"{ATOM}entry")
    errors = [*_check(feed), *(error for entry in entries for error in _check(entry))]
    if feed.find(f"{ATOM}author") is None and any(
        entry.find(f"{ATOM}author") is None for entry in entries or [feed]
    ):
        errors.append("the feed has no author")
    if not any(link.get("rel") == "self" for link in feed.findall(f"{ATOM}link")):
        errors.append("the feed has no link to itself")
    versions = [(entry.findtext(f"{ATOM}id"), entry.findtext(f"{ATOM}updated")) for entry in entries]
    if len(set(versions)) < len(versions):
        errors.append("two entries have the same id and time")
    return errors


def _check(element: Element) -> Iterator[str]:
    names = [child.tag.removeprefix(ATOM) for child in element]
    yield from (f"{names.count(name)} times {name}" for name in _ONCE if names.count(name) != 1)
    yield from (f"{names.count(name)} times {name}" for name in _AT_MOST_ONCE if names.count(name) > 1)
    for child in element.iter():
        name, text = child.tag.removeprefix(ATOM), child.text or ""
        if name in ("updated", "published") and not _TIME.fullmatch(text):
            yield f"{name} is {text!r}"
        if name == "id" and not _ADDRESS.fullmatch(text):
            yield f"id is {text!r}"
        if name == "link" and not _ADDRESS.fullmatch(child.get("href", "")):
            yield f"a link leads to {child.get('href')!r}"
        if name == "author" and not (child.findtext(f"{ATOM}name") or "").strip():
            yield "an author has no name"
        if name == "title" and not text.strip():
            yield "a title is empty"
