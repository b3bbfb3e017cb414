"""The engine, built with sanitizers, replies to any random line with one line and ends without an error."""

import subprocess

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

VERBS = ["hello", "open", "read", "write", "sync", "queue", "check", "dsync", "close"]
NUMBERS = ["0", "512", "4096", "1048576", "18446744073709551615", "-1", "99999999999999999999"]
OTHERS = ["direct", "buffered", "excl", "", "PATH", "/", "/dev/null", "\x7f", "ok"]
WORDS = st.sampled_from([*VERBS, *NUMBERS, *OTHERS])
LINES = st.lists(WORDS, max_size=8).map(" ".join) | st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=200
)
REQUESTS = st.lists(LINES, max_size=30)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REQUESTS)
def test_every_line_is_answered(build_directory, image, lines):
    lines = [f"open write direct {image}", *(line.replace("PATH", str(image)) for line in lines)]
    done = subprocess.run(
        [build_directory / "cardbench-engine-asan"],
        input="".join(line + "\n" for line in lines).encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    replies = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(replies) == len(lines)
    assert all(reply.split(" ")[0] in ("ok", "error") for reply in replies)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=2000))
def test_bytes_do_no_harm(build_directory, noise):
    noise = noise.replace(b"quit", b"")
    done = subprocess.run(
        [build_directory / "cardbench-engine-asan"],
        input=noise + b"\nhello\n",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[-1].startswith(b"ok cardbench-engine")
