"""Security review, finding 10: a stolen password does not open the admin, and its change ends all API tokens."""

import re
import time
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.test import Client
from django.urls import clear_url_caches, reverse, set_urlconf
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice
from environs import EnvError

from flashdb import env
from submissions import counters
from submissions.models import ApiToken
from submissions.visitors import limits, second_factor
from tests.conftest import show_second_factor

pytestmark = pytest.mark.django_db

PASSWORD, ANOTHER = "a long one, and right", "quite another, longer one"
FACTOR = "/account/second-factor/"


@pytest.fixture
def mona() -> User:
    moderator = User.objects.create_user("mona", password=PASSWORD, is_staff=True)
    moderator.user_permissions.set(Permission.objects.filter(content_type__app_label="submissions"))
    return moderator


@pytest.fixture
def inside(mona: User) -> Client:
    """Return a client that is logged in by password only."""
    client = Client()
    client.force_login(mona)
    return client


def read_app_code(account: User) -> str:
    """Return the code that the authenticator app of an account shows now.

    Each code counts only once, so the last use and the delay after errors are reset.
    """
    device = TOTPDevice.objects.filter(user=account).latest("pk")
    device.last_t = -1
    device.throttle_reset(commit=False)
    device.save()
    return f"{totp(device.bin_key):06d}"


def set_up_app(client: Client, account: User) -> list[str]:
    """Set up the authenticator app of an account; return the backup codes."""
    client.get(FACTOR)
    page = client.post(FACTOR, {"code": read_app_code(account)}).content.decode()
    return re.findall(r"<code>(\w+)</code>", page)


def open_admin(client: Client) -> int:
    return client.get("/admin/submissions/submission/").status_code


# Tests of the admin.


def test_a_password_alone_opens_no_admin(inside: Client) -> None:
    for path in ("/admin/", "/admin/submissions/submission/", "/admin/auth/user/"):
        answer = inside.get(path, follow=True)
        assert answer.redirect_chain[-1][0].startswith(FACTOR)


