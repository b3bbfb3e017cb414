"""The alerts and the dashboard use only names that /metrics/ exports."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from submissions import counters

FOLDER = Path(__file__).parents[2] / "flashdb" / "monitoring"
RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]
]
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text())
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
DURATION = re.compile(r"[0-9]+[mh]")


def expressions() -> list[str]:
    return [rule["expr"] for rule in RULES] + [
        target["expr"] for panel in PANELS for target in panel["targets"]
    ]


@pytest.mark.django_db
def test_every_name_is_exported() -> None:
    families = list(text_string_to_metric_families(counters.render_metrics().decode()))
    endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    exported = {f"{family.name}{ending}" for family in families for ending in endings[family.type]}
    asked = {name for expression in expressions() for name in re.findall(r"flashdb_\w+", expression)}
    assert asked and asked <= exported


def test_labels_are_those_of_the_counters() -> None:
    for expression in expressions():
        for name, label in re.findall(r"(flashdb_\w+)_total\{(\w+)=", expression):
            assert counters.COUNTERS[name][1] == label


def test_every_alert_says_what_to_do() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES) >= 9
    for rule in RULES:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert DURATION.fullmatch(rule["for"]) and rule["labels"]["severity"] in ("page", "ticket")
        assert len(rule["annotations"]["summary"]) > 30
        assert rule["expr"].count("(") == rule["expr"].count(")")


def check_grafana_form(dashboard: dict[str, Any]) -> None:
    """Assert that a dashboard has a position for every panel, a selectable data source, and a list of requirements."""
    panels = dashboard["panels"]
    assert dashboard["title"] and dashboard["uid"] and dashboard["schemaVersion"] >= 36
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({tuple(panel["gridPos"].values()) for panel in panels}) == len(panels)
    for panel in panels:
        assert panel["title"] and panel["datasource"] == {"type": "prometheus", "uid": "${source}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) >= 1
    required = {(row["type"], row["id"]) for row in dashboard["__requires"]}
    assert required == {("grafana", "grafana"), ("datasource", "prometheus")} | {
        ("panel", panel["type"]) for panel in panels
    }
    assert dashboard["__inputs"] == [], (
        "the variable asks for the source, so that files work without an import, too"
    )
    (variable,) = dashboard["templating"]["list"]
    assert (variable["name"], variable["type"], variable["query"]) == ("source", "datasource", "prometheus")


def test_the_dashboard_has_the_form_that_grafana_imports() -> None:
    check_grafana_form(DASHBOARD)
