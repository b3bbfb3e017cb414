"""Open a mirror of 20,000 models in Chromium, from `python3 -m http.server` and from a folder: `make bench-mirror`.

The tree contains only the page of the first model, because a browser that opens it reads the finder, the models and one
ranking, however many files are beside them. Each time a new browser is started, so that no file was read or compiled
before.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from statistics import median

from tests import chromium
from tests.bench.live import say, time_call, yardstick_ms

MODELS = int(os.environ.get("BENCH_MODELS", "20000"))
OPENED = int(os.environ.get("BENCH_READS", "7"))
_RANKED = "document.body.dataset.ready === 'yes'"


def main() -> None:
    executable = chromium.executable()
    if executable is None:
        return say("no Chromium on this machine: nothing was opened")
    with tempfile.TemporaryDirectory() as folder:
        mirror = Path(folder, "mirror")
        _write(mirror)
        files = [path for path in mirror.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        say(
            f"a mirror of {MODELS:,} models, without most of their pages: {len(files)} files, {size / 1e6:.1f} MB"
        )
        with _serve(mirror) as address:
            for place in (address, mirror.as_uri()):
                _report(executable, place)
    return None


def _write(mirror: Path) -> None:
    secrets = {"SECRET_KEY": token_hex(32), "IDENTITY_SECRET": token_hex(32), "ALLOWED_HOSTS": "*"}
    os.environ.update(
        secrets | {"DEBUG": "False", "LOG_LEVEL": "ERROR", "DJANGO_SETTINGS_MODULE": "flashdb.settings"}
    )
    import django

    django.setup()
    from django.core.management import call_command

    from submissions.models import Performance
    from submissions.pages.forms.finder_form import FinderForm
    from submissions.pages.mirror import site
    from tests.bench import site_rows

    call_command("migrate", verbosity=0)
    site_rows.store_rankings(MODELS)
    best = Performance.objects.wanted(FinderForm({}).wish())[0].card_model
    site.copy_pages(mirror, ("/", "/compare/", best.get_absolute_url()))


@contextmanager
def _serve(mirror: Path) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=mirror, **quiet) as server:  # type: ignore[call-overload]
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().split(b'port ')[1].split()[0].decode()}"
        finally:
            server.terminate()


def _report(executable: str, place: str) -> None:
    times, yards = [], []
    for _ in range(OPENED):
        yards.append(yardstick_ms())
        times.append(_seconds_to_open(executable, f"{place}/index.html"))
    kind = place.partition(":")[0]
    say(
        f"{kind}: all models ranked after {median(times):.2f} s ({min(times):.2f} to {max(times):.2f}, {OPENED} times);"
        f" yardstick, a million additions: {median(yards):.0f} ms"
    )


def _seconds_to_open(executable: str, address: str) -> float:
    # Until the first rows that the script has ranked.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        page = browser.new_page()

        def open_it() -> None:
            page.goto(address)
            page.wait_for_function(_RANKED)

        seconds = time_call(open_it)
        browser.close()
    return seconds


if __name__ == "__main__":
    main()
