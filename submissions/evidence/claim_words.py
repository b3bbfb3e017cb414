"""Why a claim stands outside the order, and what would settle it: on pages and in the API alike."""

from django.utils.translation import ngettext

from submissions.domain.judgement.claims import CLAIM, People


def reason(state: str, people: People) -> str:
    """ "Reported by 2 people so far. It gets a place once …"; "" of what is no claim."""
    if state != CLAIM:
        return ""
    who = ngettext("%(count)s person", "%(count)s people", people.submitters) % {"count": people.submitters}
    return ngettext(
        "Reported by %(who)s so far. It gets a place once %(count)s trusted person has tested it, too.",
        "Reported by %(who)s so far. It gets a place once %(count)s trusted people have tested it, too.",
        people.awaited,
    ) % {"who": who, "count": people.awaited}
