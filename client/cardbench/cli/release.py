"""Tell whether this program is the released cardbench.pyz, by the signature file beside it, without a server."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

# In the format of ssh-keygen. README.md has the same line, for people who verify a program without running it.
SIGNER = 'release namespaces="file" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINWOuoZmCtQqle0SaYWzr+IAK/WonlerUxMK+g12QGWP'


def describe_release(program: Path) -> tuple[str, int]:
    """Return a text that says whether a program is a released version, and an exit status.

    The status is 1 if the signature is wrong, else 0.
    """
    if program.suffix != ".pyz":
        return "This is not cardbench.pyz, the file that we sign: ask whoever installed cardbench here.", 0
    digest = f"SHA-256 {hashlib.sha256(program.read_bytes()).hexdigest()}\n"
    signature = program.with_name(f"{program.name}.sig")
    if not signature.is_file():
        return (
            f"{digest}We cannot check whether this is a released version: {signature.name} is not in the"
            " same directory.",
            0,
        )
    try:
        problem = _verify(program, signature)
    except OSError as error:
        return f"{digest}Its signature cannot be verified: {error}. On Debian: apt install openssh-client", 0
    if problem:
        return f"{digest}This is NOT a released version: {problem}", 1
    return f"{digest}This is a released version: it is signed with the release key.", 0


def _verify(program: Path, signature: Path) -> str:
    """Return the error that ssh-keygen prints, or "" if the signature is right. Raises OSError without ssh-keygen."""
    with tempfile.NamedTemporaryFile("w") as signers, program.open("rb") as content:
        signers.write(f"{SIGNER}\n")
        signers.flush()
        command = ["ssh-keygen", "-Y", "verify", "-n", "file", "-I", "release", "-f", signers.name]
        done = subprocess.run(
            [*command, "-s", str(signature)], stdin=content, capture_output=True, text=True, check=False
        )
    return (done.stderr or done.stdout).strip() if done.returncode else ""
