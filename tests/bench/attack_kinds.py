"""The attacks of `tests.bench.attacks`: each sends its reports, prints what they moved, returns a broken promise."""

import copy
from typing import Any

import numpy as np

from submissions.domain.registers.crc7 import crc7
from tests.bench.attacks import FAKES, PROMISED, Place, Site

Document = dict[str, Any]
_INVENTED = "Invented"


def stuffing(site: Site, cards: int, networks: int) -> str:
    """A bad card pushed up: fakes as fast as the best card of the site."""
    before = site.places()
    target = _nearest(site, before, cards, bad=True)
    best = _documents_of(site, _leader(site, before))
    fakes = [_fake(site.documents[target], best, 1.0, number) for number in range(FAKES)]
    with site.attacked(_from(fakes, networks)) as after:
        _tell("stuffing", site.cards[target], networks, before[target], after[target])
        return _promised("a bad card entered the top quarter", networks, after[target].leads)


def smearing(site: Site, cards: int, networks: int) -> str:
    """A good card pushed down: fakes of a third of what it does."""
    before = site.places()
    target = _nearest(site, before, cards, bad=False)
    own = site.documents[target]
    fakes = [_fake(own, own, 1 / 3, number) for number in range(FAKES)]
    with site.attacked(_from(fakes, networks)) as after:
        _tell("smearing", site.cards[target], networks, before[target], after[target])
        left = site.cards[target] >= 10 and not after[target].leads
        return _promised("a good card left the top quarter", networks, left)


def invented_model(site: Site, networks: int, *, bought: int = 0) -> str:
    """A model nobody sells, 1.3 times as fast as the leader. `bought`: plausible reports each network sends first."""
    before = site.places()
    own = site.documents[_leader(site, before)]
    fakes = [_renamed(_plausible_fake(own, 1.3, number), f"{_INVENTED} 1") for number in range(FAKES)]
    sent = [*_plausible(site, before, networks, bought), *_from(fakes, networks)]
    with site.attacked(sent) as after:
        return _judge_invented("bought past" if bought else "invented", networks, before, after, bought)


def bought_trust(site: Site, networks: int) -> str:
    """The same from networks that first copied what two well-known cards do; printed, nobody promises anything."""
    return invented_model(site, networks, bought=2)


def invented_silicon(site: Site, networks: int, ratio: float) -> str:
    """A good card split by cards of another revision and product name, so much slower."""
    before = site.places()
    target = _nearest(site, before, 10, bad=False)
    own = site.documents[target]
    fakes = [_fake(own, own, 1 / ratio, number, silicon=True) for number in range(FAKES)]
    with site.attacked(_from(fakes, networks)) as after:
        _tell(f"silicon /{ratio}", site.cards[target], networks, before[target], after[target])
        return _promised("a silicon nobody saw moved a card", networks, not after[target].leads)


def junk(site: Site) -> str:
    """500 reports of one run ten times as fast under 50 names nobody sells, from one network."""
    before = site.places()
    own = site.documents[_leader(site, before)]
    fakes = [_renamed(_fake(own, own, 10.0, number), f"{_INVENTED} {number % 50}") for number in range(500)]
    for fake in fakes:
        fake["host"] |= {"machine": "a fast one", "board": "PC", "interface": "other", "bus_mode": {}}
    with site.attacked([*_from(fakes, 1), *_from([], 1)]) as after:
        moved = {pk: after[pk].value / place.value for pk, place in before.items() if pk in after}
    with site.attacked([]) as same:
        still = {pk: same[pk].value / place.value for pk, place in before.items()}
    worst = max(abs(np.log(moved[pk] / still[pk])) for pk in moved)
    print(
        f"junk          500 reports, 50 names: honest scores move by {100 * (np.exp(worst) - 1):.2f} %",
        flush=True,
    )
    return _promised("junk moved an honest score by more than 1 %", 1, worst > np.log(1.01))


def newcomers(site: Site) -> str:
    """An honest new card as fast as the leader: after how many trusted people it is ranked."""
    before = site.places()
    own = site.documents[_leader(site, before)]
    fakes = [_renamed(_fake(own, own, 0.97, number), "Honest 1") for number in range(4)]
    seen = []
    for agreeing in range(4):
        people = ["a newcomer", *site.people[:agreeing]]
        with site.attacked(list(zip(fakes, people, strict=False))) as after:
            seen.append(_new(before, after))
    print("newcomer      and 0, 1, 2, 3 who agree: " + "  ".join(map(str, seen)), flush=True)
    return _promised("an honest new card waits for more than three", 1, seen[-1].at is None)


