"""Change one line of the C engine at a time, and check that a test fails: `python -m tests.mutants.engine [WORD]`.

Prints caught or survived for each change, and the share that is caught; exits with 1 below 90 %. WORD chooses changes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SOURCES = PROJECT / "client" / "engine"
LEAST_SHARE = 0.9
# Without the fuzz tests, which take longer than all other tests together.
TESTS = [f"tests/client/target/test_engine{name}.py" for name in ("_calls", "", "_queue")]
MAKE = ("make", "--silent", "CFLAGS=-O0", "WERROR=", "all", "asan")
# Without the plugins and fixtures of the server, which take longer than a mutant.
PYTEST = ("-q", "-x", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir=.", "--confcutdir=tests/client")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of the engine's source. `text` occurs once in the file."""

    file: str
    text: str
    mutated: str
    harm: str


MUTANTS = (
    Mutant("protocol.c", "return RWF_DSYNC;", "return 0;", "a figure of O_DSYNC is a plain write"),
    Mutant("protocol.c", "? RWF_SYNC : 0", "? RWF_DSYNC : 0", "a figure of O_SYNC is one of O_DSYNC"),
    Mutant("protocol.c", "length_bytes > size_bytes - offset_bytes", "0", "the end of the card is passed"),
    Mutant(
        "protocol.c",
        "length_bytes > size_bytes - offset",
        "length_bytes >= size_bytes - offset",
        "the last block is refused",
    ),
    Mutant("protocol.c", "offset_bytes > size_bytes || ", "", "an offset wraps around"),
    Mutant("protocol.c", " || offset_bytes % block_bytes", "", "the kernel meets an offset inside a block"),
    Mutant(
        "protocol.c", "MAX_UNDER_WAY_BYTES / at_once", "MAX_UNDER_WAY_BYTES", "a queue writes past its buffer"
    ),
    Mutant(
        "protocol.c", "*count == MAX_OFFSETS", "*count > MAX_OFFSETS", "one offset too many overwrites a time"
    ),
    Mutant(
        "protocol.c",
        "done);\n\tput_answers(session, done);",
        "done);\n\tput_answers(session, 0);",
        "times before an error are lost",
    ),
    Mutant("queue.c", "*answer = UINT64_MAX;", "*answer = 0;", "a foreign block is said to belong at 0"),
    Mutant(
        "protocol.c", '{"read", handle_read, .open = true}', '{"read", handle_read}', "a read needs no device"
    ),
    Mutant("protocol.c", "\tif (device->fd >= 0)\n", "\tif (0)\n", "a second device replaces the first"),
    Mutant("protocol.c", "session->finished = true;", "session->finished = false;", "quit does not end it"),
    Mutant(
        "protocol.c",
        "status = fflush(output) ? -errno : 0;",
        "fflush(output);",
        "nobody learns that replies are lost",
    ),
    Mutant(
        "protocol.c", "depth > queue_deepest()", "depth > 2 * queue_deepest()", "a queue outgrows its slots"
    ),
    Mutant(
        "protocol.c",
        'mode->exclusive = take_option(rest, "excl ");',
        'mode->exclusive = take_option(rest, "excl ") && false;',
        "a device in use is read",
    ),
    Mutant("device.c", "flags |= O_EXCL;", "flags |= 0;", "a mounted card is written"),
    Mutant("device.c", "mode.direct ? O_DIRECT : 0", "0", "times of memory are called direct"),
    Mutant("device.c", "\t\tdevice->direct = false;\n", "", "a refused O_DIRECT is called direct"),
    Mutant(
        "device.c",
        "(size_t)moved_bytes == length_bytes ? 0",
        "moved_bytes ? 0",
        "a short transfer is a number",
    ),
    Mutant("device.c", "return -ENODEV;", "return status;", "a card pulled out looks like a bad block"),
    Mutant(
        "device.c", "(off_t)offset_bytes, sync_flag)", "(off_t)offset_bytes, 0 * sync_flag)", "no write waits"
    ),
    Mutant("device.c", "int status = fdatasync(device->fd);", "int status = 0;", "sync flushes nothing"),
    Mutant(
        "device.c",
        "\t\tclose(device->fd);\n",
        "\t\tdevice->is_block = false;\n",
        "a closed device stays open",
    ),
    Mutant(
        "device.c",
        "BUFFER_ALIGNMENT_BYTES = 2 * 1024 * 1024",
        "BUFFER_ALIGNMENT_BYTES = 4096",
        "large transfers are cut",
    ),
    Mutant(
        "device.c",
        "sync_flag);\n\n\t*duration_ns = now_ns() - begin_ns;",
        "sync_flag);\n\n\t*duration_ns = begin_ns - begin_ns;",
        "a write takes no time",
    ),
    Mutant(
        "device.c",
        "logical_block_bytes = (uint64_t)logical_block_bytes;",
        "logical_block_bytes = 1;",
        "a block device takes any length",
    ),
    Mutant(
        "queue.c",
        ".rw_flags = (__typeof__(entry.rw_flags))transfers->sync_flag,",
        ".rw_flags = 0,",
        "no queued write waits",
    ),
    Mutant(
        "queue.c",
        "buffer + place * (size_t)",
        "buffer + 0 * place * (size_t)",
        "what is under way shares one buffer",
    ),
    Mutant("queue.c", "run->failed = failed;", "run->failed = 0;", "an error names the wrong position"),
    Mutant("queue.c", "error != EAGAIN && error != EBUSY", "error", "a busy kernel ends a run"),
    Mutant("queue.c", " && !run->status)", ")", "a failing card is written on"),
    Mutant(
        "queue.c",
        "run->filled && run->under_way < run->depth",
        "run->filled && !run->under_way",
        "a queue is one operation deep",
    ),
    Mutant(
        "queue.c",
        "(uint64_t)completion->res == run->transfers->length_bytes)",
        "completion->res)",
        "a failed transfer is a number",
    ),
    Mutant("queue.c", "\t\tclose(ring->fd);\n", "\t\tring->fd = -1;\n", "each queue leaves a ring behind"),
    Mutant("pattern.c", "state += GOLDEN;", "state += 0;", "two sectors are alike"),
    Mutant(
        "pattern.c",
        "length_bytes > POOL_BYTES - place)",
        "length_bytes > POOL_BYTES)",
        "data are taken past the pool",
    ),
    Mutant(
        "pattern.c",
        "words[i] = htole64(mix((i + 1) * GOLDEN));",
        "words[i] = htole64(mix((i % 64 + 1) * GOLDEN));",
        "data can be compressed",
    ),
    Mutant(
        "pattern.c",
        "for (size_t done = 0; done < length_bytes; done += SECTOR",
        "for (size_t done = 0; done < 1; done += SECTOR",
        "only the first sector is checked",
    ),
    Mutant("text.c", "status = -EINVAL;\n", "status = 0;\n", "a NUL byte is skipped"),
    Mutant(
        "text.c", "length == MAX_LINE_BYTES", "length == MAX_LINE_BYTES - 1", "the longest line is refused"
    ),
    Mutant(
        "text.c",
        "__builtin_mul_overflow(number, UINT64_C(10), &number) ||",
        "(number *= 10, false) ||",
        "a number wraps around",
    ),
    Mutant("text.c", "if (*word < '0' || *word > '9')", "if (*word > '9')", "a sign is a digit"),
    Mutant("text.c", "char text[21];", "char text[20];", "the largest number overwrites memory"),
    Mutant("text.c", "NAMED(ERANGE), ", "", "an error of the protocol has no name"),
    Mutant("main.c", "argc != 1", "argc > 9", "arguments are taken and not heard"),
    Mutant("main.c", "signal(SIGPIPE, SIG_IGN);", "signal(SIGPIPE, SIG_DFL);", "it dies without a word"),
    Mutant("main.c", "status ? EXIT_FAILURE : EXIT_SUCCESS", "EXIT_SUCCESS", "a failure looks like success"),
)


