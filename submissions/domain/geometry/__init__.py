"""Infer the inner geometry of flash memory from tables that flashbench or cardbench printed.

The rules are those of people who read such tables (flashbench's README; A. Bergmann, LWN 428584). Each answer has a
confidence and its reasoning in sentences; where a table is unclear, there is no answer.
"""

from collections.abc import Iterator, Sequence

from submissions.domain.geometry.agreement import Consensus, Reading, consensus
from submissions.domain.geometry.boundaries import erase_block, page
from submissions.domain.geometry.fat import fat_area
from submissions.domain.geometry.inference import QUANTITIES, Inference, confidence_of, value_in_words
from submissions.domain.geometry.open_aus import limit_confidence, open_aus
from submissions.domain.geometry.stated import stated_inferences
from submissions.domain.geometry.timing_tables import align_table, fat_table, open_au_size, open_au_tables
from submissions.domain.measuring.normalize import Measured


def infer(measured: Sequence[Measured], *, size_bytes: int | None) -> tuple[Inference, ...]:
    """Return an inference for each quantity of geometry that the tables of flashbench in one run show.

    Where a table is unclear, the inference has no answer.
    """
    return tuple(_inferences(measured, size_bytes))


def _inferences(measured: Sequence[Measured], size_bytes: int | None) -> Iterator[Inference]:
    boundaries = align_table(measured)
    block = erase_block(boundaries, size_bytes) if boundaries else None
    if boundaries and block:
        yield block
        yield page(boundaries)
    yield from _open_aus(measured, block)
    first_blocks = fat_table(measured)
    if first_blocks:
        yield fat_area(first_blocks)


def _open_aus(measured: Sequence[Measured], block: Inference | None) -> Iterator[Inference]:
    # Tools measure in linear order first.
    linear, scattered = (open_au_tables(measured, order) for order in ("sequential", "random"))
    fits = block is not None and block.value is not None and block.value == open_au_size(measured)
    in_order = open_aus("open_au_linear", linear, later=scattered) if linear else None
    if in_order:
        yield in_order if fits else limit_confidence(in_order)
    if scattered:
        alone = linear.get(min(scattered))
        random = open_aus("open_au_random", scattered, linear=in_order, linear_alone=alone)
        yield random if fits else limit_confidence(random)
