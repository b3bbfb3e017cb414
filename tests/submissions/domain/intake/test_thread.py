"""A thread pasted whole falls into its posts; made-up people, headings as the programs of forums write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.intake.thread import MOST_POSTS, ThreadError, posts

LOG = "dd if=/dev/zero of=x bs=4M count=50 conv=fsync\n209715200 bytes (210 MB) copied, 10 s, 21.0 MB/s"
HEADINGS = {
    "=== carol, 2024-05-01": ("carol", "2024-05-01"),
    "=== carol ===": ("carol", ""),
    "dave_7 | 2024-01-03 15:14:23 UTC | #7": ("dave_7", "2024-01-03 15:14:23 UTC"),
    "by Jane Roe » Tue Mar 05, 2024 3:14 pm": ("Jane Roe", "Tue Mar 05, 2024 3:14 pm"),
    "Post by jane » Tue Mar 05, 2024 3:14 pm": ("jane", "Tue Mar 05, 2024 3:14 pm"),
    "octo-cat commented on Jan 3, 2024 • edited": ("octo-cat", "on Jan 3, 2024"),
    "octo-cat opened this issue Jan 3, 2024 · 12 comments": ("octo-cat", "Jan 3, 2024"),
    "eve\nMembers\n12\nPosted January 3, 2024 (edited)": ("eve", "January 3, 2024"),
    "[–]u_name[S] 5 points 3 years ago": ("u_name", "3 years ago"),
    "From: Frank Z. <f@example.org>\nTo: all\nDate: Mon, 1 Jan 2024": ("Frank Z.", "Mon, 1 Jan 2024"),
}


def test_it_works():
    first, second = posts(f"A topic\n=== ann, 2024\nMy Kingston 32 GB\n{LOG}\n=== bob, 2025\nthanks\n")

    assert (first.number, first.author, first.dated, first.place) == (1, "ann", "2024", "post 1")
    assert first.text.splitlines()[0] == "My Kingston 32 GB"
    assert (first.label.brand, first.label.capacity_gb) == ("Kingston", 32)
    assert (second.author, second.text, second.label.brand) == ("bob", "thanks", "")


@pytest.mark.parametrize("heading", HEADINGS)
def test_it_knows_where_a_post_begins(heading: str):
    (before, post) = posts(f"=== somebody\ny\n{heading}\n{LOG}\n")

    assert (post.author, post.dated) == HEADINGS[heading]
    assert (before.text, post.text) == ("y", LOG)


def test_what_a_post_quotes_is_its_first_authors():
    quoted = "\n".join(f"> {line}" for line in LOG.splitlines())
    _, answer = posts(f"=== ann\n{LOG}\n=== bob\n{quoted}\nMine is slower.\n")

    assert answer.text == "Mine is slower."


@pytest.mark.parametrize("talk", ["", "by the way » no", LOG, "I posted January 3, 2024", "From: me"])
def test_a_text_without_posts_is_refused_with_what_to_do(talk: str):
    with pytest.raises(ThreadError, match="=== author, day"):
        posts(talk)


def test_too_many_are_refused():
    with pytest.raises(ThreadError, match=f"at most {MOST_POSTS}"):
        posts("=== a\nb\n" * (MOST_POSTS + 1))


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\r\n=|»\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029>")),
        min_size=1,
        max_size=9,
    )
)
def test_no_post_takes_from_another(texts: list[str]):
    found = posts("\n".join(f"=== author{number}\n{text}" for number, text in enumerate(texts)))

    assert [post.author for post in found] == [f"author{number}" for number in range(len(texts))]
