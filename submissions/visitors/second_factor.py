"""Set up and verify the second factor of a moderator: codes of an app (TOTP, RFC 6238), and backup codes."""

from base64 import b32encode

from django.contrib.auth.models import User
from django.db import transaction
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

BACKUP_CODES = 10
_APP_DIGITS = 6


def is_set_up(account: User) -> bool:
    return bool(TOTPDevice.objects.filter(user=account, confirmed=True).exists())


def start_setup(account: User) -> tuple[str, str]:
    """Return the secret for an authenticator app, as text to type and as a URL; the same until it is confirmed."""
    device = _get_unconfirmed_device(account)
    return b32encode(device.bin_key).decode(), device.config_url


def confirm(account: User, code: str) -> tuple[Device | None, list[str]]:
    """Confirm the app by a code. Return the app's device and new backup codes, or (None, []) if the code is wrong."""
    with transaction.atomic():
        device = TOTPDevice.objects.select_for_update().get(pk=_get_unconfirmed_device(account).pk)
        if not device.verify_token(code):
            return None, []
        delete_devices(account)
        device.confirmed = True
        device.save()
        return device, _make_backup_codes(account)


def verify(account: User, code: str) -> Device | None:
    """Return the device of a code, or None if the code is wrong, or, for a while, after other wrong codes."""
    kind = TOTPDevice if len(code) == _APP_DIGITS and code.isdigit() else StaticDevice
    with transaction.atomic():
        device = kind.objects.select_for_update().filter(user=account, confirmed=True).first()
        return device if device and device.verify_token(code) else None


def delete_devices(account: User) -> None:
    """Delete the second factor of an account: its app and its backup codes."""
    for kind in (TOTPDevice, StaticDevice):
        kind.objects.filter(user=account, confirmed=True).delete()


def _get_unconfirmed_device(account: User) -> TOTPDevice:
    device, _ = TOTPDevice.objects.get_or_create(user=account, confirmed=False, defaults={"name": "app"})
    return device


def _make_backup_codes(account: User) -> list[str]:
    device = StaticDevice.objects.create(user=account, name="backup")
    codes = [StaticToken.random_token() for _ in range(BACKUP_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes
