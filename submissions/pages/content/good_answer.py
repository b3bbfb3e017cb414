"""Answer “Is my card good?” for the one model that is meant, or list the models that may be meant."""

from collections.abc import Sequence
from typing import NamedTuple

from submissions.evidence import places
from submissions.evidence.model_search import Finding
from submissions.models import CardModel
from submissions.pages.content import device_names
from submissions.pages.content.device_answers import DeviceAnswer, answer_wish

_OFFERED = 10


class GoodAnswer(NamedTuple):
    """The answer: `models` that may be meant and, for a single `model`, whether it is good in each device."""

    models: Sequence[CardModel]
    model: CardModel | None = None
    own: DeviceAnswer | None = None
    elsewhere: Sequence[DeviceAnswer] = ()


def answer_good(slug: str, finding: Finding) -> GoodAnswer:
    """Answer for the model with this slug, or else for the model that the search names exactly; three queries."""
    models = _find_models(slug, finding)
    if len(models) != 1:
        return GoodAnswer(models)
    (model,) = models
    advised = places.load_answers(model, [finding.wish, *device_names.devices()])
    own, *elsewhere = (answer_wish(wish, advice) for wish, advice in advised)
    return GoodAnswer(models, model, own if finding.wish.has_device else None, elsewhere)


def _find_models(slug: str, finding: Finding) -> list[CardModel]:
    if slug:
        return list(CardModel.objects.by_slug([slug]).values())
    wish = finding.wish
    if not wish.is_narrowed:
        return []
    listed = finding.listed.select_related("card_model").order_by(
        "-card_model__known_cards", "card_model__name"
    )
    found = [*(row.card_model for row in listed[:_OFFERED]), *finding.untested][:_OFFERED]
    exact = [model for model in found if f"{model.brand} {model.line}".casefold() == wish.words.casefold()]
    return sorted(exact, key=lambda model: model.capacity_gb or 0) or found
