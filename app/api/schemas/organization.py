"""Organizations in requests and responses."""

from operator import itemgetter
from typing import Any, ClassVar

from marshmallow import fields, validate

from app.records.fields import Flag, Number, RequestSchema, WholeNumber
from app.records.figures import instant, part, text
from app.records.record import Record
from app.services.identity.organizations import (
    LONGEST_ERASE_AFTER_DAYS,
    LONGEST_KEPT_DAYS,
    LONGEST_KEY_LIFETIME_DAYS,
    MOST_ADVICE_MAIL,
)
from app.services.platform import quotas


def _retention(key: str, what: str, **options: Any) -> WholeNumber:
    return WholeNumber(
        data_key=key,
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEPT_DAYS),
        description=f"Retention of {what} [days]; null: until deleted",
        **options,
    )


def _erase_after(**options: Any) -> WholeNumber:
    return WholeNumber(
        data_key="eraseAfterDays",
        validate=validate.Range(1, LONGEST_ERASE_AFTER_DAYS),
        description="Time before requested erasures are carried out [days]",
        **options,
    )


def _threshold(key: str, gain: str, **options: Any) -> Number:
    return Number(
        data_key=key,
        validate=validate.Range(0, 1000),
        description=f"Smallest {gain} for which a voyage under way gets advice",
        **options,
    )


def _advice_mail(**options: Any) -> fields.List[str]:
    return fields.List(
        fields.Email(),
        data_key="adviceMail",
        validate=validate.Length(max=MOST_ADVICE_MAIL),
        metadata={"description": "E-mail addresses that receive advice for voyages under way"},
        **options,
    )


_LIFETIME = "Default lifetime of keys [days]; null: no expiry"


class OrganizationSchema(RequestSchema):
    """Settings of an organization."""

    read_only = frozenset({"id", "name", "ukcMarginM", "createdAt"})

    planners_manage_webhooks = Flag(
        data_key="plannersManageWebhooks",
        description="Whether planners may manage webhooks, as admins may",
    )
    requires_second_factor = Flag(
        data_key="requiresSecondFactor", description="Whether users must set up a second factor"
    )
    key_lifetime_days = WholeNumber(
        data_key="keyLifetimeDays",
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEY_LIFETIME_DAYS),
        description=_LIFETIME,
    )
    keep_charting_days = _retention("keepChartingDays", "chartings after their last request")
    keep_telemetry_days = _retention("keepTelemetryDays", "telemetry records and noon reports")
    keep_audit_days = _retention("keepAuditDays", "audit log entries")
    erase_after_days = _erase_after()
    advice_fuel_pct = _threshold("adviceFuelPct", "saving of the remaining fuel [%]")
    advice_fuel_t = _threshold("adviceFuelMt", "saving of fuel [t]")
    advice_eta_h = _threshold("adviceEtaH", "gain of time [h]")
    advice_mail = _advice_mail()


class OrganizationRecordSchema(OrganizationSchema, Record):
    """An organization."""

    id = text("Id; orgId in vessels and chartings")
    name = text("Name")
    ukcMarginM = fields.Float(
        required=True,
        validate=validate.Range(min=0),
        metadata={"description": "Least under-keel clearance [m]"},
    )
    planners_manage_webhooks = Flag(
        required=True,
        data_key="plannersManageWebhooks",
        description="Whether planners may manage webhooks, as admins may",
    )
    requires_second_factor = Flag(
        required=True,
        data_key="requiresSecondFactor",
        description="Whether users must set up a second factor",
    )
    key_lifetime_days = WholeNumber(
        required=True,
        data_key="keyLifetimeDays",
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEY_LIFETIME_DAYS),
        description=_LIFETIME,
    )
    keep_charting_days = _retention(
        "keepChartingDays", "chartings after their last request", required=True
    )
    keep_telemetry_days = _retention(
        "keepTelemetryDays", "telemetry records and noon reports", required=True
    )
    keep_audit_days = _retention("keepAuditDays", "audit log entries", required=True)
    erase_after_days = _erase_after(required=True)
    advice_fuel_pct = _threshold("adviceFuelPct", "saving of the remaining fuel [%]", required=True)
    advice_fuel_t = _threshold("adviceFuelMt", "saving of fuel [t]", required=True)
    advice_eta_h = _threshold("adviceEtaH", "gain of time [h]", required=True)
    advice_mail = _advice_mail(required=True)
    createdAt = instant("Creation time")


class QuotaSchema(Record):
    """Amount in use, and limit."""

    used = fields.Integer(
        required=True, validate=validate.Range(min=0), metadata={"description": "Amount in use"}
    )
    limit = fields.Integer(
        required=True,
        allow_none=True,
        validate=validate.Range(min=0),
        metadata={"description": "Limit; null: none"},
    )


def _quota(description: str) -> fields.Nested:
    return part(QuotaSchema, description)


class UsageSchema(Record):
    """Usage of an organization against its limits."""

    computed: ClassVar = {
        "activeOrders": itemgetter(quotas.ACTIVE_ORDERS),
        "storedAreas": itemgetter(quotas.AREAS),
        "telemetryRecords": itemgetter(quotas.TELEMETRY),
    }

    activeOrders = _quota("Chartings that are queued or being planned")
    storedAreas = _quota("Constraints and client data entries")
    telemetryRecords = _quota("Telemetry records of all vessels")
