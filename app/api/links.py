"""Links from a new resource to its operations (OpenAPI 3.0, 4.7.20)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from apispec import APISpec

#: Path parameter that takes the id of what an operation creates, by operationId.
_CREATED_BY: Final[Mapping[str, str]] = {
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
    """Link each operation that creates something to the operations that take its id."""
    operations = list(_operations(spec))
    for path, operation in operations:
        parameter = _CREATED_BY.get(operation["operationId"])
        if parameter is None:
            continue
        collection = path.partition("/{")[0]
        targets = [
            target["operationId"]
            for target_path, target in operations
            if f"{{{parameter}}}" in target_path
            and (parameter != "constraintId" or target_path.startswith(f"{collection}/"))
        ]
        operation["responses"]["201"]["links"] = {
            name: {"operationId": name, "parameters": {parameter: "$response.body#/id"}}
            for name in targets
        }


def _operations(spec: APISpec) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in spec._paths.items():
        for operation in item.values():
            if isinstance(operation, dict) and "operationId" in operation:
                yield path, operation
