"""The markup of templates follows the rules of ARIA."""

import re

from tests.conftest import PROJECT

# Elements without a role of their own, which ARIA forbids to name.
GENERIC = re.compile(r"<(?:pre|div|span|p|code)\b[^>]*\baria-label=[^>]*>")


def test_only_an_element_with_a_role_has_a_name() -> None:
    found = [
        (path.name, tag)
        for path in (PROJECT / "templates").rglob("*.html")
        for tag in GENERIC.findall(path.read_text(encoding="utf-8"))
    ]
    assert [(name, tag) for name, tag in found if "role=" not in tag] == []
    assert found, "the pattern finds those that have one"
