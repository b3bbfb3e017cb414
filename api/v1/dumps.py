"""Serve the list of bulk dumps, and permanent URLs of their files."""

from collections.abc import Mapping
from typing import Annotated, Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe
from msgspec import Meta, Struct
from rest_framework.request import Request

from api.errors import build_error, not_found
from api.listing.view import TableView
from api.v1.answers import Address
from submissions.dumps import seal, shelf
from submissions.dumps.description import NAME, list_files


class DumpDocument(Struct, frozen=True, kw_only=True):
    name: str
    size_bytes: int
    sha256: str
    url: Address


class DumpFile(DumpDocument, frozen=True, kw_only=True):
    table: str
    format: Annotated[str, Meta(description="csv, jsonl or parquet; the first two are compressed with gzip")]
    rows: int


class Dump(Struct, frozen=True, kw_only=True):
    version: Annotated[str, Meta(description="the time when the dump was made")]
    quarter: Annotated[
        str,
        Meta(
            description="the quarter of which this is the first dump, kept for good; addresses accept it as a version"
        ),
    ]
    format_version: Annotated[
        str, Meta(description="within one version, columns may be added but never removed")
    ]
    licence: str
    description: Annotated[
        Address, Meta(description="datapackage.json: every column with its type and meaning")
    ]
    checksums: Annotated[Address, Meta(description="SHA256SUMS of every file")]
    signature: Annotated[
        Address | None, Meta(description="signature of the checksums, as `minisign -V` reads it")
    ]
    public_key: Annotated[str | None, Meta(description="the public key for `minisign -P`")]
    files: Annotated[list[DumpFile], Meta(description="files with rows: each table in each format")]
    documents: Annotated[list[DumpDocument], Meta(description="all other files that the checksums name")]


class DumpsView(TableView):
    """Bulk dumps, newest first. A dump is kept for a week, the first of each quarter for ever."""

    operation_id = "dumps"
    shape = Dump

    everything = shelf.dumps

    def answer(self, row: shelf.Dump, request: Request) -> Dump:
        dump, package = row.row, row.row.package

        def locate(name: str) -> str:
            return request.build_absolute_uri(dump.url(name))

        files = [_describe_file(resource, locate(resource["path"])) for resource in list_files(package)]
        others = dump.files.keys() - {file.name for file in files} - {seal.SUMS, seal.SIGNATURE}
        return Dump(
            version=dump.version,
            quarter=row.quarter,
            format_version=package["version"],
            licence=package["licenses"][0]["name"],
            description=locate(NAME),
            checksums=locate(seal.SUMS),
            signature=locate(seal.SIGNATURE) if dump.public_key else None,
            public_key=dump.public_key or None,
            files=files,
            documents=[
                DumpDocument(name=name, url=locate(name), **dump.files[name]) for name in sorted(others)
            ],
        )


@require_safe
def dump_file(request: HttpRequest, version: str, name: str) -> HttpResponseBase:
    """Redirect to a file of a dump, by its version or its quarter."""
    if request.GET:
        return JsonResponse(build_error("unknown_parameter", "A file takes no parameter."), status=400)
    dump = shelf.find_dump(version)
    if dump is None or name not in dump.files:
        return not_found(request, request.path.removeprefix("/api/v1/"))
    return redirect(dump.url(name))


def _describe_file(resource: Mapping[str, Any], url: str) -> DumpFile:
    return DumpFile(
        name=resource["path"],
        table=resource["path"].partition(".")[0],
        format=resource["format"],
        rows=resource["rows"],
        size_bytes=resource["bytes"],
        sha256=resource["hash"].removeprefix("sha256:"),
        url=url,
    )
