"""What is dear to read is read in a process of its own, with limits that the kernel holds."""

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from submissions.apart import tasks, workshop
from submissions.domain.errors import ReportError
from submissions.domain.intake.lines import MAX_BYTES
from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Label
from tests.attack.hostile import TEXTS

HDPARM = b" Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"
SANDISK = Claims(label=Label(brand="SanDisk"))


@pytest.fixture(name="shop")
def _shop() -> Iterator[workshop.Workshop]:
    shop = workshop.Workshop()
    yield shop
    shop.close()


def cpu_of_children(work: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_it_works(shop: workshop.Workshop) -> None:
    assert shop.do("preview", HDPARM, {}).numbers.understood == 3
    assert b"21.63" in shop.do("take", HDPARM, SANDISK).body
    assert shop.do("inspect", HDPARM, SANDISK).reading.tools == ("hdparm",)


def test_a_refusal_arrives_as_it_was_raised(shop: workshop.Workshop) -> None:
    with pytest.raises(ReportError) as refused:
        shop.do("take", b"nothing to see", SANDISK)
    assert (refused.value.code, refused.value.field) == ("nothing_understood", "text")


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_takes_more_than_two_seconds(name: str, shop: workshop.Workshop) -> None:
    """security.md #4, intake.md #7."""
    text = TEXTS[name]
    assert len(text) <= MAX_BYTES

    def read() -> None:
        try:
            shop.do("preview", text, {})
        except ReportError as refused:
            assert refused.code == "too_large" and refused.field == "text"
        started = shop.process
        assert started and not shop.do("preview", HDPARM, {}).problem and shop.process is started
        shop.close()

    def rest() -> None:
        shop.do("preview", HDPARM, {})
        shop.close()

    # The alarm rings at 2 s; taking 8 MB over is the rest.
    assert cpu_of_children(read) - cpu_of_children(rest) < 2.4


def test_the_longest_log_in_public_is_read() -> None:
    """As long as a night of flashbench: seventeen thousand lines, a fifth of them rows."""
    row = "align {}\tpre 1.{}ms\ton 1.5ms\tpost 1.2ms\tdiff 301µs\n"
    rows = (
        row.format(2 ** (33 - n % 24), n % 9) + "time_read: Input/output error\n" * 4 for n in range(3_408)
    )
    text = "".join(rows)
    assert workshop.preview(text.encode(), answers={}).numbers.understood == 3_408 * 5


def test_what_was_killed_says_so_and_the_next_is_done(shop: workshop.Workshop) -> None:
    shop.do("preview", HDPARM, {})
    assert shop.process
    os.kill(shop.process.pid, signal.SIGKILL)
    shop.process.wait()
    assert shop.do("preview", HDPARM, {}).report


def test_it_steps_back_behind_pages(shop: workshop.Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "NICENESS", 3)
    shop.do("preview", HDPARM, {})
    assert shop.process
    mine, its = os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_PROCESS, shop.process.pid)
    assert its == min(mine + 3, 19)


def test_one_that_does_not_answer_is_ended(shop: workshop.Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.do("preview", HDPARM, {})
    assert shop.process
    monkeypatch.setattr(workshop, "PATIENCE_S", 0.2)
    os.kill(shop.process.pid, signal.SIGSTOP)
    with pytest.raises(workshop.Busy, match="send it again"):
        shop.do("preview", HDPARM, {})
    monkeypatch.setattr(workshop, "PATIENCE_S", 20.0)
    assert shop.do("preview", HDPARM, {}).report


def test_only_a_few_wait(shop: workshop.Workshop) -> None:
    """The other threads of the web process go on with pages."""
    slow = b"1 2 3 4 5 6 7 8\n" * 49_000

    def ask(_: int) -> str:
        try:
            shop.do("preview", slow, {})
        except ReportError as refused:
            return refused.code
        return "done"

    with ThreadPoolExecutor(10) as pool:
        began = time.monotonic()
        answers = list(pool.map(ask, range(10)))
    assert answers.count("busy") >= 10 - 2 * workshop.MOST_WAITING
    assert time.monotonic() - began < workshop.PATIENCE_S


def test_every_task_has_its_limits() -> None:
    assert all(task.cpu_s <= 2 and task.memory_bytes < 2**29 for task in tasks.TASKS.values())
