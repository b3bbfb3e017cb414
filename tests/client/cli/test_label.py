"""The label options of the command line come from one table, and the server understands all of them."""

import argparse
import json

import pytest
from cardbench.cli import label, main

from submissions.domain.fields import MARKS
from submissions.domain.report import parse

ALL = ("marks=C10,u3,V30", "price=12.5 eur", "bought-on=2024-05", "bought_at=a market, in Lyon", "line=Ultra")


def read_label(*words: str) -> dict:
    options = [part for word in words for part in ("--label", word)]
    return main.read(["run", "mmcblk0", "--brand", "Kingston", *options])[1].label_fields


def test_it_works():
    assert read_label(*ALL) == {
        "brand": "Kingston",
        "line": "Ultra",
        "marks": ["C10", "U3", "V30"],
        "bought_at": "a market, in Lyon",
        "bought_on": "2024-05",
        "price": 12.5,
        "currency": "EUR",
    }
    assert read_label() == {"brand": "Kingston"}


def test_the_last_word_counts():
    assert read_label("brand=SanDisk")["brand"] == "SanDisk"


def test_it_knows_the_marks_of_the_server():
    assert label.MARKS == MARKS


def test_the_server_understands_it(cardbench, image):
    options = [part for word in ALL for part in ("--label", word)]
    answer = cardbench("run", image, "--json", "--workload", "align", *options)
    label = parse(json.dumps(json.loads(answer.stdout)).encode()).card.label
    assert (label.marks, label.price, label.currency, label.bought_on) == (
        ("C10", "U3", "V30"),
        12.5,
        "EUR",
        "2024-05",
    )


@pytest.mark.parametrize(
    ("word", "wrong"),
    [
        ("marks", "NAME=VALUE"),
        ("colour=red", "one of brand, line"),
        ("marks=C10,X9", "“X9” is not one of these marks: C2"),
        ("marks=", "is not one of these marks"),
        ("price=12.50", "needs its currency"),
        ("price=-3 EUR", "needs its currency"),
        ("price=3 EURO", "needs its currency"),
        ("bought_on=May 2024", "write it like 2024"),
        ("bought_on=2024-13", "write it like 2024"),
        ("capacity_gb=0", "more than 0"),
        ("capacity_gb=nan", "more than 0"),
        ("capacity_gb=many", "more than 0"),
        ("brand=a\nb", "one line"),
        ("brand=" + "x" * 201, "200 characters"),
    ],
)
def test_what_is_no_answer_is_refused(word, wrong):
    with pytest.raises(argparse.ArgumentTypeError, match=wrong):
        label.read(word)
