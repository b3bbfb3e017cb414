"""Take a picture of every page with the starter data, light and dark, for phone, desktop and paper: `make screenshots`.

It also renews the pictures in README.md and templates/TOUR.md, and the sheets of small pictures in templates/pictures/.

python -m flashdb.local_services --temporary -- python -m tests.screenshots FOLDER [NAME …]
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from secrets import token_hex
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from tests import chromium
from tests.bench.site_pages import web

PROJECT = Path(__file__).parents[1]
LOG = PROJECT / "tests" / "logs" / "flashbench"
SHEETS = PROJECT / "templates" / "pictures"
# The pictures of README.md and of TOUR.md: an address, and the size of the window to take the picture of.
_ON_PI_5 = "?board=raspberry-pi-5&use=pi-root"
PICTURES = {
    PROJECT / "submissions" / "static" / "submissions" / "finder.png": ("/", 1280, 900),
    SHEETS / "tour-answer.jpg": ("/?q=best+card+for+a+raspberry+pi+5", 1000, 900),
    SHEETS / "tour-model.jpg": (f"/models/raspberry-pi-128-gb/{_ON_PI_5}", 1000, 1000),
    SHEETS / "tour-compare.jpg": (
        "/compare/?m=raspberry-pi-128-gb&m=amazon-basics-64-gb&board=raspberry-pi-5",
        1000,
        900,
    ),
    SHEETS / "tour-decode.jpg": ("/decode/?example=1", 1000, 900),
    SHEETS / "tour-phone.jpg": ("/good/?q=sandisk+extreme+64+pi+4", 390, 844),
}
LOOKS = (*product((320, 1280), ("light", "dark")), (794, "print"))
AT_ONCE = 2  # one page is drawn while the site answers for another
PATIENCE_MS = 60_000
NAME, PASSWORD = "pictures", "a picture of every page"
PLAIN = (
    *(
        "good",
        "best/raspberry-pi-4/pi-root",
        "filter",
        "boards",
        "formats",
        "boards/raspberry-pi-4",
        "makers",
    ),
    *("makers/sd/02-544d", "decode", "submit", "recent", "sources", "quirks", "cid", "glossary"),
    *("methods", "statistics", "about", "tour", "privacy", "api", "nowhere"),
    *("account/log-in", "account/sign-up"),
)
MEMBERS = ("account", "account/password", "account/close")
ENVIRONMENT = {
    "ALLOWED_HOSTS": "*",
    "DEBUG": "False",
    "SECURE_COOKIES": "False",
    "SECRET_KEY": token_hex(32),
    "IDENTITY_SECRET": token_hex(32),
    "LOG_LEVEL": "ERROR",
    "DJANGO_SETTINGS_MODULE": "flashdb.settings",
    "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
}


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to take a picture of: its URL path, a step to do there first, and whether a user is logged in."""

    name: str
    path: str
    first: Callable[[Page], Awaitable[None]] | None = None
    member: bool = False


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ |= ENVIRONMENT
    shots = [shot for shot in _prepare_shots() if not sys.argv[2:] or shot.name in sys.argv[2:]]
    with web() as address:
        failed = asyncio.run(_take_all(shots, address.rstrip("/"), folder))
    print(f"{len(shots) * len(LOOKS) - len(failed)} pictures in {folder}/", *failed, sep="\n")
    sys.exit(bool(failed))


def _prepare_shots() -> list[Shot]:
    starter = sorted(str(path) for path in (PROJECT / "submissions" / "starter").glob("*.jsonl"))
    tables = sorted(str(path) for path in (PROJECT / "submissions" / "starter" / "published").glob("*.csv*"))
    loading = (["load_reports", *starter, "--here"], ["import_table", *tables, "--here"])
    for command in (["migrate", "-v0"], *loading):
        subprocess.run([sys.executable, "manage.py", *command], cwd=PROJECT, check=True)
    import django

    django.setup()
    from django.contrib.auth.models import User

    User.objects.create_user(NAME, password=PASSWORD)
    return [
        *(Shot(path.replace("/", "-"), f"/{path}/") for path in PLAIN),
        *(Shot(path.replace("/", "-"), f"/{path}/", member=True) for path in MEMBERS),
        Shot("api-reference", "/api/reference/", first=_wait_for_reference),
        Shot("decoded", "/decode/?example=1"),
        Shot("submit-preview", "/submit/", first=_preview),
        *(Shot(name, path) for name, path in _list_stored_pages().items()),
    ]


