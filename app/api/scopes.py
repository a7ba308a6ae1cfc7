"""Scope that each operation requires.

An operation that is not listed cannot be added to the API, so none is open by mistake. A key
needs both the operation's scope and its role.
"""

from collections.abc import Mapping
from typing import Final

from app.models import Scope

#: Operations by the scope that they require; those under ``None`` require none.
_OPERATIONS: Final[Mapping[Scope | None, tuple[str, ...]]] = {
    None: ("getOrganization",),
    Scope.READ: (
        "getUsage",
        "listVessels",
        "getVessel",
        "getVesselStatistics",
        "listVesselCalibrations",
        "getVesselCalibration",
        "listTelemetry",
        "listAisPositions",
        "listNoonReports",
        "getNoonImport",
        "listChartings",
        "listActiveChartings",
        "getCharting",
        "getChartingCsv",
        "getChartingRtz",
        "getChartingFoc",
        "getChartingSpread",
        "getChartingTrack",
        "getChartingExplanation",
        "computeChartingSegments",
        "listCriticalPoints",
        "getChartingDepartures",
        "getChartingDeparturesCsv",
        "listVoyages",
        "streamEvents",
        "getChartingProgress",
        "getChartingReport",
        "getChartingReportCsv",
        "listChartingAdvice",
        "listConstraints",
        "getConstraint",
        "listClientData",
        "getClientData",
        "quoteRoute",
        "checkRoute",
        "compareRoute",
        "listWeatherRuns",
        "getWeatherPoint",
        "getWeatherGrid",
        "listPorts",
        "listZones",
    ),
    Scope.PLAN: (
        "createVessel",
        "updateVessel",
        "patchVessel",
        "deleteVessel",
        "createVesselCalibration",
        "cancelVesselCalibration",
        "acceptVesselCalibration",
        "revertVesselCalibration",
        "createCharting",
        "createChartingBatch",
        "updateCharting",
        "deleteCharting",
        "cancelCharting",
        "archiveCharting",
        "restoreCharting",
        "compareChartingDepartures",
        "cancelChartingDepartures",
        "startCharting",
        "finishCharting",
        "abandonCharting",
        "acceptChartingAdvice",
        "declineChartingAdvice",
        "optimizeRoute",
        "createConstraint",
        "updateConstraint",
        "deleteConstraint",
        "createClientData",
        "updateClientData",
        "deleteClientData",
    ),
    Scope.TELEMETRY: (
        "createTelemetry",
        "createTelemetryBatch",
        "importAisPositions",
        "correctTelemetry",
        "deleteTelemetry",
        "previewNoonReports",
        "importNoonReports",
        "cancelNoonImport",
        "deleteNoonReports",
        "deleteNoonReport",
    ),
    Scope.ADMIN: (
        "patchOrganization",
        "listKeys",
        "issueKey",
        "getKey",
        "rotateKey",
        "revokeKey",
        "listAuditEntries",
        "exportData",
        "listErasures",
        "requestErasure",
        "getErasure",
        "takeErasureBack",
        "listUsers",
        "createUser",
        "getUser",
        "updateUser",
        "deactivateUser",
        "resetUserPassword",
        "listWebhooks",
        "createWebhook",
        "getWebhook",
        "updateWebhook",
        "deleteWebhook",
        "rotateWebhookSecret",
        "sendWebhookTest",
        "listWebhookDeliveries",
    ),
}

SCOPE_OF: Final[Mapping[str, Scope | None]] = {
    operation: scope for scope, operations in _OPERATIONS.items() for operation in operations
}


def scope_of(operation_id: str) -> Scope | None:
    """Return the scope that an operation requires, or ``None`` if any key may call it.

    Raises :class:`LookupError` for an operation whose scope is not declared.
    """
    if operation_id not in SCOPE_OF:
        raise LookupError(f"no scope is declared for {operation_id}; add it to app/api/scopes.py")
    return SCOPE_OF[operation_id]
