"""The engine does exactly as requested, and says so if it cannot."""

import os
import subprocess
import zlib
from pathlib import Path

import pytest
from cardbench.target.engine import Engine, EngineError

MIB = 1024**2
MASK = 2**64 - 1


def mix(z: int) -> int:
    """Return the output function of SplitMix64, as PROTOCOL.md defines it."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def expected_data(offset_bytes: int, length_bytes: int, seed: int) -> bytes:
    sectors = range(offset_bytes // 512, (offset_bytes + length_bytes) // 512)
    return b"".join(expected_sector(sector, seed) for sector in sectors)


def expected_sector(sector: int, seed: int) -> bytes:
    golden, first = 0x9E3779B97F4A7C15, sector % 8192 * 64
    stamp = mix(mix(seed) + (sector + 1) * golden & MASK)
    words = [stamp, *(mix((first + w + 1) * golden & MASK) for w in range(1, 64))]
    return b"".join(word.to_bytes(8, "little") for word in words)


def talk(engine: str | list[str], *lines: str | bytes) -> list[str]:
    """Send lines to an engine, given by its path or command; return its reply lines.

    Assert that it ends with status 0.
    """
    text = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    command = [engine] if isinstance(engine, str) else engine
    done = subprocess.run(command, input=text, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_it_works(engine, image):
    opened = engine.open(str(image))
    assert (opened.size_bytes, opened.kind, opened.logical_block_bytes) == (32 * MIB, "file", 512)
    times_ns = engine.read(4096, [0, 4096, 31 * MIB])
    assert len(times_ns) == 3
    assert all(time_ns > 0 for time_ns in times_ns)


def test_it_writes_what_the_protocol_says(engine, image):
    engine.open(str(image), write=True)
    assert min(engine.write(4096, [8192, 0], seed=7)) > 0
    assert engine.sync() > 0
    content = image.read_bytes()
    assert content[:4096] == expected_data(0, 4096, 7)
    assert content[8192:12288] == expected_data(8192, 4096, 7)
    assert content[4096:8192] == bytes(4096)


def test_data_does_not_depend_on_the_length_it_was_written_with(engine, image):
    engine.open(str(image), write=True)
    engine.write(MIB, [0], seed=3)
    engine.write(512, [MIB + 512], seed=3)
    content = image.read_bytes()
    assert content[4096:8192] == expected_data(4096, 4096, 3)
    assert content[MIB + 512 : MIB + 1024] == expected_data(MIB + 512, 512, 3)


def test_data_lies_across_the_end_of_the_pool_as_elsewhere(engine, image):
    engine.open(str(image), write=True)
    engine.write(8192, [4 * MIB - 4096], seed=3)
    assert image.read_bytes()[4 * MIB - 4096 : 4 * MIB + 4096] == expected_data(4 * MIB - 4096, 8192, 3)


@pytest.mark.parametrize("length_bytes", [512, 40 * 1024, 10 * MIB])
def test_what_is_written_cannot_be_compressed_and_no_two_sectors_are_alike(engine, image, length_bytes):
    engine.open(str(image), write=True)
    count = min(2048, 30 * MIB // length_bytes)
    engine.write(length_bytes, [number * length_bytes for number in range(count)], seed=5)
    content = image.read_bytes()[: count * length_bytes]
    assert len(zlib.compress(content[:MIB], 1)) > len(content[:MIB])
    sectors = {content[at : at + 512] for at in range(0, len(content), 512)}
    assert len(sectors) == len(content) // 512


def test_what_was_written_at_once_differs_as_well(engine, image):
    engine.open(str(image), write=True)
    if engine.max_queue_depth == 1:
        pytest.skip("no io_uring here")
    engine.run_queue("write", 4096, [number * 4 * MIB for number in range(8)], depth=8, seed=5)
    content = image.read_bytes()
    for offset in range(0, 32 * MIB, 4 * MIB):
        assert content[offset : offset + 4096] == expected_data(offset, 4096, 5)


def test_the_last_block_can_be_read_and_the_one_behind_cannot(engine, image):
    engine.open(str(image))
    assert len(engine.read(4096, [32 * MIB - 4096])) == 1
    for offset in (32 * MIB - 3584, 32 * MIB, 2**63, 2**64 - 512):
        with pytest.raises(EngineError) as refused:
            engine.read(4096, [0, offset])
        assert (refused.value.code, refused.value.durations_ns) == ("ERANGE", ())


def test_a_file_opened_for_reading_is_not_written(engine, image):
    engine.open(str(image))
    with pytest.raises(EngineError) as refused:
        engine.write(4096, [0], seed=1)
    assert refused.value.code == "EBADF"
    assert image.read_bytes() == bytes(32 * MIB)


def test_a_refused_request_has_done_nothing(engine, image):
    engine.open(str(image), write=True)
    with pytest.raises(EngineError):
        engine.write(4096, [0, 64 * MIB], seed=1)
    assert image.read_bytes() == bytes(32 * MIB)


def test_a_device_that_shrinks_is_an_error_and_never_a_number(engine, image):
    engine.open(str(image))
    os.truncate(image, MIB)
    with pytest.raises(EngineError) as failed:
        engine.read(4096, [0, 4096, 2 * MIB, 8192])
    assert failed.value.code == "EIO"
    assert len(failed.value.durations_ns) == 2


def test_a_transfer_that_ends_short_is_an_error(engine, image):
    engine.open(str(image), direct=False)
    os.truncate(image, MIB + 512)
    with pytest.raises(EngineError) as failed:
        engine.read(4096, [MIB])
    assert failed.value.code == "EIO"


def test_a_full_device_is_an_error(engine_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    # /dev/full cannot be used, because it is no block device and is refused before a write.
    assert talk(engine_path, "open write direct /dev/full")[0].startswith("error ENOTSUP")


@pytest.mark.parametrize("kind", ["directory", "pipe", "missing"])
def test_only_block_devices_and_files_are_opened(engine, tmp_path, kind):
    path = tmp_path / kind
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(EngineError) as refused:
        engine.open(str(path))
    assert refused.value.code == ("ENOENT" if kind == "missing" else "ENOTSUP")


def test_a_path_may_hold_blanks(engine, image):
    image.rename(image.with_name("excl my card.img"))
    assert engine.open(str(image.with_name("excl my card.img"))).size_bytes == 32 * MIB


def test_close_makes_room_for_another_device(engine, image):
    engine.open(str(image))
    with pytest.raises(EngineError) as refused:
        engine.open(str(image))
    assert refused.value.code == "EBUSY"
    engine.close()
    assert str(image) not in open_files(engine)
    engine.open(str(image), direct=False)


def open_files(engine: Engine) -> list[str]:
    return [str(entry.readlink()) for entry in Path(f"/proc/{engine._process.pid}/fd").iterdir()]


def test_buffered_is_said(engine, image):
    assert engine.open(str(image), direct=False).io == "buffered"


def test_4096_offsets_fit_into_one_request(engine, image):
    engine.open(str(image))
    assert len(engine.read(512, [31 * MIB + 512 * (number % 2048) for number in range(4096)])) == 4096
    with pytest.raises(EngineError) as refused:
        engine.read(512, [0] * 4097)
    assert refused.value.code == "E2BIG"


def test_4096_of_the_longest_offsets_fit_into_one_line(engine, image):
    engine.open(str(image))
    with pytest.raises(EngineError) as refused:
        engine.read(512, [2**64 - 512] * 4096)
    assert refused.value.code == "ERANGE"


@pytest.mark.parametrize(
    ("request_line", "code"),
    [
        ("", "EINVAL"),
        ("dance", "EINVAL"),
        ("hello you", "EINVAL"),
        ("open", "EINVAL"),
        ("open read direct relative.img", "EINVAL"),
        ("open append direct /dev/null", "EINVAL"),
        ("open read direct /" + "x" * 5000, "ENAMETOOLONG"),
        ("read", "EBADF"),
        ("read 512 0", "EBADF"),
        ("write 512 1 0", "EBADF"),
        ("sync", "EBADF"),
        ("close", "EBADF"),
        (b"hello\0", "EINVAL"),
        ("x" * 131_072, "EINVAL"),
        ("x" * 131_073, "E2BIG"),
    ],
)
def test_what_it_does_not_understand_it_refuses_and_goes_on(engine_path, request_line, code):
    refusal, greeting = talk(engine_path, request_line, "hello")
    assert refusal.startswith(f"error {code} ")
    assert greeting.startswith("ok cardbench-engine 1 ")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("", "EINVAL"),
        ("512", "EINVAL"),
        ("0 0", "EINVAL"),
        ("511 0", "EINVAL"),
        ("512 1", "EINVAL"),
        ("512 -512", "EINVAL"),
        ("512 0x200", "EINVAL"),
        ("512 18446744073709551616", "EINVAL"),
        ("99999999999999999999999 0", "EINVAL"),
        ("512  0", "EINVAL"),
        ("512 0\t", "EINVAL"),
        ("33554432 0", "E2BIG"),
    ],
)
def test_a_malformed_read_is_refused(engine_path, image, arguments, code):
    replies = talk(engine_path, f"open read buffered {image}", f"read {arguments}", "read 512 0")
    assert replies[1].startswith(f"error {code} ")
    assert replies[2].startswith("ok ")


@pytest.mark.parametrize("seed", ["-", "/", "+1", "x"])
def test_a_seed_has_nothing_but_digits(engine_path, image, seed):
    replies = talk(engine_path, f"open write direct {image}", f"write 512 {seed} 0")
    assert replies[1].startswith("error EINVAL ")


def test_the_end_of_the_input_ends_it(engine_path):
    assert talk(engine_path) == []


def test_quit_ends_it(engine_path):
    assert talk(engine_path, "quit", "hello") == ["ok"]


def test_it_takes_no_arguments(engine_path):
    done = subprocess.run([engine_path, "/dev/sda"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_client_that_went_away_is_an_error(engine_path):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([engine_path], input=b"hello\n", stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, b"Broken pipe" in done.stderr) == (1, True)


def test_a_block_device_is_measured(engine, loop_device):
    opened = engine.open(str(loop_device))
    assert (opened.size_bytes, opened.logical_block_bytes, opened.kind) == (32 * MIB, 512, "block")
    assert len(engine.read(MIB, [0, 31 * MIB])) == 2


def test_a_block_device_that_is_another_one_now(engine, loop_device, image):
    engine.open(str(loop_device))
    os.truncate(image, MIB)
    subprocess.run(["losetup", "--set-capacity", loop_device], check=True)
    with pytest.raises(EngineError) as gone:
        engine.read(4096, [0, 2 * MIB])
    assert (gone.value.code, len(gone.value.durations_ns)) == ("ENODEV", 1)


def test_a_block_device_in_use_is_not_opened_for_writing(engine, loop_device):
    holder = os.open(loop_device, os.O_RDONLY | os.O_EXCL)
    try:
        with pytest.raises(EngineError) as refused:
            engine.open(str(loop_device), write=True)
        assert refused.value.code == "EBUSY"
        with pytest.raises(EngineError):
            engine._ask(f"open read direct excl {loop_device}")
        engine.open(str(loop_device))
    finally:
        os.close(holder)


def test_memory_stays_small(fast_engine_path, image):
    with Engine([fast_engine_path]) as engine:
        engine.open(str(image), write=True)
        engine.write(16 * MIB, [0, 16 * MIB], seed=1)
        status = Path(f"/proc/{engine._process.pid}/status").read_text()
    peak_kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    assert peak_kib <= 32 * 1024


def test_a_last_line_without_its_newline_is_not_done(engine_path, image):
    begun = f"open write direct {image}\nwrite 4096 7 0\nwrite 512 7 1048576"  # of "1048576..."
    done = subprocess.run([engine_path], input=begun.encode(), capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.decode().count("ok ")) == (0, 2)
    assert image.read_bytes()[MIB : 2 * MIB] == bytes(MIB)
