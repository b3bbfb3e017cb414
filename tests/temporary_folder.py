"""Print the folder for the temporary files of tests: in memory if there is room, else on the disk.

On some disks a new file takes a hundred times as long. The disk is also chosen if the file system in memory has no
direct I/O (before Linux 6.6), with which the client measures.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM_BYTES = 3 * 2**30  # a run has some 500 MB at once


def choose(memory: Path = MEMORY) -> Path:
    """Return the folder for temporary files; TMPDIR overrides the choice."""
    disk = Path(tempfile.gettempdir())
    with suppress(OSError):
        if not os.environ.get("TMPDIR") and shutil.disk_usage(memory).free >= ROOM_BYTES:
            with tempfile.NamedTemporaryFile(dir=memory) as file:
                os.close(os.open(file.name, os.O_RDWR | os.O_DIRECT))
            return memory
    return disk


if __name__ == "__main__":
    print(choose())