def test_a_code_of_the_app_opens_it(inside: Client, mona: User) -> None:
    page = inside.get(FACTOR).content.decode()
    assert "otpauth://totp/" in page
    assert len(set_up_app(inside, mona)) == 10
    assert open_admin(inside) == 200
    again = Client()
    again.force_login(mona)
    assert open_admin(again) == 302
    answer = again.post(f"{FACTOR}?next=/admin/", {"code": read_app_code(mona), "next": "/admin/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/")
    assert open_admin(again) == 200


def test_a_code_counts_once(inside: Client, mona: User) -> None:
    set_up_app(inside, mona)
    code = read_app_code(mona)
    for status in (302, 400):
        other = Client()
        other.force_login(mona)
        assert other.post(FACTOR, {"code": code}).status_code == status


def test_a_backup_code_opens_it_once(inside: Client, mona: User) -> None:
    first, second, *_ = set_up_app(inside, mona)
    for code, status in ((f" {first[:4].upper()} {first[4:]}", 302), (first, 400)):
        other = Client()
        other.force_login(mona)
        assert other.post(FACTOR, {"code": code}).status_code == status
        assert open_admin(other) == (200 if status == 302 else 302)
    assert second != first


def test_the_code_of_another_moderator_opens_nothing(inside: Client, mona: User) -> None:
    nora = User.objects.create_user("nora", password=PASSWORD, is_staff=True)
    TOTPDevice.objects.create(user=nora, confirmed=True)
    set_up_app(inside, mona)
    for account, status in ((nora, 400), (mona, 302)):
        other = Client()
        other.force_login(mona)
        assert other.post(FACTOR, {"code": read_app_code(account)}).status_code == status


def test_an_app_that_has_shown_no_code_yet_verifies_nobody(mona: User) -> None:
    TOTPDevice.objects.create(user=mona, confirmed=False)
    assert second_factor.verify(mona, read_app_code(mona)) is None


def test_codes_are_not_guessed(inside: Client, mona: User) -> None:
    """After a wrong code even the right code is refused for a while."""
    set_up_app(inside, mona)
    right = read_app_code(mona)
    other = Client()
    other.force_login(mona)
    answers = [other.post(FACTOR, {"code": code}).status_code for code in ("000000", "111111", right)]
    assert answers == [400, 400, 400]
    assert open_admin(other) == 302


def test_a_wrong_code_sets_nothing_up(inside: Client, mona: User) -> None:
    inside.get(FACTOR)
    assert inside.post(FACTOR, {"code": "000000"}).status_code == 400
    assert not TOTPDevice.objects.filter(user=mona, confirmed=True).exists()
    assert open_admin(inside) == 302


def test_only_who_has_shown_it_makes_another(inside: Client, mona: User) -> None:
    set_up_app(inside, mona)
    other = Client()
    other.force_login(mona)
    other.post(FACTOR, {"another": "yes"})
    assert TOTPDevice.objects.filter(user=mona, confirmed=True).exists()
    assert inside.post(FACTOR, {"another": "yes"}).status_code == 302
    assert not TOTPDevice.objects.filter(user=mona, confirmed=True).exists()
    assert open_admin(inside) == 302


def test_the_wish_leads_to_no_other_site(inside: Client, mona: User) -> None:
    set_up_app(inside, mona)
    answer = inside.post(FACTOR, {"code": read_app_code(mona), "next": "https://evil.example/"})
    assert answer.headers["Location"] == "/account/"


@pytest.mark.parametrize("token", ["fromtheoperator", "13572468"])
def test_whoever_lost_everything_is_helped_by_the_operator(inside: Client, mona: User, token: str) -> None:
    set_up_app(inside, mona)
    call_command("addstatictoken", "mona", token=token)
    other = Client()
    other.force_login(mona)
    assert other.post(FACTOR, {"code": token}).status_code == 302


@pytest.mark.parametrize("who", ["nobody", "member"])
def test_it_is_for_moderators_alone(client: Client, who: str) -> None:
    if who == "member":
        client.force_login(User.objects.create_user("sam"))
    assert client.get(FACTOR).status_code == 404


def test_the_admin_has_a_limit_of_its_own(
    inside: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "outage", counters.Outage())
    settings.RATE_LIMITS, settings.LIMIT_LOOPBACK = {"admin": (3, 3600)}, True
    address = f"2001:db8:{int(time.time()) % 65536:x}::1"
    answers = [inside.get("/admin/", REMOTE_ADDR=address) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [302, 302, 302, 429, 429]
    assert answers[-1].headers["Content-Type"] == "text/plain; charset=utf-8"


def test_the_admin_has_a_path_of_its_own(settings: Any, inside: Client, mona: User) -> None:
    import importlib

    from flashdb import urls

    settings.ADMIN_PATH = "back-room/"
    try:
        importlib.reload(urls)
        clear_url_caches()
        set_urlconf(None)
        assert reverse("admin:index") == "/back-room/"
        assert inside.get("/admin/").status_code == 404
        assert inside.get("/back-room/").status_code == 302
    finally:
        settings.ADMIN_PATH = "admin/"
        importlib.reload(urls)
        clear_url_caches()


@pytest.mark.parametrize("path", ["", "admin", "/", "../", "a/b/", "api"])
def test_a_path_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setenv("A_PATH", path)
    with pytest.raises(EnvError, match=r'"A_PATH" invalid: .*must be one word followed by a slash'):
        env.env.str("A_PATH", "admin/", validate=env.URL_PREFIX)


# Tests of tokens.


def test_a_token_that_moderates_is_made_after_the_second_factor(inside: Client, mona: User) -> None:
    wish = {"name": "x", "scopes": ["moderate"]}
    assert inside.post("/account/tokens/", wish).status_code == 400
    assert not ApiToken.objects.exists()
    show_second_factor(inside, mona)
    assert inside.post("/account/tokens/", wish).status_code == 200


def test_a_member_makes_no_token_that_moderates_later(client: Client) -> None:
    client.force_login(User.objects.create_user("sam"))
    assert client.post("/account/tokens/", {"name": "x", "scopes": ["moderate"]}).status_code == 400
    assert not ApiToken.objects.exists()


def test_the_second_factor_renews_the_session(inside: Client, mona: User) -> None:
    before = inside.cookies["sessionid"].value
    set_up_app(inside, mona)
    assert inside.cookies["sessionid"].value != before
    assert open_admin(inside) == 200


def works(secret: str) -> bool:
    answer = Client().get("/api/v1/makers/", headers={"Authorization": f"Token {secret}"})
    assert answer.status_code in (200, 401)
    return bool(answer.status_code == 200)


def test_tokens_end_with_the_password(client: Client) -> None:
    ada = User.objects.create_user("ada", password=PASSWORD)
    client.force_login(ada)
    _, secret = ApiToken.objects.make(ada, name="x", scopes=["submit"])
    _, of_bob = ApiToken.objects.make(User.objects.create_user("bob"), name="x", scopes=["submit"])
    assert works(secret)
    sent = {"old_password": PASSWORD, "new_password1": ANOTHER, "new_password2": ANOTHER}
    assert "revokes all tokens" in client.get("/account/password/").content.decode()
    assert client.post("/account/password/", sent).status_code == 302
    assert not works(secret) and works(of_bob)


def test_they_end_whoever_sets_it() -> None:
    """Tokens end with the password, whether `manage.py changepassword` or the admin sets it."""
    ada = User.objects.create_user("ada", password=PASSWORD)
    _, secret = ApiToken.objects.make(ada, name="x", scopes=["submit"])
    ada.set_password(ANOTHER)
    ada.save()
    assert not works(secret)


def test_logging_in_ends_none(client: Client, settings: Any) -> None:
    """Tokens stay valid even if Django hashes the password again."""
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
    ]
    ada = User.objects.create_user("ada")
    from django.contrib.auth.hashers import make_password

    User.objects.filter(pk=ada.pk).update(password=make_password(PASSWORD, hasher="pbkdf2_sha256"))
    _, secret = ApiToken.objects.make(ada, name="x", scopes=["submit"])
    assert client.login(username="ada", password=PASSWORD)
    ada.refresh_from_db()
    assert ada.password.startswith("scrypt") and works(secret)
