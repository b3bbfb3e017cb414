"""The page of methods shows every row of the tables of rules, figures, abilities and uses."""

from html import unescape

import pytest
from django.test import Client

from submissions.domain.measuring import metrics, plausibility
from submissions.domain.ranking import order
from submissions.domain.ranking.uses import all_uses
from submissions.pages.content import methods

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client: Client) -> str:
    response = client.get("/methods/")
    assert response.status_code == 200
    return unescape(response.content.decode())


def test_it_works(page: str) -> None:
    assert "How we measure" in page
    for formula in (
        "log value = level + model + strangers",
        "P(first better) = Phi(",
        "t = (c_a - c_b) / error",
    ):
        assert formula in page


def test_every_rule_stands_there_with_an_address(page: str) -> None:
    for rule in plausibility.RULES:
        assert f'id="rule-{rule.name}"' in page
        assert rule.meaning in page


def test_every_rule_stands_under_its_own_verdict() -> None:
    by_verdict = {verdict: {rule.verdict for rule in rules} for verdict, _, rules in methods.rules()}
    assert len(by_verdict) > 1
    assert all(verdicts == {verdict} for verdict, verdicts in by_verdict.items())


def test_every_figure_stands_there_with_its_conditions(page: str) -> None:
    for figure in metrics.FIGURES.values():
        assert f'id="figure-{figure.name}"' in page
    assert (
        "write, sequential, 1 MiB to 16 MiB, queue depth 1, direct, a final fsync or not synchronous" in page
    )


def test_every_ability_stands_above_its_methods(page: str) -> None:
    for figure in metrics.FIGURES.values():
        assert page.index(f'id="ability-{figure.ability}"') < page.index(f'id="figure-{figure.name}"')
    listed = methods.list_abilities()
    assert all(one.methods for one in listed) and len({one.name for one in listed}) == len(listed)


def test_every_use_stands_there_with_its_needs(page: str) -> None:
    for use in all_uses().values():
        assert f'id="use-{use.name}"' in page
        assert use.source in page and all(need.source in page for need in use.needs)
    assert "Small writes: 500 IOPS" in page


def test_whatever_the_contents_lead_to_is_there(page: str) -> None:
    targets = [part.split('"')[0] for part in page.split('href="#')[1:]]
    assert len(targets) > 10
    assert all(f'id="{target}"' in page for target in targets)


def test_it_needs_no_query(client: Client, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        client.get("/methods/")


def test_what_may_not_be_stated_is_said() -> None:
    where = {
        "direction": frozenset({None, "write"}),
        "block_size_bytes": 16384,
        "open_au": 1,
        "sync": "osync",
    }
    assert methods.conditions(where) == ("write, or not stated", "16 KiB", "1 open AU", "O_SYNC")


def test_a_formula_is_the_indented_part_of_the_docstring() -> None:
    assert methods.formula(order).startswith("P(first better) = Phi(")
