"""Write a mirror: the public site as files for any web server or a USB stick.

Pages are as a visitor sees them, with relative links and without parts that need a server; the search page and the
comparison use the `index` beside them.
"""

import html
import posixpath
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.files.storage import default_storage
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest
from django.test import RequestFactory, override_settings
from django.urls import reverse
from django.utils import timezone

from submissions.domain.errors import ReportError
from submissions.domain.identity import makers, products
from submissions.domain.ranking import boards, uses
from submissions.dumps import seal, store
from submissions.models import Card, CardModel, Publication, Run
from submissions.pages.mirror import index

# No visitor uses this host name, so that no visitor gets a page from the cache that was rendered here.
_HOST = "mirror.invalid"
_NAMED = (
    *("finder", "compare", "boards", "sources", "quirks", "recent", "statistics", "makers", "metrics"),
    *("methods", "glossary", "about", "tour", "formats", "privacy"),
)
# Pages with a query in their URL, which a script answers.
_ASKED = ("index.html", "compare.html")
_ANCHOR = re.compile(r'<a\b([^>]*?)\shref="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_NAV_OR_ANCHOR = re.compile(rf"{_ANCHOR.pattern}|<nav\b.*?</nav>", re.DOTALL)
_ADDRESS = re.compile(r'\b(src|href|action)="(/[^"]*)"')


def write_mirror(directory: Path) -> int:
    """Write a mirror of all pages into a directory; return the number of files.

    Raise ReportError if the directory is not empty, OSError if the disk is full.
    """
    return copy_pages(directory, addresses())


def publish_mirror() -> Publication:
    """Write a mirror as one archive for download, in place of the previous archive.

    Raise ReportError if another process is writing a mirror, OSError if the disk is full.
    """
    with store.hold_folder("mirror") as folder:
        write_mirror(folder / "mirror")
        shutil.make_archive(str(folder / "mirror"), "zip", folder / "mirror")
        shutil.rmtree(folder / "mirror")
        version = timezone.now().strftime(store.VERSION)
        seal.seal_folder(folder, {}, secret=settings.DUMP_KEY, comment=version)
        made = store.publish("mirror", version, folder)
        store.remove(Publication.objects.filter(kind="mirror").exclude(pk=made.pk))
    return made


def copy_pages(directory: Path, addresses: Iterable[str]) -> int:
    """Write a mirror of the pages at these URLs, with static files, index and newest dump; return the number of files.

    Raise ReportError if the directory is not empty, OSError if the disk is full.
    """
    if directory.exists() and any(directory.iterdir()):
        raise ReportError(f"{directory} is not empty. Name a new folder.", code="not_empty")
    pages = {address: _file(address) for address in addresses}
    with override_settings(ALLOWED_HOSTS=[_HOST], RATE_LIMITS={}):
        site = _Site(directory, pages | {reverse("api-dumps"): "dump/datapackage.json"})
        for address in pages:
            site.copy_page(address)
        files = len(pages) + site.copy_static()
    return files + index.write_index(directory / "index") + _copy_dump(directory / "dump")


def addresses() -> Iterator[str]:
    """Yield the URL path of every page of a mirror."""
    yield from map(reverse, _NAMED)
    rows: dict[str, Iterator[Sequence[str]]] = {
        "model": ((slug,) for slug in _all(CardModel, "slug")),
        "model-runs": ((slug,) for slug in _all(CardModel, "slug")),
        "card": ((key,) for key in _all(Card, "key")),
        "run": ((name,) for name in _all(Run, "submission__public_id")),
        "product": ((slug,) for slug in products.products_by_slug()),
        "maker": (makers.address(maker) for maker in makers.all_makers()),
        "board": ((slug,) for slug in boards.all_boards()),
    }
    for name, arguments in rows.items():
        yield from (reverse(name, args=each) for each in arguments)
    for board in boards.all_boards().values():
        for use in uses.uses_in(board.interface):
            yield reverse("best", args=[board.slug, use])


def _all(model: type, column: str) -> Iterator[str]:
    return model.objects.order_by("pk").values_list(column, flat=True).iterator()  # type: ignore[attr-defined]


def _file(address: str) -> str:
    # "/" -> index.html, "/models/x/" -> models/x.html
    return f"{address.strip('/') or 'index'}.html"


class _Site:
    """The pages of the site, which are rendered through its middleware and written to a directory."""

    def __init__(self, directory: Path, pages: dict[str, str]) -> None:
        self._directory, self._pages = directory, pages
        self._handler, self._requests = WSGIHandler(), RequestFactory(HTTP_HOST=_HOST)
        self._static: set[str] = set()

    def copy_page(self, address: str) -> None:
        """Write one page; raise ReportError if it cannot be rendered. A page that was deleted meanwhile is skipped."""
        request: HttpRequest = self._requests.get(address)
        request.mirrored = True  # type: ignore[attr-defined]  # templates ask for it
        response = self._handler.get_response(request)
        if response.status_code == 404:
            return
        if response.status_code != 200:
            raise ReportError(
                f"The request for {address} was answered with {response.status_code}.", code="unmirrored"
            )
        page = self._rewrite_links(b"".join(response).decode(), self._pages[address])
        self._put(self._pages[address], page.encode())

    def copy_static(self) -> int:
        for name in self._static:
            collected = Path(settings.STATIC_ROOT, name)
            self._put(
                f"static/{name}",
                (collected if collected.exists() else Path(str(finders.find(name)))).read_bytes(),
            )
        return len(self._static)

    def _put(self, name: str, body: bytes) -> None:
        path = self._directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)

    def _rewrite_links(self, page: str, file: str) -> str:
        # A link to a page that the mirror lacks is dropped from a menu; elsewhere the words of the link stay.
        def rewrite_in_menu(link: re.Match[str]) -> str:
            return self._anchor(link, file, words=False)

        def anywhere(found: re.Match[str]) -> str:
            if found[0].startswith("<nav"):
                return _ANCHOR.sub(rewrite_in_menu, found[0])
            return self._anchor(found, file, words='class="button' not in found[0])

        page = _NAV_OR_ANCHOR.sub(anywhere, page)
        page = _ADDRESS.sub(lambda found: f'{found[1]}="{self._relative(found[2], file) or "#"}"', page)
        return page.replace(f"http://{_HOST}", "")

    def _anchor(self, link: re.Match[str], file: str, *, words: bool) -> str:
        address = self._relative(html.unescape(link[2]), file)
        if address is None:
            return link[4] if words else ""
        return f'<a{link[1]} href="{html.escape(address)}"{link[3]}>{link[4]}</a>'

    def _relative(self, address: str, file: str) -> str | None:
        """Return a link relative to a file of the mirror, but None if the mirror lacks the page.

        Links to other sites are returned unchanged.
        """
        parts = urlsplit(address)
        if (parts.scheme and parts.netloc != _HOST) or (not parts.path and not parts.query):
            return address
        if parts.path.startswith(settings.STATIC_URL):
            target = f"static/{parts.path.removeprefix(settings.STATIC_URL)}"
            self._static.add(target.removeprefix("static/"))
        elif not parts.path or parts.path == file:
            target = file
        else:
            target = self._pages.get(parts.path, "")
        if not target or (parts.query and not target.startswith((*_ASKED, "models/"))):
            return None
        query = f"?{parts.query}" if parts.query and target in _ASKED else ""
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return posixpath.relpath(target, posixpath.dirname(file) or ".") + query + fragment


def _copy_dump(folder: Path) -> int:
    newest = store.newest("dumps")
    if newest is None:
        return 0
    folder.mkdir()
    for name in newest.files:
        with default_storage.open(newest.path(name)) as content, (folder / name).open("wb") as file:
            shutil.copyfileobj(content, file)
    return len(newest.files)
