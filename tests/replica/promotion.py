"""Read from a replica, and promote it while reports come in; no acknowledged report may be lost or doubled."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import psycopg

from tests.chaos.load import POISON, Load, report
from tests.chaos.rounds import await_judgement, compare_books
from tests.replica.pair import STANDBY, Pair, live_pair
from tests.replica.same_fit import compare_fits

_ADDRESSES = (
    "/",
    "/submit/",
    "/decode/",
    "/compare/",
    "/ready/",
    "/api/v1/",
    "/api/v1/models/",
    "/sitemap.xml",
)
_READ = "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = %s"
_TABLES = ("submissions_observation", "submissions_measurement")
_CUT_OFF_S = 1.0
_SUBMISSIONS = "/api/v1/submissions/"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a promotion: `lost` of `acknowledged` reports, and seconds until reports are accepted again."""

    acknowledged: int
    lost: int
    recovery_s: float
    lag_s: float

    def __str__(self) -> str:
        return (
            f"{self.acknowledged:,} reports acknowledged, {self.lost} lost; accepted again {self.recovery_s:.1f} s"
            f" after the primary was killed. A new report was seen on the replica after {self.lag_s:.1f} s."
        )


def run(
    *, seconds: float, seed: int, synchronous: bool, say: Callable[[str], None] = lambda _: None
) -> Outcome:
    """Send reports for some seconds before and after the primary is killed. Unless `synchronous`, some may be lost."""
    with live_pair(random=Random(seed)) as pair:
        load = Load(pair.url, seed=seed)
        compare_fits(pair, load, reports=60)
        say("a full fit from the replica is that from the primary, to 1e-9")
        pair.confirm(by=STANDBY if synchronous else "")
        with load:
            for number, content in POISON.items():
                load.hand_in(number, content)
            time.sleep(seconds)
            lag_s = _read(pair, load)
            say("the replica has answered every address, and has taken nothing")
            _fit_and_dump(pair, Path(pair.environment["FILES_DIR"]))
            say("a full fit and a dump were read from the replica")
            recovery_s = _promote(pair, load)
            say(f"promoted; accepted again after {recovery_s:.1f} s")
            time.sleep(seconds)
        lost = _count_lost(pair, load)
        del pair.environment["REPLICA_URL"]  # the books compare two databases of one server
        if not lost:
            await_judgement(pair)
            compare_books(pair, load)
    return Outcome(len(load.receipts), lost, recovery_s, lag_s)


def _read(pair: Pair, load: Load) -> float:
    """Return the seconds until a report that was sent to the primary can be read on the replica."""
    load.hand_in(-1, report(10**8))
    public_id, began = next(iter(load.receipts.pop(-1))), time.monotonic()
    load.receipts[10**8] = {public_id}
    pair.eventually(lambda: _status(pair.replica_url, f"{_SUBMISSIONS}{public_id}/") == 200, "it is replayed")
    lag_s = time.monotonic() - began
    assert {path: _status(pair.replica_url, path) for path in _ADDRESSES} == dict.fromkeys(_ADDRESSES, 200)
    refused = _post(pair.replica_url, report(10**8 + 1))
    assert (refused.code, refused.headers["Retry-After"]) == (503, "2"), refused
    assert json.load(refused)["error"]["code"] == "unavailable"
    return lag_s


def _fit_and_dump(pair: Pair, files: Path) -> None:
    # These tasks read from the replica, and write to the primary and to files.
    before = {table: _rows_read(pair, table) for table in _TABLES}
    pair.manage("refresh_rankings", "--all")
    pair.manage("write_dump")
    pair.eventually(
        lambda: all(_rows_read(pair, table) > before[table] for table in _TABLES), "both are read"
    )
    assert list(files.glob("dumps/*/measurements.parquet"))


def _rows_read(pair: Pair, table: str) -> int:
    with psycopg.connect(pair.standby_url) as connection:
        ((rows,),) = connection.execute(_READ, [table]).fetchall()
    return int(rows)


def _promote(pair: Pair, load: Load) -> float:
    """Disconnect the standby, kill the primary and promote; return the seconds until a report is accepted again."""
    pair.disconnect()
    time.sleep(_CUT_OFF_S)
    pair.kill("database")
    began, accepted = time.monotonic(), len(load.receipts)
    pair.promote()
    pair.eventually(lambda: len(load.receipts) > accepted, "reports are accepted again")
    return time.monotonic() - began


def _count_lost(pair: Pair, load: Load) -> int:
    stored = "SELECT public_id FROM submissions_submission"
    with pair.connect() as connection:
        there = {public_id for (public_id,) in connection.execute(stored).fetchall()}
    return len(set().union(*load.receipts.values()) - there)


def _status(url: str, path: str) -> int:
    try:
        with urllib.request.urlopen(url + path, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def _post(url: str, body: bytes) -> Any:
    headers = {"Content-Type": "application/json"}
    try:
        return urllib.request.urlopen(urllib.request.Request(url + _SUBMISSIONS, body, headers), timeout=30)
    except urllib.error.HTTPError as error:
        return error
