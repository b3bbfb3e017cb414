"""The Grafana dashboard queries the metrics that `cardbench health --textfile` writes, and no others."""

import json
import re
from typing import Any

import pytest
from cardbench.cli import textfile
from cardbench.target import health

from tests.client.cli.test_identify_server import SYSFS
from tests.client.conftest import CLIENT
from tests.flashdb.test_monitoring import check_grafana_form

DASHBOARD: dict[str, Any] = json.loads((CLIENT / "integrations/grafana/dashboard.json").read_text())
TARGETS: list[dict[str, str]] = [target for panel in DASHBOARD["panels"] for target in panel["targets"]]


def test_it_has_the_form_that_grafana_imports():
    check_grafana_form(DASHBOARD)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target["expr"])
def test_every_name_is_written(target):
    written = {textfile.gauge_of(name)[0] for name in health.UNITS} | {textfile.KNOWN, textfile.NEAR_ITS_END}
    asked = set(re.findall(r"cardbench_\w+", target["expr"]))
    assert asked and asked <= written
    assert target["expr"].count("(") == target["expr"].count(")")
    assert "{{disk}}" in target["legendFormat"], "the label that the client writes"


def test_what_is_most_urgent_stands_first():
    assert DASHBOARD["panels"][0]["targets"][0]["expr"] == textfile.NEAR_ITS_END


@pytest.mark.parametrize("scheduler", ["root", "--on-calendar=hourly"])
def test_the_readme_fills_it(cardbench, tmp_path, scheduler):
    (line,) = re.findall(
        rf"^ {{4}}.*{scheduler} +cardbench (.*)$", (CLIENT / "README.md").read_text(), re.MULTILINE
    )
    words = line.partition(" >")[0].replace("/var/lib/prometheus/node-exporter", str(tmp_path)).split()
    assert cardbench(*words, "--sysfs", SYSFS / "pi4").returncode == 0
    assert textfile.KNOWN in (tmp_path / "mmcblk0.prom").read_text()
