"""Links from a new resource to its operations (OpenAPI 3.0, 4.7.20)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from apispec import APISpec

#: What operations that make something answer the id of: the parameter of other paths.
_MADE_BY: Final[Mapping[str, str]] = {
    "createVessel": "vesselId",
    "createCharting": "chartingId",
    "optimizeRoute": "chartingId",
    "createConstraint": "constraintId",
    "createClientData": "constraintId",
    "issueKey": "keyId",
    "rotateKey": "keyId",
    "createUser": "userId",
    "createWebhook": "webhookId",
}


def describe_links(spec: APISpec) -> None:
    """Link each operation that makes something to those that its id leads to."""
    operations = list(_operations(spec))
    for path, operation in operations:
        parameter = _MADE_BY.get(operation["operationId"])
        if parameter is None:
            continue
        collection = path.partition("/{")[0]
        leads_to = [
            target["operationId"]
            for target_path, target in operations
            if f"{{{parameter}}}" in target_path
            and (parameter != "constraintId" or target_path.startswith(f"{collection}/"))
        ]
        made = operation["responses"]["201"]
        made["links"] = {name: _link(name, parameter) for name in leads_to}


def _operations(spec: APISpec) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in spec._paths.items():
        for operation in item.values():
            if isinstance(operation, dict) and "operationId" in operation:
                yield path, operation


def _link(operation_id: str, parameter: str) -> dict[str, Any]:
    return {"operationId": operation_id, "parameters": {parameter: "$response.body#/id"}}
