"""How stored things look as JSON."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from app.engine.codes import WarningCode
from app.models import (
    ApiKey,
    AreaRecord,
    AuditEntry,
    DeliveryStatus,
    Erasure,
    EventKind,
    Organization,
    TelemetryRecord,
    User,
    Vessel,
    WebhookDelivery,
    WebhookEndpoint,
)
from app.records.facts import FactsSchema
from app.records.instants import format_instant
from app.services import keys, queue, quotas, telemetry_fields
from app.services.actor import Actor
from app.services.areas import may_change
from app.services.chartings import ChartingView
from app.services.paging import Page
from app.services.plan_codec import read_facts
from app.services.quotas import Usage


def instant(value: datetime | None) -> str | None:
    """A time, or ``null``."""
    return None if value is None else format_instant(value)


def page(found: Page[Any], present: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """A page of a list."""
    return {
        "items": [present(item) for item in found.items],
        "page": found.page,
        "pageSize": found.page_size,
        "total": found.total,
        "totalPages": found.total_pages,
    }


def organization(row: Organization) -> dict[str, Any]:
    """An organization."""
    return {
        "id": str(row.id),
        "name": row.name,
        "ukcMarginM": row.ukc_margin_m,
        "plannersManageWebhooks": row.planners_manage_webhooks,
        "requiresSecondFactor": row.requires_second_factor,
        "keyLifetimeDays": row.key_lifetime_days,
        "keepChartingDays": row.keep_charting_days,
        "keepTelemetryDays": row.keep_telemetry_days,
        "keepAuditDays": row.keep_audit_days,
        "eraseAfterDays": row.erase_after_days,
        "createdAt": instant(row.created_at),
    }


def key(row: ApiKey) -> dict[str, Any]:
    """A key, without its secret."""
    return {
        "id": str(row.id),
        "prefix": row.prefix,
        "name": row.name,
        "role": row.role,
        "scopes": row.scopes,
        "networks": row.networks,
        "kind": keys.kind_of(row),
        "isOperator": row.is_operator,
        "state": keys.state_of(row),
        "createdAt": instant(row.created_at),
        "expiresAt": instant(row.expires_at),
        "revokedAt": instant(row.revoked_at),
        "lastUsedAt": instant(row.last_used_at),
        "rotatedFromId": str(row.rotated_from_id) if row.rotated_from_id else None,
    }


def user(row: User) -> dict[str, Any]:
    """A user, without the password."""
    return {
        "id": str(row.id),
        "email": row.email,
        "name": row.name,
        "role": row.role,
        "isActive": row.is_active,
        "createdAt": instant(row.created_at),
        "lastSignedInAt": instant(row.last_signed_in_at),
    }


def audit_entry(row: AuditEntry) -> dict[str, Any]:
    """A correction or deletion."""
    return {
        "id": str(row.id),
        "createdAt": instant(row.created_at),
        "actor": row.actor,
        "origin": row.origin,
        "action": row.action,
        "subjectId": str(row.subject_id),
        "before": row.before,
        "after": row.after,
    }


def usage(found: Mapping[str, Usage]) -> dict[str, Any]:
    """What an organization has of what the operator may limit."""
    return {
        "activeOrders": asdict(found[quotas.ACTIVE_ORDERS]),
        "storedAreas": asdict(found[quotas.AREAS]),
        "telemetryRecords": asdict(found[quotas.TELEMETRY]),
    }


def erasure(row: Erasure) -> dict[str, Any]:
    """An erasure that was asked for, and what became of it."""
    return {
        "id": str(row.id),
        "kind": row.kind,
        "subjectId": str(row.subject_id),
        "createdAt": instant(row.created_at),
        "createdBy": row.created_by,
        "dueAt": instant(row.due_at),
        "doneAt": instant(row.done_at),
    }


def webhook(row: WebhookEndpoint) -> dict[str, Any]:
    """A webhook, without its secret."""
    return {
        "id": str(row.id),
        "url": row.url,
        "events": row.event_kinds,
        "description": row.description,
        "isActive": row.is_active,
        "state": row.state,
        "failingSince": instant(row.failing_since),
        "previousSecretUntil": instant(row.previous_secret_until),
        "createdAt": instant(row.created_at),
        "createdBy": row.created_by,
        "updatedAt": instant(row.updated_at),
    }


def webhook_delivery(row: WebhookDelivery) -> dict[str, Any]:
    """One event on its way to one webhook, with its attempts."""
    is_test = row.event.kind == EventKind.WEBHOOK_TEST
    is_pending = row.status == DeliveryStatus.PENDING
    return {
        "id": str(row.id),
        "eventId": str(row.event_id),
        "eventType": row.event.kind,
        "chartingId": None if is_test else str(row.subject_id),
        "status": row.status,
        "attempts": row.attempts,
        "nextAttemptAt": instant(row.next_attempt_at) if is_pending else None,
        "createdAt": instant(row.created_at),
        "finishedAt": instant(row.finished_at),
    }


def vessel(row: Vessel) -> dict[str, Any]:
    """A vessel."""
    return {
        "id": str(row.id),
        "orgId": str(row.organization_id),
        "name": row.name,
        "image": row.image,
        "dateConstructed": row.date_constructed.isoformat(),
        "captain": row.captain,
        "dwt": row.dwt_t,
        "loa": row.loa_m,
        "lbp": row.lbp_m,
        "breadth": row.breadth_m,
        "depth": row.depth_m,
        "draftDesign": row.draft_design_m,
        "serviceSpeed": row.service_speed_kn,
        "draftScant": row.draft_scantling_m,
        "pitch": row.pitch_m,
        "imo": row.imo,
        "type": row.type_code,
        "registrarId": row.registrar_id,
        "owner": row.owner,
        "gt": row.gross_tonnage,
        "fuelType": row.fuel_type,
        "installedPowerKw": row.installed_power_kw,
        "propellerDiameter": row.propeller_diameter_m,
        "auxiliaryMtPerDay": row.auxiliary_t_per_day,
        "slammingLimit": row.slamming_limit,
        "deckWetnessLimit": row.deck_wetness_limit,
        "bowAccelerationLimit": row.bow_acceleration_limit_g,
        "iceClass": row.ice_class,
        "createdAt": instant(row.created_at),
        "updatedAt": instant(row.updated_at),
    }


def area(row: AreaRecord, reader: Actor) -> dict[str, Any]:
    """A constraint or client data entry, as one of its readers may see it.

    Of an operator's constraint other organizations learn neither who else it
    binds nor who made it.
    """
    is_own = row.organization_id == reader.organization_id
    listed = [id_ for id_ in row.organization_ids or [] if is_own or id_ == reader.organization_id]
    return {
        "id": str(row.id),
        "name": row.name,
        "geometry": row.drawn,
        "type": row.type,
        "level": row.level,
        "start_date": row.start_date.isoformat() if row.start_date else None,
        "end_date": row.end_date.isoformat() if row.end_date else None,
        "is_active": row.is_active,
        "description": row.description,
        "orgIds": [str(id_) for id_ in listed],
        "vesselTypeIds": [str(code) for code in row.vessel_type_codes or []],
        "readOnly": not may_change(reader, row),
        "createdAt": instant(row.created_at),
        "createdBy": row.created_by if is_own else "operator",
        "updatedAt": instant(row.updated_at),
        "updatedBy": row.updated_by if is_own else "operator",
    }


def charting(view: ChartingView, *, with_route: bool = True) -> dict[str, Any]:
    """A charting: the newest plan and the request it answers, beside the newest state.

    ``revision`` is the one that plan and request are from. Where a newer one is
    not completed, a warning says so.
    """
    state, planned = view.state, view.planned
    plan = planned.plan if with_route and planned.plan else None
    shown = {
        "id": str(view.charting.id),
        "orgId": str(view.charting.organization_id),
        **planned.request,
        "vesselName": planned.vessel["name"],
        "status": state.status,
        "progress": state.progress,
        "stage": state.stage,
        "queuePosition": queue.place_of(state),
        "failure": state.failure,
        "revision": planned.revision,
        "latestRevision": view.charting.latest_revision,
        "createdAt": instant(view.charting.created_at),
        "archivedAt": instant(view.charting.archived_at),
        "queuedAt": instant(state.queued_at),
        "startedAt": instant(state.started_at),
        "finishedAt": instant(state.finished_at),
        "summary": planned.summary,
        "provenance": planned.provenance,
        "warnings": _warnings(view),
        "label": planned.label,
    }
    if with_route:
        shown["waypoints"] = plan["waypoints"] if plan else []
        shown["facts"] = FactsSchema.write(read_facts(plan)) if plan else None
        shown["alternatives"] = plan["alternatives"] if plan else []
        shown["front"] = plan.get("front", []) if plan else []
    return shown


def _warnings(view: ChartingView) -> list[dict[str, str]]:
    state, planned = view.state, view.planned
    warnings = list(planned.warnings or [])
    if state is not planned:
        detail = (
            f"The request and the route shown are those of revision {planned.revision};"
            f" revision {state.revision} is {state.status}. Read it with"
            f" ?revision={state.revision}."
        )
        warnings.append({"code": str(WarningCode.PLAN_OF_EARLIER_REVISION), "detail": detail})
    return warnings


def telemetry(row: TelemetryRecord) -> dict[str, Any]:
    """A telemetry record."""
    return {
        "vesselId": str(row.vessel_id),
        **telemetry_fields.describe(row),
        "receivedAt": instant(row.received_at),
    }
