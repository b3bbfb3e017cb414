"""Tests that a message of a mailing list becomes the text that its author wrote. People are invented, logs are real."""

import gzip
import io
import zipfile
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.domain.intake import mail
from submissions.domain.intake.lines import MAX_BYTES
from submissions.domain.intake.mail import Threads, html_to_text, label_in, read
from submissions.domain.report import Label

ROWS = "4MiB    10.3M/s \n2MiB    9M/s "


def message(text: str = ROWS, **headers: str) -> EmailMessage:
    made = EmailMessage()
    defaults = {
        "From": "Jane Q. Roe <jane.roe@example.org>",
        "Subject": "[flashbench-results] Re: Kingston 4 GB",
        "Message-ID": "<1@example.org>",
        "Date": "Mon, 14 Mar 2011 12:00:00 +0100",
    }
    for name, value in (
        defaults | {name.replace("_", "-"): value for name, value in headers.items()}
    ).items():
        made[name] = value
    made.set_content(text)
    return made


def raw(made: EmailMessage) -> bytes:
    return made.as_bytes(policy=SMTP)


def words(*messages: EmailMessage) -> list[str]:
    """Return the text that each message adds to its thread."""
    threads = Threads()
    return ["\n".join(threads.own_words(read(raw(sent)))).strip() for sent in messages]


def test_it_works() -> None:
    mail_read = read(raw(message(References="<0@example.org>", Archived_At="<https://lists.example.org/7>")))
    assert (mail_read.subject, mail_read.initials, mail_read.sender) == (
        "Kingston 4 GB",
        "J. Q. R.",
        "jane.roe@example.org",
    )
    assert (mail_read.message_id, mail_read.answers) == ("1@example.org", ("0@example.org",))
    assert (str(mail_read.sent_on), mail_read.archived_at) == ("2011-03-14", "https://lists.example.org/7")
    assert mail_read.parts[0].replace("\r", "").strip() == ROWS.strip()


def test_flowed_text_is_put_together_and_its_tables_are_not() -> None:
    """By RFC 3676 a line that ends in a blank continues; the rows of a table may end in a blank, too."""
    wrapped = "sudo ./flashbench /dev/mmcblk0 --open-au --open-au-nr=3 --random \n--erasesize=4194304\n"
    made = message(f" {wrapped}{ROWS}\n")
    made.set_param("format", "flowed")

    assert read(raw(made)).parts[0].splitlines() == [wrapped.replace("\n", ""), *ROWS.splitlines()]


@pytest.mark.parametrize(
    ("encoding", "charset"),
    [(e, c) for e in ("quoted-printable", "base64") for c in ("utf-8", "latin-1", "utf-16")]
    + [("8bit", "utf-8"), ("8bit", "latin-1")],
)
def test_encodings(encoding: str, charset: str) -> None:
    made = message()
    made.set_content("pre 750µs on 1ms", charset=charset, cte=encoding)
    assert "750µs" in read(raw(made)).parts[0]


def test_an_unknown_character_set_is_guessed() -> None:
    sent = raw(message("750us")).replace(b'charset="utf-8"', b'charset="x-unheard-of"')
    assert "750us" in read(sent).parts[0]


def test_a_subject_in_another_language_is_read() -> None:
    assert read(raw(message(Subject="Re: Карта Kingston"))).subject == "Карта Kingston"


def test_a_subject_that_nobody_encoded_is_read() -> None:
    assert read("Subject: Größe von Карта\n\n".encode()).subject == "Größe von Карта"


def test_html_is_read_where_there_is_nothing_else() -> None:
    made = message()
    made.set_content(
        "<p>My&nbsp;card:</p><pre>4MiB  10M/s\n2MiB  9M/s</pre><blockquote>old</blockquote>", "html"
    )
    assert read(raw(made)).parts[0].split("\n") == ["My card:", "4MiB  10M/s", "2MiB  9M/s", "> old", ""]


def test_of_two_forms_of_one_text_the_plain_one_counts() -> None:
    made = message("plain 1")
    made.add_alternative("<p>marked up 1</p>", subtype="html")
    assert [part.strip() for part in read(raw(made)).parts] == ["plain 1"]


def test_attachments_are_read_and_others_are_named() -> None:
    made = message("see there")
    made.add_attachment("in a log", filename="run.log")
    made.add_attachment(b"as bytes", maintype="application", subtype="octet-stream", filename="run.txt")
    packed = gzip.compress(b"packed")
    made.add_attachment(packed, maintype="application", subtype="gzip", filename="run.txt.gz")
    made.add_attachment(b"\x89PNG\0\0\0", maintype="image", subtype="png", filename="card.png")
    mail_read = read(raw(made))
    assert [part.strip() for part in mail_read.parts] == ["see there", "in a log", "as bytes", "packed"]
    assert mail_read.unread == ("card.png",)


def make_zip(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name.replace("__", "."), body)
    return made.getvalue()


def test_a_zip_is_read_file_by_file() -> None:
    made = message("see there")
    packed = make_zip(run__log=b"in a log", card__png=b"\x89PNG\0\0\0", notes__txt=b"and notes")
    made.add_attachment(packed, maintype="application", subtype="zip", filename="Results.ZIP")
    mail_read = read(raw(made))
    assert [part.strip() for part in mail_read.parts] == ["see there", "in a log", "and notes"]
    assert mail_read.unread == ("Results.ZIP: card.png",)


