"""deploy/kubernetes is valid, and runs the services of compose.yaml."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app.config import Settings
from app.services.platform import queue

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
VERSIONS = ("1.29", "1.37")
LISTED: list[str] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]
RESOURCES: list[dict[str, Any]] = [
    each for name in LISTED for each in yaml.safe_load_all((FOLDER / name).read_text())
]
KINDS = [f"{each['kind']} {each['metadata']['name']}" for each in RESOURCES]


def list_pods() -> Iterator[tuple[str, dict[str, Any]]]:
    """The pods that workloads start, by the workloads' names."""
    for each in RESOURCES:
        if each["kind"] in ("Deployment", "Job"):
            yield each["metadata"]["name"], each["spec"]["template"]["spec"]


PODS: Mapping[str, dict[str, Any]] = dict(list_pods())
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("resource", RESOURCES, ids=KINDS)
def test_each_resource_is_what_the_api_takes(resource: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(resource, version, strict=True)


def test_every_file_is_listed() -> None:
    assert sorted(LISTED) == sorted(
        path.name for path in FOLDER.glob("*.yaml") if path.name != "kustomization.yaml"
    )


@pytest.mark.parametrize("pod", PODS)
def test_a_pod_may_do_no_more_than_it_must(pod: str) -> None:
    spec = PODS[pod]
    (container,) = spec["containers"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"requests", "limits"} <= container["resources"].keys()


@pytest.mark.parametrize(
    ("pod", "service"),
    [
        ("chartroom-setup", "setup"),
        ("chartroom-worker", "worker"),
        ("chartroom-webhook-worker", "webhooks"),
    ],
)
def test_a_pod_runs_what_compose_runs(pod: str, service: str) -> None:
    assert PODS[pod]["containers"][0]["command"] == COMPOSE[service]["command"]


def test_a_worker_is_given_longer_to_end_than_a_planning_may_take() -> None:
    settings = next(each for each in RESOURCES if each["kind"] == "ConfigMap")["data"]
    budget_s = int(settings["JOB_TIMEOUT_S"])
    assert budget_s == Settings("", "").job_timeout_s
    assert PODS["chartroom-worker"]["terminationGracePeriodSeconds"] > budget_s


def test_disruption_budgets_are_for_workloads_of_several_pods() -> None:
    several = {
        each["metadata"]["name"]
        for each in RESOURCES
        if each["kind"] == "Deployment" and each["spec"]["replicas"] > 1
    }
    budgets = [each for each in RESOURCES if each["kind"] == "PodDisruptionBudget"]
    names = {each["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"] for each in budgets}
    assert names == several


def test_workers_are_scaled_by_the_queue_that_they_serve() -> None:
    scaler = yaml.safe_load((FOLDER / "keda" / "scaler.yaml").read_text())["spec"]
    assert scaler["scaleTargetRef"]["name"] in PODS
    (trigger,) = scaler["triggers"]
    assert trigger["metadata"]["listName"] == f"rq:queue:{queue.PLANNING}"
