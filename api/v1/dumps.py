"""Bulk dumps: which there are, and their files."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe
from rest_framework import serializers
from rest_framework.request import Request

from api.errors import not_found
from api.listing.view import TableView
from submissions.dumps import shelf


class DumpFileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    table = serializers.CharField()
    format = serializers.CharField(help_text="csv, jsonl or parquet; the first two packed with gzip")
    rows = serializers.IntegerField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.URLField()


class DumpSerializer(serializers.Serializer[Any]):
    version = serializers.CharField(help_text="when it was made")
    format_version = serializers.CharField(help_text="columns may come; none goes within a version")
    licence = serializers.CharField()
    description = serializers.URLField(help_text="datapackage.json: every column with its type and meaning")
    files = DumpFileSerializer(many=True)


class DumpsView(TableView):
    """Bulk dumps, newest first. Those of the last week are kept."""

    operation_id = "dumps"
    shape = DumpSerializer

    def stamp(self, request: HttpRequest) -> str:
        return ""  # the database knows nothing of files

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[Any]:
        return [_dump(dump, request) for dump in shelf.dumps()]


@require_safe
def dump_file(request: HttpRequest, version: str, name: str) -> HttpResponseBase:
    """One file of a dump. It never changes, so who has it need not ask again."""
    dump = shelf.find(version)
    path = dump.file(name) if dump else None
    if path is None:
        return not_found(request, request.path.removeprefix("/api/v1/"))
    etag = f'"{version}/{name}"'
    same = get_conditional_response(request, etag=etag)
    response = same or FileResponse(path.open("rb"), filename=name)
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "public, max-age=604800, immutable"
    response.headers["Content-Encoding"] = "identity"  # packed already: nobody packs it again on the way
    return response


def _dump(dump: shelf.Dump, request: Request) -> dict[str, Any]:
    def url(name: str) -> str:
        return request.build_absolute_uri(reverse("api-dump-file", args=[dump.version, name]))

    return {
        "version": dump.version,
        "format_version": dump.package["version"],
        "licence": dump.package["licenses"][0]["name"],
        "description": url("datapackage.json"),
        "files": [
            {
                "name": one["path"],
                "table": one["path"].partition(".")[0],
                "format": one["format"],
                "rows": one["rows"],
                "size_bytes": one["bytes"],
                "sha256": one["hash"].removeprefix("sha256:"),
                "url": url(one["path"]),
            }
            for one in dump.package["resources"]
        ],
    }