# Named: a zip holds the time it was made, and workers that collect different names refuse to begin.
@pytest.mark.parametrize(
    "body", [b"no zip at all", make_zip(run__log=b"x" * 100)[:60]], ids=["no zip", "cut off"]
)
def test_what_is_no_zip_is_named(body: bytes) -> None:
    made = message("x")
    made.add_attachment(body, maintype="application", subtype="zip", filename="run.zip")
    assert read(raw(made)).unread == ("run.zip",)


def test_a_bomb_in_a_zip_is_read_in_part() -> None:
    made = message("x")
    bomb = make_zip(a__txt=b"1" * (MAX_BYTES + 5), b__txt=b"never")
    made.add_attachment(bomb, maintype="application", subtype="zip", filename="run.zip")
    mail_read = read(raw(made))
    assert [len(part) for part in mail_read.parts][1:] == [MAX_BYTES]
    assert mail_read.unread == ("run.zip: b.txt",)


def test_a_bomb_is_read_in_part() -> None:
    made = message("x")
    bomb = gzip.compress(b"0" * 60_000_000)
    made.add_attachment(bomb, maintype="application", subtype="gzip", filename="run.txt.gz")
    assert [len(part) <= 8_000_000 for part in read(raw(made)).parts] == [True, True]


def test_a_forwarded_message_is_read() -> None:
    outer = message("look:")
    outer.add_attachment(message("inner 1"))
    assert [part.strip() for part in read(raw(outer)).parts] == ["look:", "inner 1"]


# Quotations


def answer(text: str, number: int, to: int = 1) -> EmailMessage:
    return message(text, Message_ID=f"<{number}@example.org>", In_Reply_To=f"<{to}@example.org>")


def test_what_is_quoted_is_not_counted_twice() -> None:
    quoted = "Jane wrote:\n> 4MiB    10.3M/s \n> 2MiB    9M/s \nmine:\n4MiB    5M/s "
    assert words(message(), answer(quoted, 2)) == [ROWS.strip(), "Jane wrote:\nmine:\n4MiB    5M/s"]


def test_own_rows_that_look_the_same_count() -> None:
    assert words(message(), answer(ROWS, 2))[1] == ROWS.strip()


def test_what_only_a_quotation_has_kept_counts_once() -> None:
    quoted = "> 4MiB    10.3M/s "
    first, second = answer(quoted, 2, to=99), answer(f"> {quoted}", 3, to=2)
    assert words(first, second) == ["4MiB    10.3M/s", ""]


def test_two_answers_to_a_missing_message_count_it_once() -> None:
    quoted = "> 4MiB    10.3M/s "
    second = message(quoted, Message_ID="<3@example.org>", References="<99@example.org> <2@example.org>")
    assert words(answer(quoted, 2, to=99), second) == ["4MiB    10.3M/s", ""]


def test_an_answer_above_the_old_message_is_cut_there() -> None:
    assert words(message(), answer(f"mine 1\n-----Original Message-----\n{ROWS}", 2))[1] == "mine 1"


def test_signatures_and_attributions_go() -> None:
    text = "On Monday, Jane Roe <jane@example.org> wrote:\nmine 1\n-- \nJane, +49 171 234567"
    assert words(message(text)) == ["mine 1"]


# Subjects


@pytest.mark.parametrize(
    ("subject", "label"),
    [
        ("Kingston SDC4/4GB class 4", Label(brand="Kingston", capacity_gb=4)),
        ("results: sandisk extreme pro 64 GB", Label(brand="SanDisk", capacity_gb=64)),
        ("SanDisk against Kingston", Label()),
        ("4 GB and 8 GB of Transcend", Label(brand="Transcend")),
        ("my card", Label()),
        ("Silicon Power on a Raspberry Pi", Label(brand="Silicon Power")),
    ],
)
def test_a_subject_names_the_card_only_when_it_names_one(subject: str, label: Label) -> None:
    assert label_in(subject) == label


def test_messages_are_taken_in_the_order_in_which_they_were_sent() -> None:
    heads = [
        ("c", raw(message(Date="Wed, 16 Mar 2011 12:00:00 +0000"))),
        ("a", raw(message(Date="Mon, 14 Mar 2011 12:00:00 +0000"))),
        ("?", raw(message(Date="some day"))),
        ("b", raw(message(Date="Tue, 15 Mar 2011 12:00:00 +0000"))),
    ]
    assert mail.order(heads) == ["a", "?", "b", "c"]


def test_a_charset_that_is_none_loses_nothing() -> None:
    assert read(b'Content-Type: text/plain; charset="\x00"\n\n4MiB \x80').parts[0].startswith("4MiB")


SEED = raw(message("text <b> > quoted", References="<0@example.org>"))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=400), st.data()))
def test_no_message_breaks_it(given_: bytes | st.DataObject) -> None:
    if isinstance(given_, bytes):
        sent = given_
    else:
        at = given_.draw(st.integers(0, len(SEED)))
        sent = (
            SEED[:at] + given_.draw(st.binary(max_size=60)) + SEED[given_.draw(st.integers(at, len(SEED))) :]
        )
    Threads().own_words(read(sent))


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="<>abpre/! -&;#x1\n", max_size=200))
def test_no_markup_breaks_it(markup: str) -> None:
    html_to_text(markup)
