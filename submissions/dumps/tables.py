"""What a dump holds: one row per table, one per column. Files, types and the description of a dump follow from it.

No column holds a serial number, a raw report, an address or the key of a submitter.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from submissions.domain.measuring import metrics
from submissions.domain.ranking import interfaces, profiles

Rows = Iterable[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type: as DuckDB calls it, and as a Frictionless table schema does."""

    duckdb: str
    field: str


TEXT = Kind("VARCHAR", "string")
INTEGER = Kind("BIGINT", "integer")
NUMBER = Kind("DOUBLE", "number")
BOOLEAN = Kind("BOOLEAN", "boolean")
TIME = Kind("TIMESTAMPTZ", "datetime")
JSON = Kind("JSON", "any")
NUMBERS = Kind("DOUBLE[]", "array")


@dataclass(frozen=True, slots=True)
class Column:
    """`sql`: the expression it is read with; of a table that the code knows, nothing."""

    name: str
    kind: Kind
    sql: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Read by `source`, the FROM of a query with its order, or from what the code knows, by `rows`."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    source: str = ""
    rows: Callable[[], Rows] | None = None
    refers: tuple[tuple[str, str, str], ...] = ()  # column, table, its column


def _of(prefix: str, *columns: tuple[str, Kind] | tuple[str, Kind, str]) -> tuple[Column, ...]:
    """Columns that are named as in the database."""
    return tuple(Column(name, kind, f"{prefix}.{name}", *rest) for name, kind, *rest in columns)


def _profiles() -> Rows:
    for profile in profiles.all_profiles().values():
        for term in profile.terms:
            yield (
                *(profile.name, profile.title, profile.version),
                *(term.figure, term.share, term.reference, term.spread),
            )


def _metrics() -> Rows:
    return (
        (metric.name, metric.title, metric.base_unit, metric.better) for metric in metrics.METRICS.values()
    )


def _interfaces() -> Rows:
    return (
        (
            interface.name,
            interface.title,
            interface.raw_bytes_per_second,
            interface.practical_bytes_per_second,
            interface.queues,
        )
        for interface in interfaces.all_interfaces().values()
    )


_RUN = (
    "submissions_run r JOIN submissions_submission s ON s.id = r.submission_id "
    "JOIN submissions_card c ON c.id = r.card_id"
)
_LAST_FIT = "(SELECT max(id) FROM submissions_fit)"

