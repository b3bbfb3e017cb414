"""Which Chromium the tests look at pages with."""

import shutil

# The shell shows pages as the whole browser does and takes three tenths less processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """The path of the first that this machine has."""
    return next(filter(None, map(shutil.which, NAMES)), None)
