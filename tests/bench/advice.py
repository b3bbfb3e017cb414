"""Print the recommended cards for every device and use, on the starter data, and their faults: `make advice`."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
if TYPE_CHECKING:
    from submissions.domain.ranking.wish import Wish
    from submissions.evidence.picks import Picks
    from submissions.models import Performance


def main() -> None:
    """Load the starter data into an empty database, and print the recommendations for each device and use."""
    django.setup()
    from tests.bench import real_crowd

    real_crowd.load_world()
    named = unknown = 0
    faults: list[str] = []
    for wish, picks in list_answers():
        print(f"{wish.board.title}, {wish.use.title}:")
        for line in describe(wish, picks):
            print(f"  {line}")
        named, unknown = named + len(picks.named), unknown + (not picks.named)
        faults += find_faults(wish, picks)
    print(f"{named} picks; {unknown} times “we don’t know yet”; {len(faults)} faults")
    for fault in faults:
        print(f"  {fault}")


def list_answers() -> "Iterator[tuple[Wish, Picks]]":
    """Yield the recommendations for each device and each of its uses."""
    from submissions.domain.ranking import boards, uses
    from submissions.domain.ranking.wish import Wish
    from submissions.evidence.picks import choose_picks

    for board in boards.all_boards().values():
        for use in uses.uses_in(board.interface).values():
            wish = Wish(board, use)
            yield wish, choose_picks(wish)


def describe(wish: "Wish", picks: "Picks") -> "Iterator[str]":
    """Yield a line for each recommendation, or for the best known cards if there is none."""
    for kind, row in picks.named.items():
        yield f"{kind}: {_describe_row(wish, row)}"
    if not picks.named:
        yield f"we don’t know yet; best known: {', '.join(_describe_row(wish, row) for row in picks.candidates)}"


def _describe_row(wish: "Wish", row: "Performance") -> str:
    from submissions.pages.content import advice_words

    leading = row.make_advice(wish.board, wish.use, place=None).leading
    offer = row.card_model.current_offer
    price = f"; {offer.amount:g} {offer.currency}, {offer.seen_on}" if offer else ""
    assert leading is not None
    return f"{row.card_model} ({advice_words.describe_amount(leading)}, {advice_words.describe_proof(leading)}{price})"


def find_faults(wish: "Wish", picks: "Picks") -> list[str]:
    """Return the faults of the recommended cards: an exclusion, a failed main requirement, or too little proof."""
    from submissions.domain.ranking.order import NeedState
    from submissions.domain.ranking.proof import Proof

    faults = []
    for kind, row in picks.named.items():
        advice = row.make_advice(wish.board, wish.use, place=None)
        leads = [result for result in advice.needs if result.need.ability == wish.use.leading]
        wrong = [gate.value for gate in advice.gates]
        wrong += [f"{result.state} need" for result in leads if result.state != NeedState.PASS]
        wrong += ["unproven"] if advice.leading is None or advice.leading.proof < Proof.REPEATED else []
        wrong += ["old price"] if kind == "cheapest" and advice.offer is None else []
        if wrong:
            faults.append(f"{wish.board.slug}, {wish.use.name}, {kind}: {row.card_model}: {', '.join(wrong)}")
    return faults


if __name__ == "__main__":
    main()
