"""Store rows as the site would, multiplied inside PostgreSQL: models with facets and performances, cards, runs."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Model

from submissions.domain.measuring import metrics
from submissions.domain.measuring.metrics import Ability
from submissions.domain.ranking import slots
from submissions.domain.ranking.catalogue import log_value
from submissions.domain.ranking.slots import Slot
from submissions.evidence import records, summaries
from submissions.models import (
    Card,
    CardModel,
    Host,
    Measurement,
    ModelSummary,
    Performance,
    Run,
    Submission,
    Variant,
)
from submissions.sql import bulk
from tests.bench import stored

_CARDS_PER_MODEL, _HOSTS = 2, 50
_MODELS_AT_ONCE = 500
_SIZE = "2 ^ (n % 7 + 3)"
_NAME = f"'Brand ' || n % 100 || ' Extreme ' || n || ' ' || {_SIZE} || ' GB'"
_WORDS = """
    INSERT INTO submissions_word (text)
    SELECT DISTINCT word FROM submissions_cardmodel, string_to_table(words, ' ') AS word
    WHERE length(word) BETWEEN 4 AND 40 AND word !~ '^(0x|[0-9a-f]{10})'
"""
_SPREAD = "(n::bigint * 7919 % 20011 / 5000.0 - 2)"
_MAKER = "(ARRAY['Toshiba', 'SanDisk'])[n % 2 + 1]"


def store(*, models: int, runs: int) -> None:
    """Store models, runs and summaries in an empty database."""
    store_rankings(models)
    _store_runs(models, runs)
    _store_summaries()
    with connection.cursor() as cursor:
        cursor.execute(_WORDS)
        cursor.execute("VACUUM ANALYZE")


def store_rankings(models: int) -> None:
    """Store models and their performances in every slot (device or bus), but no run."""
    _store_models(models)
    for slot in slots.all_slots().values():
        _store_performances(slot, models)


def _multiply(like: Model, count: int, **columns: str) -> None:
    # Rows 1 to `count` are copies of `like`; `columns` are SQL expressions of the number `n`.
    fields = [
        field for field in like._meta.concrete_fields if field.attname in columns or not field.primary_key
    ]
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    values = ", ".join(columns.get(field.attname, "%s") for field in fields)
    values_of_like: list[Any] = [
        field.get_db_prep_save(field.pre_save(like, add=True), connection)
        for field in fields
        if field.attname not in columns
    ]
    into = connection.ops.quote_name(like._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {into} ({names}) SELECT {values.replace(' % ', ' %% ')} FROM generate_series(1, %s) AS n",
            [*values_of_like, count],
        )


def _store_models(count: int) -> None:
    _multiply(
        CardModel(line="Extreme", named_from="label", known_cards=_CARDS_PER_MODEL),
        count,
        id="n",
        slug="'model-' || n",
        name=_NAME,
        brand="'Brand ' || n % 100",
        capacity_gb=_SIZE,
        words=f"lower({_NAME} || ' ' || {_MAKER} || ' ' || {_SIZE} || 'gb pn' || n || ' 0x02 0x544d 02544d'"
        " || lpad(n::text, 12, '0'))",
        makers=f"ARRAY[{_MAKER}]",
        oems="ARRAY['0x' || lpad(to_hex(n % 300), 4, '0'), '0x544d']",
        app_perf_class="n % 3",
        uhs_speed_grade="(ARRAY[0, 1, 3])[n % 3 + 1]",
        video_speed_class="(ARRAY[0, 10, 30, 90])[n % 4 + 1]",
        bus_modes="ARRAY[(ARRAY['DDR50', 'SDR104'])[n % 2 + 1]]",
        manufactured_last="2018 + n % 8 || '-06'",
        suspicious_cards="(n % 100 = 0)::int",
        varies="n % 50 = 0",
        price="CASE n % 2 WHEN 1 THEN 5 + n % 40 END",
        currency="CASE n % 2 WHEN 1 THEN 'EUR' ELSE '' END",
    )


def _store_performances(slot: Slot, models: int) -> None:
    # Every ability of the slot is measured; values are spread evenly between e^-2 and e^2 times the typical one.
    abilities = [metrics.ABILITIES[name] for name in slot.abilities]
    logs = {row.name: f"({log_value(row.name, row.typical)} + {_SPREAD})" for row in abilities}
    here = "n % 2 = 0"
    columns = [logs.get(name, "NULL") for name in metrics.ABILITIES]
    origins = [f"CASE WHEN {here} THEN 2 ELSE 1 END" if name in logs else "0" for name in metrics.ABILITIES]
    documents = [f"'{row.name}', {_document(row, logs[row.name], here)}" for row in abilities]
    _multiply(
        Performance(slot=slot.name),
        models,
        card_model_id="n",
        means=f"ARRAY[{', '.join(columns)}]::float8[]",
        sds=_sds(logs, 0.1),
        card_sds=_sds(logs, 0.2),
        origins=f"ARRAY[{', '.join(origins)}]::smallint[]",
        proofs=_proofs(logs),
        at_least=_columns(logs, "false", "bool"),
        abilities=f"jsonb_build_object({', '.join(documents)})",
    )


def _sds(logs: Mapping[str, str], sd: float) -> str:
    return _columns(logs, str(sd), "float8")


def _proofs(logs: Mapping[str, str]) -> str:
    # Of every five models, three are confirmed, and one has a single report of an unknown person.
    return _columns(logs, "CASE n % 5 WHEN 0 THEN 1 WHEN 1 THEN 3 ELSE 5 END", "smallint")


def _columns(logs: Mapping[str, str], value: str, kind: str) -> str:
    values = (value if name in logs else "NULL" for name in metrics.ABILITIES)
    return f"ARRAY[{', '.join(values)}]::{kind}[]"


def _document(row: Ability, log: str, here: str) -> str:
    """Return the SQL expression of an ability's JSON document.

    Only for a latency is less better, so its log is negative.
    """
    value = f"exp({row.sign} * {log})"
    return (
        f"jsonb_build_object('value', {value}, 'lower', {value} * 0.8, 'upper', {value} * 1.25,"
        f" 'origin', CASE WHEN {here} THEN 'here' ELSE 'elsewhere' END, 'at_least', false, 'median', {value},"
        " 'cards', 1 + n % 12, 'people', 1 + n % 5, 'known_people', n % 3, 'runs', 10, 'voices', 2, 'proof', 5)"
    )


def _store_runs(models: int, runs: int) -> None:
    # Two cards of every model, measured in turn in fifty hosts.
    cards = models * _CARDS_PER_MODEL
    silicon = Variant(bus="SD", mid=2, oid=0x544D, prv="1.0", capacity_bytes=10**10)
    _multiply(silicon, models, id="n", card_model_id="n", pnm="'PN' || n")
    card = Card(manufactured="2023-05", verdict="nothing unusual")
    _multiply(card, cards, id="n", key="lpad(n::text, 24, '0')", variant_id=f"1 + n % {models}")
    host = Host(interface="mmc", bus_mode="SDR104")
    _multiply(host, _HOSTS, id="n", board="'Raspberry Pi ' || n")
    _multiply(
        Submission(body=b"{}", channel="bulk"),
        runs,
        id="n",
        public_id="lpad(n::text, 12, '0')",
        content_hash="lpad(n::text, 64, '0')",
        submitter="n % 900",
    )
    run = Run(suite="quick", tool="cardbench", target="device")
    _multiply(run, runs, id="n", submission_id="n", card_id=f"1 + n % {cards}", host_id=f"1 + n % {_HOSTS}")
    _multiply(_measurement(), runs, run_id="n", value="400 + n % 300", repeats="ARRAY[400 + n % 300]")
    with connection.cursor() as cursor:
        cursor.execute(stored.COPY)


def _store_summaries() -> None:
    models = iter(CardModel.objects.order_by("pk").iterator())
    while some := list(islice(models, _MODELS_AT_ONCE)):
        bulk.copy_models(ModelSummary, summaries.make_summaries(records.load_records(some)))


def _measurement() -> Measurement:
    return Measurement(
        position=0,
        workload="stream",
        metric="iops",
        parameters={"direction": "write", "order": "random", "block_size_bytes": 4096, "io": "direct"},
        figure="rand_write_4k",
        verdict="ok",
    )
