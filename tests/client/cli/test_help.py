"""The help pages say how to begin, and every example on them works."""

import shlex

import pytest
from cardbench.cli import main

from tests.client.server.test_submit import GOLDEN


def test_it_works(cardbench):
    help_page = cardbench()
    assert help_page.returncode == 0
    assert help_page.stdout == cardbench("--help").stdout
    assert "cardbench run ~ --submit" in help_page.stdout


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_has_an_example_that_is_understood(cardbench, name):
    *_, example = cardbench(name, "--help").stdout.partition("example:\n")
    words = shlex.split(example.partition("\n\n")[0])
    assert "cardbench" in words[: words.index(name)]
    function, request = main.read(words[words.index(name) :])
    assert (function, type(request)) == (main.COMMANDS[name].carry_out, main.COMMANDS[name].request)


@pytest.mark.parametrize("name", ["list", "demo", "show", "submit", "completion"])
def test_examples_that_need_no_card_run(cardbench, tmp_path, name):
    (tmp_path / "report.json").write_bytes(GOLDEN.read_bytes())
    words = shlex.split(main.COMMANDS[name].example)
    here = [tmp_path / word if word == "report.json" else word for word in words]
    done = cardbench(*here)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_a_check_example_runs_on_a_card(cardbench, card):
    words = shlex.split(main.COMMANDS["check"].example)
    assert cardbench(*[card if word == "~" else word for word in words]).returncode == 0


def test_without_a_command_options_are_refused(cardbench):
    assert cardbench("--json").returncode == 2
