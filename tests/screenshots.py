"""`make screenshots`: every page with the starter data as a picture, light and dark, on a phone and on a desk.

python -m flashdb.local_services --temporary -- python -m tests.screenshots FOLDER
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.bench.site_pages import web

PROJECT = Path(__file__).parents[1]
WIDTHS, SCHEMES = (320, 1280), ("light", "dark")
NAMED = (
    "boards",
    "boards/raspberry-pi-4",
    "makers",
    "makers/sd/02-544d",
    "decode/?example=1",
    "submit",
    "recent",
)
ABOUT = ("statistics", "about", "tour", "privacy", "account/log-in", "api", "nowhere")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "ALLOWED_HOSTS": "*",
        "DEBUG": "False",
        "SECRET_KEY": "pictures",
        "IDENTITY_SECRET": "pictures",
    }
    os.environ["LOG_LEVEL"] = "ERROR"
    pages = _fill()
    with web() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        count = sum(_take(browser, address, path, name, folder) for name, path in pages.items())
        browser.close()
    print(f"{count} pictures in {folder}/")


def _fill() -> dict[str, str]:
    """Load the starter data; name -> address of every page."""
    starter = sorted(str(path) for path in (PROJECT / "submissions" / "starter").glob("*.jsonl"))
    for command in (["migrate", "-v0"], ["load_reports", *starter], ["reprocess"]):
        subprocess.run([sys.executable, "manage.py", *command], cwd=PROJECT, check=True)
    os.environ["DJANGO_SETTINGS_MODULE"] = "flashdb.settings"
    import django

    django.setup()
    from submissions.models import CardModel, Run

    run = Run.objects.with_report().filter(measurements__workload="open-au").order_by("pk").first()
    assert run is not None
    slugs = CardModel.objects.real().order_by("-known_cards", "name").values_list("slug", flat=True)[:3]
    plain = {name.partition("?")[0].strip("/").replace("/", "-"): _address(name) for name in (*NAMED, *ABOUT)}
    return plain | {
        "finder": "/",
        "finder-narrowed": "/?board=raspberry-pi-4&q=extrem&min_gb=32&app_class=",
        "finder-empty": "/?q=nobody",
        "compare": "/compare/?" + "&".join(f"m={slug}" for slug in slugs),
        "model": run.card.variant.card_model.get_absolute_url(),
        "card": run.card.get_absolute_url(),
        "run": run.get_absolute_url(),
        "submission": run.submission.get_absolute_url(),
    }


def _address(name: str) -> str:
    return f"/{name}" if "?" in name else f"/{name}/"


def _take(browser: Browser, address: str, path: str, name: str, folder: Path) -> int:
    for width in WIDTHS:
        for scheme in SCHEMES:
            context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(address.rstrip("/") + path)
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
            context.close()
    return len(WIDTHS) * len(SCHEMES)


if __name__ == "__main__":
    main()