def _judge_invented(
    name: str, networks: int, before: dict[int, Place], after: dict[int, Place], bought: int
) -> str:
    place = _new(before, after)
    _tell(name, 0, networks, None, place)
    is_above = place.at is not None and place.at < place.of  # the last place is above nobody
    return "" if bought else _promised("an invented model stands above an honest one", networks, is_above)


def _new(before: dict[int, Place], after: dict[int, Place]) -> Place:
    """Of the model that was not there before; without a score where no card of its bus can do what was sent."""
    new = [after[pk] for pk in after.keys() - before.keys()]
    return new[0] if new else Place(None, len(before), "none", 0.0)


def _tell(name: str, cards: int, networks: int, before: Place | None, after: Place) -> None:
    begins = str(before) if before else " " * 18
    print(f"{name:13} {cards:3} cards, {networks:3} networks: {begins} -> {after} of {after.of}", flush=True)


def _promised(failure: str, networks: int, is_broken: bool) -> str:
    return f"{failure} ({networks} networks)" if is_broken and networks <= PROMISED else ""


def _leader(site: Site, places: dict[int, Place]) -> int:
    """The first in the order with a report at hand."""
    placed = [pk for pk in site.documents if pk in places and places[pk].at]
    return min(placed, key=lambda pk: places[pk].at or 0)


def _documents_of(site: Site, pk: int) -> Document:
    return site.documents[pk]


def _nearest(site: Site, places: dict[int, Place], cards: int, *, bad: bool) -> int:
    """The model whose number of honest cards is nearest, of the lower half or of the top quarter."""
    placed = [pk for pk in site.documents if pk in places and places[pk].at]
    chosen = [pk for pk in placed if (2 * (places[pk].at or 0) > places[pk].of if bad else places[pk].leads)]
    return min(chosen, key=lambda pk: (abs(np.log(site.cards[pk] / cards)), pk))


def _fake(
    card_of: Document, values_of: Document, factor: float, number: int, *, silicon: bool = False
) -> Document:
    """A report of another specimen of a model, with the values of a report times a factor."""
    chance = np.random.default_rng(number)
    fake = copy.deepcopy(card_of)
    fake["host"] = copy.deepcopy(values_of["host"])
    fake["measurements"] = copy.deepcopy(values_of["measurements"])
    for measurement in fake["measurements"]:
        scatter = float(np.exp(0.03 * chance.standard_normal()))
        measurement["values"] = [value * factor * scatter for value in measurement["values"]]
    fake["card"]["registers"] = {"cid": _other_card(card_of["card"]["registers"]["cid"], number, silicon)}
    fake["extra"] = {"fake": number}
    return fake


def _plausible_fake(own: Document, factor: float, number: int) -> Document:
    """The same, but no rate above what the slot carries: whoever lies well knows that."""
    fake = _fake(own, own, factor, number)
    for measurement, honest in zip(fake["measurements"], own["measurements"], strict=True):
        if honest["parameters"].get("order") == "sequential":
            measurement["values"] = honest["values"]
    return fake


def _other_card(cid: str, number: int, silicon: bool) -> str:
    """The CID of another specimen: another serial number; of another silicon: another name and revision, too."""
    raw = bytearray.fromhex(cid)
    raw[9:13] = (0xF0000000 + number).to_bytes(4, "big")
    if silicon:
        raw[3:9] = b"FAKE9\x77"
    return (bytes(raw[:15]) + bytes([crc7(bytes(raw[:15])) << 1 | 1])).hex()


def _renamed(document: Document, name: str) -> Document:
    document["card"]["label"] |= {"brand": name.partition(" ")[0], "line": "", "model_number": name}
    return document


def _from(documents: list[Document], networks: int) -> list[tuple[Document, str]]:
    """Each with its sender, a /48 each."""
    return [(document, f"network {at % networks}") for at, document in enumerate(documents)]


def _plausible(
    site: Site, places: dict[int, Place], networks: int, bought: int
) -> list[tuple[Document, str]]:
    """What well-known cards do, copied by every network."""
    known = sorted(site.documents, key=lambda pk: (-site.cards[pk], pk))[:bought]
    return [
        (_fake(site.documents[pk], site.documents[pk], 1.0, 1000 * (at + 1) + network), f"network {network}")
        for at, pk in enumerate(known)
        for network in range(networks)
    ]
