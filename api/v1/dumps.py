"""The list of bulk dumps, and their files."""

from collections.abc import Mapping
from typing import Annotated, Any

from django.http import FileResponse, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe
from msgspec import Meta, Struct
from rest_framework.request import Request

from api.errors import build_error, not_found
from api.listing.view import TableView
from api.v1.answers import Address
from submissions import freshness
from submissions.dumps import seal, shelf
from submissions.dumps.description import NAME, list_files
from submissions.dumps.minisign import key_of


class DumpFile(Struct, frozen=True, kw_only=True):
    name: str
    table: str
    format: Annotated[str, Meta(description="csv, jsonl or parquet; the first two packed with gzip")]
    rows: int
    size_bytes: int
    sha256: str
    url: Address


class Dump(Struct, frozen=True, kw_only=True):
    version: Annotated[str, Meta(description="when it was made")]
    quarter: Annotated[
        str,
        Meta(
            description="of the first dump of a quarter, which is kept for good; addresses may use it as version"
        ),
    ]
    format_version: Annotated[str, Meta(description="a version may get more columns, and keeps all it has")]
    licence: str
    description: Annotated[
        Address, Meta(description="datapackage.json: every column with its type and meaning")
    ]
    checksums: Annotated[Address, Meta(description="SHA256SUMS, of every file")]
    signature: Annotated[Address | None, Meta(description="of the checksums, as `minisign -V` reads it")]
    public_key: Annotated[str | None, Meta(description="as `minisign -P` takes it")]
    files: list[DumpFile]


class DumpsView(TableView):
    """Bulk dumps, newest first. A dump is kept for a week, the first of each quarter for ever."""

    operation_id = "dumps"
    shape = Dump

    def stamp(self, request: HttpRequest) -> str:
        # Dumps are files, so the stamp of the database does not change with them.
        return f"{shelf.stamp()} {freshness.release()}"

    everything = staticmethod(shelf.dumps)

    def answer(self, row: shelf.Dump, request: Request) -> Dump:
        address = request.build_absolute_uri(reverse("api-dump-file", args=[row.version, "x"]))[:-1]
        signed = row.file(seal.KEY)
        key = str(key_of(signed.read_text())) if signed else None
        return Dump(
            version=row.version,
            quarter=row.quarter,
            format_version=row.package["version"],
            licence=row.package["licenses"][0]["name"],
            description=f"{address}{NAME}",
            checksums=f"{address}{seal.SUMS}",
            signature=f"{address}{seal.SIGNATURE}" if key else None,
            public_key=key,
            files=[_describe_file(resource, address) for resource in list_files(row.package)],
        )


@require_safe
def dump_file(request: HttpRequest, version: str, name: str) -> HttpResponseBase:
    """Send one file of a dump. It never changes, so caches may keep it."""
    if request.GET:
        return JsonResponse(build_error("unknown_parameter", "A file takes no parameter."), status=400)
    dump = shelf.find(version)
    path = dump.file(name) if dump else None
    if path is None:
        return not_found(request, request.path.removeprefix("/api/v1/"))
    etag = f'"{version}/{name}"'
    same = get_conditional_response(request, etag=etag)
    response = same or FileResponse(path.open("rb"), filename=name)
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "public, max-age=604800, immutable"
    response.headers["Content-Encoding"] = "identity"  # packed already; GZipMiddleware would pack it again
    return response


def _describe_file(resource: Mapping[str, Any], address: str) -> DumpFile:
    return DumpFile(
        name=resource["path"],
        table=resource["path"].partition(".")[0],
        format=resource["format"],
        rows=resource["rows"],
        size_bytes=resource["bytes"],
        sha256=resource["hash"].removeprefix("sha256:"),
        url=f"{address}{resource['path']}",
    )
