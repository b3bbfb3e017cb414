"""Write the index that a browser searches without a server, as scripts: a browser reads no other local files.

`site.js` says how to parse a search, `models.js` has the columns of facets (conditions on models); a file for each slot
has the figures of models in the slot, and their order for each use. Tables are stored by column, and repeated texts as
numbers of a list of texts.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from submissions.domain.intake.structures import group_by
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.facets import FACETS, THRESHOLD_UNITS
from submissions.domain.ranking.order import Group
from submissions.domain.ranking.slots import Slot
from submissions.domain.ranking.uses import Use
from submissions.domain.search import catalogue_names, search_answers, search_words, wishes
from submissions.evidence.places import load_places
from submissions.models import CardModel, Performance
from submissions.pages.content import advice_words, device_names
from submissions.pages.content.advice_rows import explain_row

_SHOWN = ("slug", "name")
# Flags of a figure, which are added up.
_ELSEWHERE, _HERE, _AT_LEAST = 1, 2, 4


# The columns of models that facets (filters) use; `_write_models` computes `varies`, `price` and `oems`.
_CHOSEN = tuple(dict.fromkeys(facet.column for facet in FACETS.values() if not facet.of_performance))


def write_index(folder: Path) -> int:
    """Write all files of the index into a folder, and return their number."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = _write_models(folder)
    _put(folder, "site", _site())
    slots = group_by(boards.all_boards().values(), lambda board: board.slot)
    for slot, group in slots.items():
        _put(folder, f"slot.{slot.name}", describe_slot(slot, group, numbers))
    return 2 + len(slots)


def _put(folder: Path, name: str, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)
    (folder / f"{name}.js").write_text(f'mirror.keep("{name}", {text});\n', encoding="utf-8")


def _site() -> dict[str, Any]:
    return {
        "boards": {board.slug: _describe_board(board) for board in boards.all_boards().values()},
        "any_device": wishes.ANY_DEVICE,
        "ask": search_answers.all_answers()["device"].title,
        "uses": {name: [use.slot, use.title, use.leading] for name, use in uses.all_uses().items()},
        "abilities": {
            name: [row.title, row.base_unit, THRESHOLD_UNITS[row.base_unit][1]]
            for name, row in ABILITIES.items()
        },
        "states": {state.value: words for state, words in advice_words.name_states().items()},
        "facets": [
            [row.name, row.column, row.lookup, row.kind, not row.of_performance, row.needs]
            for row in FACETS.values()
        ],
        "phrases": [[text, meaning.kind, meaning.value] for text, meaning in search_words.phrases().items()],
        "brands": sorted({*catalogue_names.brands(), *map(str.lower, CardModel.objects.brands())}),
        "lines": sorted(catalogue_names.words_of_lines()),
    }


def _describe_board(board: Board) -> dict[str, Any]:
    return {
        "slot": board.slot.name,
        "kind": board.interface.slot,
        "use": board.use.name,
        "form": board.form,
        "forms": list(boards.FITTING) if board.form else None,
        "title": board.title,
        "noun": device_names.noun(board),
    }


def _write_models(folder: Path) -> dict[int, int]:
    """Write the columns of all models; return row numbers by model id, because other files refer to rows."""
    models = list(CardModel.objects.real().order_by("pk").iterator())
    columns = {name: [getattr(model, name) for model in models] for name in (*_SHOWN, *_CHOSEN)}
    columns["varies"] = [model.is_flagged for model in models]
    columns["price"] = [offer and offer.amount for offer in (model.current_offer for model in models)]
    columns["oems"] = [[f"{number} {_letters(number)}" for number in model.oems] for model in models]
    _put(folder, "models", columns)
    return {model.pk: at for at, model in enumerate(models)}


def _letters(oem: str) -> str:
    # "0x544d" is "TM", as people search for it.
    return bytes.fromhex(oem.removeprefix("0x").zfill(4)).decode("latin-1")


def describe_slot(slot: Slot, group: Iterable[Board], numbers: Mapping[int, int]) -> dict[str, Any]:
    """Return the figures of all models in a slot (a device or bus in which cards run), and their order for each use.

    The index has a file with this content for each slot.
    """
    rows = Performance.objects.filter(slot=slot.name, simulated=False, card_model__in=list(numbers))
    models = list(rows.order_by("card_model_id").only("card_model_id", "abilities"))
    places = {row.card_model_id: at for at, row in enumerate(models)}
    words: dict[str, int] = {}
    named = uses.uses_in(slot.interface).items()
    return {
        "model": [numbers[row.card_model_id] for row in models],
        "abilities": {name: [_figure(row.abilities.get(name)) for row in models] for name in slot.abilities},
        "uses": {name: _describe_order(use, list(group), places, words) for name, use in named},
        "words": list(words),
    }


def _figure(stored: Mapping[str, Any] | None) -> Any:
    # Value, lower and upper end in the base unit, and the kind; 0 if it was not measured.
    if stored is None:
        return 0
    kind = (_HERE if stored["origin"] == "here" else _ELSEWHERE) + _AT_LEAST * stored["at_least"]
    return [*(_round(stored[name]) for name in ("value", "lower", "upper")), kind]


def _round(value: float) -> float:
    return float(f"{value:.5g}")


def _describe_order(
    use: Use, group: list[Board], places: Mapping[int, int], words: dict[str, int]
) -> dict[str, Any]:
    # Models without the leading ability, or its fallback, are not listed.
    rows = [
        row
        for row in Performance.objects.list_measured(group[0], use).with_models()
        if row.card_model_id in places
    ]
    # Cards that do not go into a board are left out of its list, so no warning about that is written.
    board = min(group, key=lambda board: bool(board.form))
    advised = [row.make_advice(board, use, place=None) for row in rows]
    leading = [advice.leading for advice in advised if advice.leading]
    return {
        "leads": list(use.leads),
        "needs": [[need.ability, need.threshold] for need in use.needs],
        "row": [places[row.card_model_id] for row in rows],
        "gated_from": sum(vars(row)["group"] != Group.EXCLUDED for row in rows),
        "place": {board.form: _describe_places(board, use, rows) for board in group},
        "lead": [use.leads.index(value.ability) for value in leading],
        "cards": [value.cards for value in leading],
        "evidence": [_number(advice_words.describe_proof(value), words) for value in leading],
        "notes": [_number(explain_row(advice, advice.leading), words) for advice in advised],
        "state": [[result.state.value for result in advice.needs] for advice in advised],
    }


def _describe_places(board: Board, use: Use, rows: Iterable[Performance]) -> list[str]:
    found = load_places(board, use).of_model
    return [advice_words.describe_place(found.get(row.card_model_id)) for row in rows]


def _number(text: str, words: dict[str, int]) -> int:
    return words.setdefault(text, len(words))
