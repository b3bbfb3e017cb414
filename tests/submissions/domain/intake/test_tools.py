"""Tests that the registry of tools describes each tool well enough to compare its numbers."""

from dataclasses import fields

import pytest

from submissions.domain.intake.paste import read
from submissions.domain.intake.scene import Scene
from submissions.domain.intake.tools import READERS, TARGETS, TOOLS, Tool, new_readers
from submissions.domain.measuring import units
from tests import corpus

FINDINGS = [figure for path in corpus.files(corpus.LOGS) for figure in corpus.load(path).figures]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_it_works(tool: Tool):
    assert all(getattr(tool, field.name) for field in fields(tool) if field.name != "asks")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_its_example_is_read(tool: Tool):
    parsed = read(tool.example)

    spoken = {about.tool for told in (parsed.figures, parsed.facts, parsed.questions) for about in told}
    assert spoken & {tool.name, tool.name.removesuffix(" table")}
    assert parsed.questions == () or tool.asks


def test_every_reader_has_its_words():
    assert {tool.name for tool in TOOLS} == READERS.keys()


def test_every_text_has_readers_of_its_own():
    first, second = new_readers(Scene()), new_readers(Scene())

    assert not set(map(id, first)) & set(map(id, second))
    assert len(first) == len(set(READERS.values())) + 1


def test_a_tool_that_speaks_in_the_logs_has_a_row():
    assert {figure.tool for figure in FINDINGS} <= TARGETS.keys() | {"lanspeed"}


def test_every_unit_is_one_a_report_may_use():
    assert {figure.unit for figure in FINDINGS} <= units.UNITS.keys()


def test_what_failed_says_why():
    assert all(figure.failure and figure.detail for figure in FINDINGS if figure.value is None)
