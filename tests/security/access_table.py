"""Print the permissions of every kind of visitor as in SECURITY.md: `python -m tests.security.access_table`."""

from collections.abc import Iterator, Mapping

from submissions.visitors.permissions import ACTS, DEMANDS, Act, find_unmet_need
from tests.security.actors import SESSIONS, TOKENS, Who

BY_TOKEN = (Act.READ, Act.SUBMIT, Act.CORRECT, Act.MODERATE)


def format_tables() -> str:
    """Return the requests of each act, then the tables of sessions and tokens; a cell names the missing permission."""
    lines = [*_list_requests(), *_table("session", tuple(DEMANDS), SESSIONS)]
    return "\n".join([*lines, *_table("token", BY_TOKEN, TOKENS)])


def _list_requests() -> Iterator[str]:
    yield from ("| act | requests, by method and name |", "|---|---|")
    for act, requests in ACTS.items():
        others = " and whatever else only reads" if act is Act.READ else ""
        yield f"| {act} | {', '.join(requests)}{others} |"
    yield ""


def _table(by: str, acts: tuple[Act, ...], everybody: Mapping[str, Who]) -> Iterator[str]:
    yield f"| {by} | {' | '.join(acts)} |"
    yield "|---" * (1 + len(acts)) + "|"
    for title, who in everybody.items():
        cells = (find_unmet_need(act, who.credentials) or "✓" for act in acts)
        yield f"| {title} | {' | '.join(cells)} |"
    yield ""


if __name__ == "__main__":
    print(format_tables())
