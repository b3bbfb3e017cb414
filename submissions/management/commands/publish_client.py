"""manage.py publish_client: publish the client, cardbench.pyz, among the files for download."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.dumps import seal, store
from submissions.models import Publication

CLIENT = Path(settings.BASE_DIR) / "client"
RELEASE = CLIENT / "dist"
NAMES = ("cardbench.pyz", "cardbench.pyz.sig")
_KEPT = 2  # a visitor may be about to fetch the previous one


class Command(BaseCommand):
    help = (
        "Publish the signed cardbench.pyz from client/dist, or one packed from the sources if there is none."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with store.hold_folder("client") as folder:
                _fill(folder)
                seal.seal_folder(folder, {}, secret="", comment="")
                store.publish("client", seal.sha256(folder / seal.SUMS)[:16], folder)
                store.remove(Publication.objects.filter(kind="client")[_KEPT:])
        except ReportError as error:
            raise CommandError(error.detail) from error


def _fill(folder: Path) -> None:
    released = [RELEASE / name for name in NAMES]
    if all(path.is_file() for path in released):
        for path in released:
            shutil.copy(path, folder)
    else:
        subprocess.run([sys.executable, CLIENT / "pack.py", folder / NAMES[0]], check=True)
