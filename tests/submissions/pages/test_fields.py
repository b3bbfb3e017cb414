"""Every field of every form has a label, and no text is accepted without a limit."""

import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

import pytest
from django import forms
from django.test import Client

from submissions.pages import forms as package


def every_form() -> Iterator[type[forms.Form]]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for _, made in inspect.getmembers(import_module(module.name), inspect.isclass):
            if issubclass(made, forms.Form) and made.__module__ == module.name:
                yield made


FIELDS = [
    pytest.param(field, id=f"{form.__name__}.{name}")
    for form in every_form()
    for name, field in form.base_fields.items()
]


@pytest.mark.parametrize("field", FIELDS)
def test_it_says_what_it_is_for(field: forms.Field) -> None:
    assert field.label


@pytest.mark.parametrize("field", FIELDS)
def test_it_takes_no_endless_text(field: forms.Field) -> None:
    if isinstance(field, forms.CharField) and not isinstance(field.widget, forms.PasswordInput):
        assert field.max_length


KEYS = [field for field in FIELDS if str(field.id).endswith(".key")]


@pytest.mark.parametrize("field", KEYS)
def test_no_browser_remembers_a_delete_key(field: forms.Field) -> None:
    assert field.widget.attrs["autocomplete"] == "off"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "lists"),
    [("/submit/", {"brands", "lines", "model-numbers"}), ("/filter/", {"brands"}), ("/decode/", set())],
)
def test_names_that_a_field_suggests_stand_on_its_page(client: Client, address: str, lists: set[str]) -> None:
    page = client.get(address).content.decode()
    assert set(re.findall(r'<input[^>]* list="([^"]+)"', page)) == lists
    assert lists <= set(re.findall(r'<datalist id="([^"]+)"', page))


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/filter/", "/submit/", "/decode/", "/makers/"])
def test_no_label_ends_in_a_colon(client: Client, address: str) -> None:
    assert ":</label>" not in client.get(address).content.decode()