def _list_stored_pages() -> dict[str, str]:
    from submissions.domain.identity import products
    from submissions.evidence import credits
    from submissions.models import CardModel, Run

    run = Run.objects.with_report().filter(measurements__workload="open-au").order_by("pk").first()
    assert run is not None
    slugs = CardModel.objects.real().order_by("-known_cards", "name").values_list("slug", flat=True)[:3]
    model, submission = run.card.variant.card_model.get_absolute_url(), run.submission.get_absolute_url()
    return {
        "finder": "/",
        "finder-narrowed": "/?q=extrem&min_gb=32&app_class=",
        "finder-empty": "/?q=nobody",
        "compare": "/compare/?" + "&".join(f"m={slug}" for slug in slugs),
        "model": model,
        "model-ranked": f"/models/{slugs[0]}/",
        "model-runs": f"/models/{slugs[0]}/runs/",
        "why": f"/models/{slugs[0]}/why/",
        "model-remark": f"{model}remark/",
        "product": f"/products/{products.all_products()[0].slug}/",
        "source": f"/sources/{credits.list_credits()[0].id}/",
        "good-answer": "/good/?q=sandisk+extreme+64+pi+4",
        "card": run.card.get_absolute_url(),
        "run": run.get_absolute_url(),
        "submission": submission,
        "submission-remark": f"{submission}remark/",
        **{f"ownership-{step}": f"{submission}{step}/" for step in ("change", "delete")},
    }


async def _wait_for_reference(page: Page) -> None:
    await page.locator(".opblock").first.wait_for()


async def _preview(page: Page) -> None:
    log = next(LOG.glob("*.txt")).read_text(encoding="utf-8")
    await page.locator("textarea[name=text]").fill(log)
    await page.get_by_role("button", name="Preview first").click()
    await page.locator(".understood").first.wait_for()


async def _take_all(shots: Collection[Shot], address: str, folder: Path) -> list[str]:
    """Take the pictures, never with more than `AT_ONCE` pages open, and return an error for each that failed."""
    turn = asyncio.Semaphore(AT_ONCE)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium.executable())
        member = await _log_in(browser, address)

        async def take(shot: Shot, width: int, scheme: Any) -> None:
            async with turn:
                context = await browser.new_context(
                    viewport={"width": width, "height": 800},
                    color_scheme="light" if scheme == "print" else scheme,
                    storage_state=member if shot.member else None,
                )
                page = await context.new_page()
                picture = folder / f"{shot.name}-{width}-{scheme}.png"
                await _take(page, shot, address, picture, media="print" if scheme == "print" else "screen")
                await context.close()

        wanted = [(shot, *look) for shot, look in product(shots, LOOKS)]
        came = await asyncio.gather(*(take(*one) for one in wanted), return_exceptions=True)
        if any(shot.name == "finder" for shot in shots):
            await _renew_pictures(browser, address)
            for width, scheme in LOOKS:
                await _draw_sheet(browser, folder, f"{width}-{scheme}")
        await browser.close()
    return [
        f"{shot.name} {width} {scheme}: {error}"
        for (shot, width, scheme), error in zip(wanted, came, strict=True)
        if error
    ]


async def _take(page: Page, shot: Shot, address: str, picture: Path, *, media: Any) -> None:
    page.set_default_timeout(PATIENCE_MS)
    await page.goto(address + shot.path)
    if shot.first:
        await shot.first(page)
    await page.emulate_media(media=media)  # after the first step: paper has no forms
    await page.screenshot(path=picture, full_page=True)


async def _renew_pictures(browser: Browser, address: str) -> None:
    for path, (page_address, width, height) in PICTURES.items():
        page = await browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        await page.goto(address + page_address)
        await page.screenshot(path=path, quality=60 if path.suffix == ".jpg" else None)
        await page.close()


async def _draw_sheet(browser: Browser, folder: Path, look: str) -> None:
    pictures = sorted(folder.glob(f"*-{look}.png"))
    style = "div{float:left;width:190px;height:270px;margin:4px;overflow:hidden}img{width:100%}"
    html = folder / "sheet.html"
    html.write_text(
        f"<style>{style}</style>" + "".join(f"<div><img src={one.name}></div>" for one in pictures)
    )
    page = await browser.new_page(viewport={"width": 1600, "height": 800})
    await page.goto(html.resolve().as_uri())
    SHEETS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHEETS / f"{look}.jpg", type="jpeg", quality=45, full_page=True)
    await page.close()


async def _log_in(browser: Browser, address: str) -> Any:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(f"{address}/account/log-in/")
    await page.locator("input[name=username]").fill(NAME)
    await page.locator("input[name=password]").fill(PASSWORD)
    await page.get_by_role("button", name="Log in").click()
    await page.get_by_role("button", name="Log out").wait_for()
    state = await context.storage_state()
    await context.close()
    return state


if __name__ == "__main__":
    main()
