"""Name static files by their content, so that browsers keep them for ever, and compress those that visitors load.

Files of the admin and most of Swagger UI are not compressed, because that would take 20 s.
"""

from collections.abc import Iterator
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage

_COMPRESSED = (
    "submissions/",
    "api/",
    "django_htmx/htmx-2.min",
    "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui",
)


class Storage(CompressedManifestStaticFilesStorage):
    """A storage that uses the plain names of files until they are collected, as in tests."""

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if self.hashed_files else name

    def compress_files(self, paths: Any) -> Iterator[tuple[str, str]]:
        yield from super().compress_files(
            path for path in paths if path.startswith(_COMPRESSED) and not path.endswith((".map", ".png"))
        )
