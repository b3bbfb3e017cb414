"""What a browser searches without a server, as scripts, for it reads no other file of a USB stick: `site` says how to
read a question, `models` what they may be chosen by, and a file per purpose and class of slot has all its scores in
their order. Rows are columns, and words that come often are numbers of words.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, interfaces, uses
from submissions.domain.ranking.facets import FACETS
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.uses import Profile
from submissions.domain.search import search_words
from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import finder_rows, suitability

_SHOWN = ("slug", "name")
# Columns of models that facets ask for; of a doubt it is worked out.
_CHOSEN = tuple(dict.fromkeys(facet.column for facet in FACETS.values() if not facet.of_score))


def write(folder: Path) -> int:
    """Everything into `folder` -> number of files."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = _write_models(folder)
    _put(folder, "site", _site())
    places = [
        (profile, slot) for slot in interfaces.all_interfaces().values() for profile in uses.on(slot).values()
    ]
    for profile, slot in places:
        scores = Score.objects.filter(profile=profile.name, interface=slot.name, simulated=False)
        listed = scores.order_by("-bound", "card_model_id").iterator()
        _put(folder, f"{profile.name}.{slot.name}", ranking(listed, numbers, profile, slot))
    return 2 + len(places)


def _put(folder: Path, name: str, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)
    (folder / f"{name}.js").write_text(f'mirror.keep("{name}", {text});\n', encoding="utf-8")


def _site() -> dict[str, Any]:
    """Boards, purposes, facets and the words of searches, each as its table has it."""
    return {
        "boards": {
            board.slug: {
                "interface": board.interface.name,
                "slot": board.interface.slot,
                "profile": board.profile,
                "forms": list(boards.FITTING) if board.form else None,
                "title": board.title,
                "noun": suitability.noun(board),
            }
            for board in boards.all_boards().values()
        },
        "profiles": {name: [row.slot, row.title] for name, row in uses.all_profiles().items()},
        "facets": [
            [row.name, row.column.removeprefix("score."), row.lookup, row.kind, row.of_score, row.needs]
            for row in FACETS.values()
        ],
        "phrases": [[text, meaning.kind, meaning.value] for text, meaning in search_words.phrases().items()],
    }


def _write_models(folder: Path) -> dict[int, int]:
    """-> the place of each model in the columns, by its key."""
    models = list(CardModel.objects.real().order_by("pk").iterator())
    columns = {name: [getattr(model, name) for model in models] for name in (*_SHOWN, *_CHOSEN)}
    columns["varies"] = [model.varies or model.lost_data or bool(model.suspicious_cards) for model in models]
    columns["oems"] = [[f"{number} {_letters(number)}" for number in model.oems] for model in models]
    _put(folder, "models", columns)
    return {model.pk: at for at, model in enumerate(models)}


def _letters(oem: str) -> str:
    """ "0x544d" -> "TM", as people search for it."""
    return bytes.fromhex(oem.removeprefix("0x").zfill(4)).decode("latin-1")


def ranking(
    scores: Iterable[Score], numbers: Mapping[int, int], profile: Profile, slot: Interface
) -> dict[str, Any]:
    """Scores as columns: of each its model, what it is worth, and the words of its row."""
    words: dict[str, int] = {}
    figures = [term.figure for term in sorted(profile.on(slot), key=lambda term: -term.share)]
    listed = [
        (
            numbers[score.card_model_id],
            *(round(number, 4) for number in (score.bound, score.value, score.upper)),
            score.state,
            score.cards,
            words.setdefault(finder_rows.evidence(score), len(words)),
            [
                words.setdefault(wording.figure(name, score.figures[name]), len(words))
                if name in score.figures
                else -1
                for name in figures
            ],
        )
        for score in scores
        if score.card_model_id in numbers
    ]
    names = ("model", "bound", "value", "upper", "state", "cards", "evidence", "figures")
    columns = {name: [row[at] for row in listed] for at, name in enumerate(names)}
    return {**columns, "words": list(words), "titles": [metrics.FIGURES[name].title for name in figures]}
