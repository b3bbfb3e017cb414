"""Explain on pages and in the API why a claim has no place in a ranking, and how many people would give it one."""

from django.utils.translation import ngettext

from submissions.domain.judgement.claims import CLAIM, People


def explain_claim(state: str, people: People) -> str:
    """Return "Reported by 2 people so far. It gets a place once …", or "" for a score that is no claim."""
    if state != CLAIM:
        return ""
    who = ngettext("%(count)s person", "%(count)s people", people.submitters) % {"count": people.submitters}
    return ngettext(
        "Reported by %(who)s so far. It gets a place once %(count)s trusted person has tested it, too.",
        "Reported by %(who)s so far. It gets a place once %(count)s trusted people have tested it, too.",
        people.awaited,
    ) % {"who": who, "count": people.awaited}