TABLES = (
    Table(
        "models",
        "What the box says, and what is ranked",
        _of(
            "m",
            ("id", INTEGER),
            ("slug", TEXT),
            ("name", TEXT),
            ("brand", TEXT),
            ("line", TEXT),
            ("model_number", TEXT),
            ("capacity_gb", NUMBER, "as sold, decimal gigabytes"),
            ("named_from", TEXT, "label, or registers until a label is known"),
            ("simulated", BOOLEAN, "invented, outside every ranking of real cards"),
            ("created_at", TIME),
        ),
        ("slug",),
        "submissions_cardmodel m ORDER BY m.id",
    ),
    Table(
        "variants",
        "The silicon under a model",
        (
            Column("id", INTEGER, "v.id"),
            Column("model", TEXT, "m.slug"),
            *_of("v", ("bus", TEXT), ("mid", INTEGER, "manufacturer number"), ("oid", INTEGER, "OEM number")),
            *_of("v", ("pnm", TEXT, "product name"), ("prv", TEXT, "revision"), ("capacity_bytes", INTEGER)),
        ),
        ("id",),
        "submissions_variant v JOIN submissions_cardmodel m ON m.id = v.card_model_id ORDER BY v.id",
        refers=(("model", "models", "slug"),),
    ),
    Table(
        "cards",
        "Single specimens, recognised again by a keyed hash",
        (
            Column("key", TEXT, "c.key"),
            Column("variant", INTEGER, "c.variant_id"),
            *_of("c", ("manufactured", TEXT, "YYYY-MM"), ("verdict", TEXT, "of its identity")),
            *_of("c", ("suspicions", JSON, "evidence, never proof"), ("created_at", TIME)),
        ),
        ("key",),
        "submissions_card c ORDER BY c.id",
        refers=(("variant", "variants", "id"),),
    ),
    Table(
        "hosts",
        "Where cards were measured; identical hosts are one",
        _of(
            "h",
            ("id", INTEGER),
            ("board", TEXT),
            ("machine", TEXT),
            ("kernel", TEXT),
            ("interface", TEXT, "mmc: in a card slot, usb: in a reader"),
            ("driver", TEXT),
            ("reader", TEXT),
            ("bus_mode", TEXT),
            ("clock_hz", INTEGER),
            ("width_bits", INTEGER),
        ),
        ("id",),
        "submissions_host h ORDER BY h.id",
    ),
    Table(
        "runs",
        "Executions of a suite on one card in one host",
        (
            Column("id", TEXT, "s.public_id", "of its submission"),
            Column("number", INTEGER, "s.id", "in the order in which they came"),
            Column("card", TEXT, "c.key"),
            Column("host", INTEGER, "r.host_id"),
            Column("submitter", TEXT, "{pseudonym}", "tells submitters apart within this dump alone"),
            *_of("r", ("suite", TEXT), ("tool", TEXT), ("tool_version", TEXT), ("target", TEXT)),
            *_of("r", ("filesystem", TEXT), ("condition", TEXT, "of the card before the run")),
            *_of("r", ("label", JSON, "what the box says"), ("registers", JSON, "without the serial number")),
            Column("not_ranked", TEXT, "r.excluded", "why nothing of it is ranked; empty if it is"),
            *_of("r", ("started_at", TIME), ("duration_ns", INTEGER), ("note", TEXT)),
            Column("received_at", TIME, "s.received_at"),
            Column("filed_at", TIME, "s.finished_at"),
            *_of("r", ("source_title", TEXT, "where it was published first"), ("source_author", TEXT)),
            *_of("r", ("source_url", TEXT), ("source_licence", TEXT, "if not that of the dump")),
        ),
        ("id",),
        f"{_RUN} ORDER BY r.id",
        refers=(("card", "cards", "key"), ("host", "hosts", "id")),
    ),
    Table(
        "measurements",
        "One metric of one access pattern; values in the base unit of the metric",
        (
            Column("run", TEXT, "s.public_id"),
            *_of("x", ("position", INTEGER), ("workload", TEXT), ("metric", TEXT), ("parameters", JSON)),
            Column("figure", TEXT, "x.figure", "comparable figure it is; or empty"),
            *_of("x", ("value", NUMBER, "median of the repeats; null when all failed")),
            *_of("x", ("spread", NUMBER, "(highest - lowest) / median")),
            Column("repeats", NUMBERS, "to_json(x.repeats)"),
            *_of("x", ("operations", INTEGER, "behind each repeat"), ("verdict", TEXT), ("reason", TEXT)),
        ),
        ("run", "position"),
        "submissions_measurement x JOIN submissions_run r ON r.id = x.run_id "
        "JOIN submissions_submission s ON s.id = r.submission_id ORDER BY x.id",
        refers=(("run", "runs", "id"), ("metric", "metrics", "name")),
    ),
    Table(
        "geometry",
        "What a run tells of the inside of its card",
        (
            Column("run", TEXT, "s.public_id"),
            *_of("y", ("quantity", TEXT, "a metric of the workload geometry"), ("origin", TEXT)),
            *_of("y", ("value", NUMBER, "in the base unit of the metric")),
            *_of("y", ("log_odds", NUMBER, "right against wrong, natural log"), ("code", TEXT)),
            *_of("y", ("reasoning", JSON, "sentences")),
        ),
        ("run", "quantity", "origin"),
        "submissions_geometry y JOIN submissions_run r ON r.id = y.run_id "
        "JOIN submissions_submission s ON s.id = r.submission_id ORDER BY y.id",
        refers=(("run", "runs", "id"), ("quantity", "metrics", "name")),
    ),
    Table(
        "scores",
        "What a model is worth for a purpose, as published; 100 is the reference card of the profile",
        (
            Column("model", TEXT, "m.slug"),
            *_of("k", ("profile", TEXT), ("profile_version", INTEGER), ("interface", TEXT)),
            *_of("k", ("value", NUMBER), ("lower", NUMBER), ("upper", NUMBER)),
            *_of("k", ("bound", NUMBER, "what it is ranked by")),
            *_of("k", ("range_low", NUMBER, "worst variant of a model whose cards differ")),
            *_of("k", ("range_high", NUMBER), ("cards", INTEGER), ("runs", INTEGER), ("submitters", INTEGER)),
            *_of("k", ("covered", INTEGER, "figures measured"), ("terms", INTEGER, "figures of the profile")),
            *_of("k", ("figures", JSON), ("state", TEXT, "early, ranked or solid")),
        ),
        ("model", "profile", "interface"),
        "submissions_score k JOIN submissions_cardmodel m ON m.id = k.card_model_id ORDER BY k.id",
        refers=(("model", "models", "slug"),),
    ),
    Table(
        "estimates",
        "One figure of one model on the reference host, in natural logs",
        (
            Column("model", TEXT, "m.slug"),
            Column("variant", INTEGER, "e.variant_id", "null: the whole model"),
            *_of("e", ("figure", TEXT), ("mean", NUMBER), ("sd", NUMBER)),
            *_of("e", ("own_mean", NUMBER, "what its cards alone say"), ("own_precision", NUMBER)),
            *_of("e", ("cards", INTEGER), ("submitters", INTEGER), ("runs", INTEGER)),
            *_of("e", ("at_least", BOOLEAN, "links hid most of it")),
        ),
        ("model", "variant", "figure"),
        "submissions_estimate e JOIN submissions_cardmodel m ON m.id = e.card_model_id ORDER BY e.id",
        refers=(("model", "models", "slug"),),
    ),
    Table(
        "variation_flags",
        "Ways in which cards of one model differ",
        (
            Column("model", TEXT, "m.slug"),
            *_of("f", ("kind", TEXT), ("figure", TEXT), ("ratio", NUMBER, "faster over slower")),
            *_of("f", ("lower_ratio", NUMBER), ("upper_ratio", NUMBER), ("p_value", NUMBER)),
            *_of("f", ("cards", INTEGER), ("submitters", INTEGER), ("evidence", JSON), ("since", TIME)),
        ),
        ("model", "kind", "figure"),
        "submissions_variationflag f JOIN submissions_cardmodel m ON m.id = f.card_model_id ORDER BY f.id",
        refers=(("model", "models", "slug"),),
    ),
    Table(
        "fits",
        "The last full fit of the whole crowd, on which every score rests",
        _of(
            "t",
            *(("id", INTEGER), ("made_at", TIME), ("model_count", INTEGER), ("card_count", INTEGER)),
            *(("run_count", INTEGER), ("parameters", JSON), ("correlation", NUMBER)),
            *(("varies_below", NUMBER), ("suspected_below", NUMBER), ("standing", JSON)),
        ),
        ("id",),
        f"submissions_fit t WHERE t.id = {_LAST_FIT}",
    ),
    Table(
        "figure_fits",
        "What that fit says of each figure: hosts, spreads, models of a kind",
        _of(
            "g",
            ("figure", TEXT),
            ("spreads", JSON, "standard deviations in natural logs"),
            ("general", NUMBER, "log value of a model of which nothing is known"),
            ("traits", JSON),
            ("priors", JSON),
        ),
        ("figure",),
        f"submissions_figurefit g WHERE g.fit_id = {_LAST_FIT} ORDER BY g.id",
    ),
    Table(
        "host_effects",
        "What that fit says of each host, in natural logs",
        (
            Column("figure", TEXT, "g.figure"),
            Column("host", INTEGER, "h.key::bigint"),
            Column("effect", NUMBER, "h.value -> 0"),
            Column("variance", NUMBER, "h.value -> 1"),
            Column(
                "link", NUMBER, "nullif(h.value -> 2, 'null')", "what its link reaches; null without limit"
            ),
        ),
        ("figure", "host"),
        "submissions_figurefit g, jsonb_each(g.hosts) h "
        f"WHERE g.fit_id = {_LAST_FIT} ORDER BY g.id, h.key::bigint",
        refers=(("host", "hosts", "id"),),
    ),
    Table(
        "profiles",
        "What a card is used for: the figures that count",
        (
            Column("profile", TEXT),
            Column("title", TEXT),
            Column("version", INTEGER),
            Column("figure", TEXT),
            Column("share", NUMBER, meaning="of the weight; the shares of a profile sum to 1"),
            Column("reference", NUMBER, meaning="value of the card that scores 100"),
            Column("spread", NUMBER, meaning="of the market, in natural logs"),
        ),
        ("profile", "figure"),
        rows=_profiles,
    ),
    Table(
        "metrics",
        "What is measured, and in which unit",
        (Column("name", TEXT), Column("title", TEXT), Column("base_unit", TEXT), Column("better", TEXT)),
        ("name",),
        rows=_metrics,
    ),
    Table(
        "interfaces",
        "Classes of slots for which scores are kept",
        (
            Column("name", TEXT),
            Column("title", TEXT),
            Column("raw_bytes_per_second", NUMBER),
            Column("practical_bytes_per_second", NUMBER, meaning="what good cards reach in such a slot"),
            Column("queues", BOOLEAN, meaning="commands may wait in the card"),
        ),
        ("name",),
        rows=_interfaces,
    ),
)
