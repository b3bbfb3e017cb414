"""The permissions of visitors, tokens and moderators, in every combination of proofs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.visitors.permissions import (
    ACTS_OF_SCOPES,
    DEMANDS,
    FACTOR_LASTS_S,
    Act,
    Credentials,
    Need,
    find_act,
    find_unmet_need,
)

OF_STAFF = (Act.ADMINISTER, Act.MODERATE, Act.PUBLISH, Act.RENAME)
RIGHTS = frozenset(demand.right for demand in DEMANDS.values() if demand.right)
MODERATOR = Credentials(
    account=True, staff=True, rights=RIGHTS, device="app", devices=frozenset({"app", "backup"}), verified_s=60
)
ANYBODY = st.builds(
    Credentials,
    **{name: st.booleans() for name in ("operator", "owner", "account", "staff")},
    rights=st.sets(st.sampled_from(sorted(RIGHTS))).map(frozenset),
    scopes=st.none() | st.sets(st.sampled_from(sorted(ACTS_OF_SCOPES))).map(frozenset),
    device=st.sampled_from(["", "app", "backup"]),
    devices=st.sets(st.sampled_from(["app", "backup"])).map(frozenset),
    verified_s=st.floats(0, 3 * FACTOR_LASTS_S),
)


def test_it_works() -> None:
    assert [find_unmet_need(act, MODERATOR) for act in OF_STAFF] == [None] * 4
    assert find_unmet_need(Act.READ, Credentials()) is None


@pytest.mark.parametrize(
    ("change", "need"),
    [
        ({"account": False}, Need.ACCOUNT),
        ({"staff": False}, Need.STAFF),
        ({"rights": frozenset()}, Need.RIGHT),
        ({"device": ""}, Need.FACTOR),
        ({"device": "lost"}, Need.FACTOR),
        ({"verified_s": FACTOR_LASTS_S + 1}, Need.FACTOR),
        ({"scopes": frozenset({"submit", "correct"})}, Need.SCOPE),
        ({"scopes": frozenset({"moderate"}), "device": "lost"}, Need.FACTOR),
    ],
)
def test_a_moderator_needs_each_of_them(change: dict[str, object], need: Need) -> None:
    assert find_unmet_need(Act.MODERATE, MODERATOR._replace(**change)) is need  # type: ignore[arg-type]


def test_a_token_lasts_as_long_as_its_device() -> None:
    token = MODERATOR._replace(scopes=frozenset({"moderate"}), verified_s=10 * FACTOR_LASTS_S)
    assert find_unmet_need(Act.MODERATE, token) is None
    assert {find_unmet_need(act, token) for act in OF_STAFF if act is not Act.MODERATE} == {Need.SCOPE}
    assert find_unmet_need(Act.USE_ACCOUNT, token) is Need.SCOPE


@given(ANYBODY, st.sampled_from(OF_STAFF))
def test_without_a_second_factor_nobody_has_rights_of_staff(shown: Credentials, act: Act) -> None:
    if shown.device not in shown.devices or not shown.staff:
        assert find_unmet_need(act, shown) is not None


@given(ANYBODY, st.sampled_from(Act))
def test_a_token_permits_nothing_that_its_account_may_not(shown: Credentials, act: Act) -> None:
    by_session = shown._replace(scopes=None, verified_s=0)
    if find_unmet_need(act, by_session) is not None:
        assert find_unmet_need(act, shown) is not None


def test_a_write_that_is_not_listed_is_none() -> None:
    assert (find_act("POST", "finder"), find_act("PUT", "account"), find_act("POST", None)) == (
        None,
        None,
        None,
    )
    assert (find_act("HEAD", "account"), find_act("GET", "a-new-page")) == (Act.USE_ACCOUNT, Act.READ)
