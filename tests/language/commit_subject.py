"""Refuse a commit with a subject that is too long or names no room: a hook of `.pre-commit-config.yaml`."""

import re
import sys
from pathlib import Path

MOST_CHARACTERS = 52
_BY_GIT = re.compile(r"Merge |Revert |fixup! |squash! ")
_ROOM = re.compile(r"[a-z][\w., -]*: \S")


def refuse(message: str) -> str | None:
    """Return the reason to refuse a commit message, or None."""
    subject = message.partition("\n")[0].strip()
    if _BY_GIT.match(subject):
        return None
    if len(subject) > MOST_CHARACTERS:
        return f"The subject has {len(subject)} characters; at most {MOST_CHARACTERS} fit. Reasons go into the body."
    if not _ROOM.match(subject):
        return "Begin the subject with the room that changes: “intake: read sdspeed”."
    return None


if __name__ == "__main__":
    sys.exit(refuse(Path(sys.argv[1]).read_text(encoding="utf-8")))