def main() -> int:
    """Print a line for each change, then the share that is caught; return the exit status."""
    chosen = [mutant for mutant in MUTANTS if "".join(sys.argv[1:2]) in f"{mutant.file} {mutant.text}"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        caught = sum(map(_report, chosen, pool.map(is_caught, chosen)))
    print(f"engine: {caught} of {len(chosen)} mutants caught, {caught / len(chosen):.0%}")
    return int(caught < LEAST_SHARE * len(chosen))


def _report(mutant: Mutant, caught: bool) -> bool:
    print("caught  " if caught else "SURVIVED", f"{mutant.file:<11}", mutant.harm, flush=True)
    return caught


def is_caught(mutant: Mutant) -> bool:
    """Return whether a test fails on the engine with this change. Raise CalledProcessError if it does not compile."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as directory:
        sources = shutil.copytree(SOURCES, Path(directory) / "engine", ignore=shutil.ignore_patterns("build"))
        (sources / mutant.file).write_text(mutate(mutant), encoding="utf-8")
        subprocess.run([*MAKE, "-C", sources], check=True, stderr=subprocess.DEVNULL)
        environment = {"ENGINE_BUILD": str(sources / "build"), "PYTHONPATH": "client:."}
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", *PYTEST, f"--basetemp={directory}/tmp", *TESTS]
        done = subprocess.run(
            command, cwd=PROJECT, env=os.environ | environment, capture_output=True, check=False
        )
    assert done.returncode in (0, 1), done.stdout.decode()
    return done.returncode == 1


def mutate(mutant: Mutant) -> str:
    """Return the whole source file of the engine with the change."""
    return (SOURCES / mutant.file).read_text(encoding="utf-8").replace(mutant.text, mutant.mutated)


if __name__ == "__main__":
    sys.exit(main())
