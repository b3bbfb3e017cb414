"""Judge the observations of a check: find the most serious verdict that holds, with a sentence and its reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from cardbench.measuring import capacity
from cardbench.measuring.checkup import Evidence
from cardbench.measuring.scan import merge_areas
from cardbench.sizes import MIB, SECOND_NS, binary

_SLOWEST_BYTES_PER_S = 1e6  # half the rate of the slowest speed class
_LONG_S = 20  # fewest seconds of writing to judge its speed
_LEAST_GAIN = 1.2
_LEAST_LOST = 6  # by chance, all of six are in one half only in one of 64 cases (2^-6)
REPLACE = "Copy your files off it, and replace it."
UNLOCK = (
    "If its lock switch is on, turn it off and try again. Otherwise it is probably worn out: copy your files off"
    " it, and replace it."
)
# The kernel's words for an error of a device, not for a delay or a corrected error of the bus.
_FATAL = ("I/O error", "error -")


@dataclass(frozen=True)
class Verdict:
    """A verdict on a card: `kind` for programs, and `sentence` for people, which includes the next step."""

    # well, readable, complained, gone, errors, worn_out, read_only, too_small, changes, queue or slow
    kind: str
    sentence: str
    details: tuple[str, ...] = ()

    @property
    def is_well(self) -> bool:
        """Return whether nothing speaks against the card."""
        return self.kind in ("well", "readable")

    @property
    def is_bad(self) -> bool:
        """Return whether the card should not be trusted."""
        return not self.is_well and self.kind != "complained"


READ_ONLY = Verdict("read_only", f"It is read-only. {UNLOCK}")


def judge(evidence: Evidence) -> Verdict:
    """Return the most serious verdict that the observations support, with its reasons and the checks that were made."""
    rules = (
        _judge_presence,
        _judge_size,
        _judge_read_errors,
        _judge_write_errors,
        _judge_wear,
        _judge_silent_stop,
        _judge_changes,
        _judge_queue,
        _judge_speed,
        _judge_complaints,
    )
    verdict = next((verdict for verdict in (rule(evidence) for rule in rules) if verdict), None)
    verdict = verdict or (_well(evidence) if evidence.stamps else _readable(evidence))
    return Verdict(verdict.kind, verdict.sentence, (*verdict.details, *_describe_checks(evidence)))


def _judge_presence(evidence: Evidence) -> Verdict | None:
    if not evidence.gone:
        return None
    words = "stopped responding" if evidence.gone == "ETIMEDOUT" else "disappeared"
    return Verdict(
        "gone", f"It {words} during the check ({evidence.gone}): copy your files off it, and replace it."
    )


def _judge_size(evidence: Evidence) -> Verdict | None:
    real = evidence.held
    if real is None or real.kind not in ("limbo", "wraparound", "chain"):
        return None
    says, holds = evidence.size_bytes / 1e9, real.real_bytes / 1e9
    digits = 1 if holds >= 1 else 3
    of = f"{says:.{digits}f} GB of its free space" if evidence.is_own_file else f"{says:.{digits}f} GB"
    how = capacity.words(real.kind, real.real_bytes, evidence.size_bytes)
    what = "It is a fake: ask for your money back."
    if evidence.ends_in_errors:
        how = (
            f"everything up to {holds:.2f} GB ({binary(real.real_bytes)}) works, and everything beyond it"
            " gives errors"
        )
        what = "It is a fake, or broken beyond that point: do not use it, and ask for your money back."
    return Verdict(
        "too_small", f"Smaller than it claims: it holds only {holds:.{digits}f} of {of}. {what}", (how,)
    )


def _judge_read_errors(evidence: Evidence) -> Verdict | None:
    if not (areas := evidence.bad_areas):
        return None
    named = ", ".join(f"{binary(length)} at {start / 1e9:.3f} GB" for start, length in areas[:3])
    count = "an area" if len(areas) == 1 else f"{len(areas)} areas"
    return Verdict("errors", f"It has errors: {count} cannot be read ({named}). {REPLACE}")


def _judge_write_errors(evidence: Evidence) -> Verdict | None:
    if "EROFS" in evidence.write_errors or "EACCES" in evidence.write_errors:
        return READ_ONLY
    if evidence.write_errors:
        words = f"It can be read, but no longer written to ({evidence.write_errors[0]}): it is worn out."
        return Verdict("worn_out", f"{words} {REPLACE}")
    return None


def _judge_wear(evidence: Evidence) -> Verdict | None:
    if not evidence.is_used_up:
        return None
    return Verdict("worn_out", f"The card reports that it is worn out, though it still works. {REPLACE}")


def _judge_silent_stop(evidence: Evidence) -> Verdict | None:
    # A card that became read-only without an error loses everything from some block on.
    lost = set(evidence.lost)
    kept = next((at for at, place in enumerate(evidence.written) if place in lost), 0)
    if len(lost) < 2 or evidence.written[kept:] != evidence.lost:
        return None
    if kept:
        words = f"After {kept * MIB / 1e6:.0f} MB, it stopped storing what is written, without an error"
    elif evidence.held and not evidence.held.real_bytes:
        words = "It accepts writes without an error but stores none of them"
    else:
        return None
    return Verdict("read_only", f"{words}: it has made itself read-only. {REPLACE}")


def _judge_changes(evidence: Evidence) -> Verdict | None:
    damaged = evidence.held is not None and evidence.held.kind == "damaged"
    if not (evidence.changed_blocks or damaged) or (_is_lost_in_queue(evidence) and not damaged):
        return None
    twice = evidence.scan.changed if evidence.scan else ()
    details = (
        f"{len(evidence.lost)} of {len(evidence.written)} blocks did not contain what was written to them"
        if evidence.lost
        else "",
        f"{len(twice)} blocks returned different data each time" if twice else "",
        "some of the marker blocks spread over the card were lost" if damaged else "",
    )
    sentence = (
        "It returns different data from what was written, without an error: do not trust it, and replace it."
    )
    return Verdict("changes", sentence, tuple(filter(None, details)))


def _is_lost_in_queue(evidence: Evidence) -> bool:
    # True if only blocks written in a queue are lost, although as many were written one at a time.
    twice = evidence.scan.changed if evidence.scan else ()
    return (
        len(evidence.lost) >= _LEAST_LOST
        and not twice
        and evidence.written_in_queue.issuperset(evidence.lost)
    )


def _judge_queue(evidence: Evidence) -> Verdict | None:
    if not evidence.changed_in_queue and not _is_lost_in_queue(evidence):
        return None
    count = len(evidence.changed_in_queue) + len(evidence.lost)
    sentence = (
        "Unsafe with a command queue: it returns correct data with one command at a time, but not with"
        " several in progress. Turn the queue off (on a Raspberry Pi: dtparam=sd_cqe=0 in config.txt), and"
        " check the card again."
    )
    return Verdict(
        "queue",
        sentence,
        (f"{count} blocks were wrong in a queue, but correct with one command at a time",),
    )


def _judge_complaints(evidence: Evidence) -> Verdict | None:
    if not evidence.complaints:
        return None
    is_fatal = any(word in line for line in evidence.complaints for word in _FATAL)
    times = "once" if len(evidence.complaints) == 1 else f"{len(evidence.complaints)} times"
    sentence = (
        f"This check found nothing wrong, but the kernel has complained about the card {times} since it"
        f" was inserted, most recently: “{evidence.complaints[-1]}”. "
    )
    sentence += REPLACE if is_fatal else "Try another slot or reader, and check the card again."
    return Verdict("errors" if is_fatal else "complained", sentence)


def _judge_speed(evidence: Evidence) -> Verdict | None:
    # A slow card writes hardly any data in the second half of the time.
    if sum(evidence.write_ns) < _LONG_S * SECOND_NS:
        return None
    later = _second_half(evidence.write_ns)
    after = len(later) * MIB * SECOND_NS / sum(later)
    if after >= _SLOWEST_BYTES_PER_S:
        return None
    before = MIB * SECOND_NS / median(evidence.write_ns[:16])
    words = (
        f"It keeps what is written, but it is slow: {before / 1e6:.1f} MB/s at first, later"
        f" {after / 1e6:.2f} MB/s."
    )
    return Verdict(
        "slow", f"{words} This speed is below every speed class: the card is worn out, or very cheap."
    )


def _second_half(times_ns: list[int]) -> list[int]:
    ends = [*accumulate(times_ns)]
    return [time_ns for time_ns, end in zip(times_ns, ends) if 2 * end > ends[-1]]


def _well(evidence: Evidence) -> Verdict:
    size = f"{evidence.size_bytes / 1e9:.1f} GB"
    if evidence.is_own_file:
        sentence = (
            f"Healthy: marker blocks spread over {size} of its free space, and all other test data, came"
            " back unchanged."
        )
    else:
        sentence = f"Genuine and healthy: it really holds {size}, and returned everything that was written."
    if not evidence.is_card:
        sentence = f"This is a fixed disk, not a card. {sentence.replace('Genuine and healthy', 'Healthy')}"
    return Verdict("well", sentence)


def _readable(evidence: Evidence) -> Verdict:
    size = f"{evidence.size_bytes / 1e9:.1f} GB"
    sentence = (
        "As far as reading can show, it is healthy. Only a test that writes can show whether it really"
        f" holds {size}: check a directory on it, or an empty card with --destructive."
    )
    if not evidence.is_card:
        sentence = "This is a fixed disk, not a card. As far as reading can show, it is healthy."
    return Verdict("readable", sentence)


def _describe_checks(evidence: Evidence) -> Iterator[str]:
    if evidence.scan and evidence.scan.done:
        yield from _describe_scan(evidence)
    if evidence.written:
        yield f"{len(evidence.written) * MIB / 1e6:.0f} MB were written and read back"
    if evidence.stamps:
        gap = f", at most {_round_up(evidence.widest_gap_bytes)} apart" if evidence.widest_gap_bytes else ""
        yield f"{evidence.stamps} marker blocks were spread over it{gap}, and checked at the end"
    if evidence.queue_gain and evidence.is_card and not evidence.changed_in_queue:
        gain = f"small reads are {evidence.queue_gain:.1f} times as fast with the queue"
        words = "leave it on" if evidence.queue_gain >= _LEAST_GAIN else "it makes no difference here"
        yield f"no errors with a command queue, and {gain}: {words}"


def _describe_scan(evidence: Evidence) -> Iterator[str]:
    assert evidence.scan
    scan = evidence.scan
    gap_bytes = scan.grid.largest_gap_bytes(scan.done)
    found = (
        f"any bad area larger than {_round_up(gap_bytes)} would have been found"
        if gap_bytes
        else "every block"
    )
    yield f"{_floor_percent(scan.share)} % of the card was read: {found}"
    if scan.verified and not scan.changed and not evidence.changed_in_queue:
        how = "twice, with and without a command queue," if scan.depth > 1 else "twice,"
        yield f"{scan.verified:,} blocks were read {how} with the same result"
    if areas := merge_areas(scan.slow, scan.grid.block_bytes):
        named = ", ".join(f"{start / 1e9:.3f} GB" for start, _ in areas[:3])
        yield f"areas that were slow each time they were read: {len(areas)}, for example at {named}"
    if scan.depth == 1:
        yield "cardbench could not test a command queue, because this kernel offers none"


def _floor_percent(share: float) -> str:
    # Never 100 before everything was read.
    percent = 100 * share
    return f"{int(percent)}" if percent >= 1 else f"{int(100 * percent) / 100:g}"


def _round_up(size_bytes: int) -> str:
    unit = MIB if size_bytes > MIB else 1024
    return binary(-(-size_bytes // unit) * unit)
