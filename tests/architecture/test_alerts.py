"""Alerts and dashboard ask for figures that there are, and each alert has its runbook."""

import json
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "operations.md").read_text()
RULES = yaml.safe_load((ROOT / "deploy" / "alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
KNOWN = set(re.findall(r"^\| `(chartroom_\w+)` \|", GUIDE, re.MULTILINE))


def list_figures(expression: str) -> set[str]:
    """The figures of an expression, without what a histogram adds to their names."""
    names = re.findall(r"chartroom_\w+", expression)
    return {re.sub(r"_(bucket|count|sum)$", "", name) for name in names}


def test_each_alert_has_a_runbook_and_each_runbook_an_alert() -> None:
    section = GUIDE.split("\n## Alerts\n")[1].split("\n## ")[0]
    runbooks = re.findall(r"^### (\w+)$", section, re.MULTILINE)
    assert runbooks == [rule["alert"] for rule in RULES]
    for rule in RULES:
        assert rule["annotations"]["runbook"] == f"docs/operations.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("critical", "warning")


def test_alerts_and_dashboard_ask_for_figures_that_there_are() -> None:
    expressions = [rule["expr"] for rule in RULES]
    expressions += [target["expr"] for p in DASHBOARD["panels"] for target in p["targets"]]
    assert set().union(*map(list_figures, expressions)) == KNOWN


def test_panels_do_not_lie_over_each_other() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
