"""Every kind of page is valid HTML for a parser that follows the standard."""

import html5lib
import pytest
from django.test import Client

from submissions.writing import ingest
from tests.factories import body
from tests.submissions.pages.test_languages import PAGES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def cards() -> None:
    """Store cards of the models that the tested pages show."""
    ingest.process(ingest.receive(body(), channel="web", submitter="person").submission.pk)


def find_errors(page: str) -> list[str]:
    """Return the errors in the HTML of a page, each with its line."""
    parser = html5lib.HTMLParser()
    parser.parse(page)
    return [
        f"line {line}: {code} {page.splitlines()[line - 1][:120]}" for (line, _), code, _ in parser.errors
    ]


def test_an_error_is_found() -> None:
    assert find_errors("<!DOCTYPE html><title>x</title><p><table><tr><p>") != []


@pytest.mark.parametrize("address", PAGES)
def test_it_is_html_without_errors(client: Client, address: str) -> None:
    assert find_errors(client.get(address, follow=True).content.decode()) == []
