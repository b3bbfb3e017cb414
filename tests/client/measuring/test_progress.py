"""The progress line moves with time, shows the remaining time, and never breaks a run."""

import io
from dataclasses import dataclass

from cardbench.measuring.progress import Progress


@dataclass
class Part:
    title: str
    weight: int


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Gone(Terminal):
    def write(self, _text: str) -> int:
        raise OSError(5, "Input/output error")


PARTS = [Part("reading", 10), Part("write cache", 30), Part("writing", 60)]


def test_it_moves_within_a_step_and_never_back():
    clock = Clock()
    progress, shares = Progress(PARTS, stream=io.StringIO(), clock=clock), []
    for number, part in enumerate(PARTS):
        progress(number, part)
        for _ in range(20):
            shares.append(progress.share)
            clock.now += part.weight / 20
    assert shares == sorted(set(shares))
    assert shares[20] == 0.1 and shares[40] == 0.4 and shares[-1] < 1


def test_what_is_left_is_true_where_weights_are():
    clock = Clock()
    progress = Progress(PARTS, stream=io.StringIO(), clock=clock)
    progress(0, PARTS[0])
    clock.now += 20  # twice as long as its weight
    progress(1, PARTS[1])
    assert "3 min left" in progress.line  # 180 s
    clock.now += 60
    progress(2, PARTS[2])
    assert "2 min left" in progress.line and progress.line.endswith("writing")


def test_a_terminal_shows_it_and_one_that_is_gone_does_no_harm():
    for stream in (Terminal(), Gone()):
        progress = Progress(PARTS, stream=stream)
        progress(0, PARTS[0])
        progress.finish()
    quiet = io.StringIO()
    Progress(PARTS, stream=quiet)(0, PARTS[0])
    assert quiet.getvalue() == ""
