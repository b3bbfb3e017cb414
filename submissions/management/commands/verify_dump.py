"""manage.py verify_dump DIRECTORY: check a dump against its signature; needs no database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.dumps import seal
from submissions.dumps.minisign import WrongSignature, parse_key


class Command(BaseCommand):
    help = (
        "Check every byte of a dump against its signature, and older dumps beside it against their checksums."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "directory", type=Path, metavar="DIRECTORY", help="directory with the files of the dump"
        )
        words = (
            "public key of the site, or a file with it; without it, only changes are found, not who made"
            " the dump"
        )
        parser.add_argument("--key", default="", help=words)

    def handle(self, *args: Any, directory: Path, key: str, **options: Any) -> None:
        try:
            own = parse_key(Path(key).read_text() if Path(key).is_file() else key) if key else None
            faults = [*seal.find_faults(directory, own), *seal.find_broken_links(directory)]
        except (OSError, ValueError) as error:
            kind = "--key" if isinstance(error, WrongSignature) else f"{directory} contains no complete dump"
            raise CommandError(f"{kind}: {error}") from error
        for line in faults:
            self.stderr.write(line)
        if faults:
            raise CommandError(f"{directory} has changed since it was signed: get a new copy")
        self.stdout.write(f"{len(seal.list_names(directory))} files are unchanged since they were signed")
