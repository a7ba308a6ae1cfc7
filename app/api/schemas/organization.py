"""Organizations in requests and answers."""

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


def _kept(key: str, what: str, **options: Any) -> WholeNumber:
    return WholeNumber(
        data_key=key,
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEPT_DAYS),
        description=f"How long {what} kept [days]; null: until deleted",
        **options,
    )


def _erase_after(**options: Any) -> WholeNumber:
    return WholeNumber(
        data_key="eraseAfterDays",
        validate=validate.Range(1, LONGEST_ERASE_AFTER_DAYS),
        description="How long an erasure can be taken back [days]",
        **options,
    )


def _advised(key: str, gain: str, **options: Any) -> Number:
    return Number(
        data_key=key,
        validate=validate.Range(0, 1000),
        description=f"A voyage under way is advised to change where that {gain}",
        **options,
    )


def _advice_mail(**options: Any) -> fields.List[str]:
    return fields.List(
        fields.Email(),
        data_key="adviceMail",
        validate=validate.Length(max=MOST_ADVICE_MAIL),
        metadata={"description": "Addresses that advice to voyages under way is mailed to"},
        **options,
    )


_LIFETIME = "How long a key lasts unless its end is given [days]; null: for ever"


class OrganizationSchema(RequestSchema):
    """Settings of an organization."""

    read_only = frozenset({"id", "name", "ukcMarginM", "createdAt"})

    planners_manage_webhooks = Flag(
        data_key="plannersManageWebhooks",
        description="Whether planners may manage webhooks, as admins may",
    )
    requires_second_factor = Flag(
        data_key="requiresSecondFactor", description="Whether users have to set up a second factor"
    )
    key_lifetime_days = WholeNumber(
        data_key="keyLifetimeDays",
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEY_LIFETIME_DAYS),
        description=_LIFETIME,
    )
    keep_charting_days = _kept("keepChartingDays", "a charting is after it was last ordered")
    keep_telemetry_days = _kept(
        "keepTelemetryDays", "a telemetry record or noon report is after its time"
    )
    keep_audit_days = _kept("keepAuditDays", "an entry of the audit record is")
    erase_after_days = _erase_after()
    advice_fuel_pct = _advised("adviceFuelPct", "saves so much of the fuel to go [%]")
    advice_fuel_t = _advised("adviceFuelMt", "saves so much fuel [t]")
    advice_eta_h = _advised("adviceEtaH", "arrives so much sooner [h]")
    advice_mail = _advice_mail()


class OrganizationRecordSchema(OrganizationSchema, Record):
    """An organization."""

    id = text("The id that vessels and chartings call orgId")
    name = text("Name")
    ukcMarginM = fields.Float(
        required=True,
        validate=validate.Range(min=0),
        metadata={"description": "Water wanted under the keel [m]"},
    )
    planners_manage_webhooks = Flag(
        required=True,
        data_key="plannersManageWebhooks",
        description="Whether planners may manage webhooks, as admins may",
    )
    requires_second_factor = Flag(
        required=True,
        data_key="requiresSecondFactor",
        description="Whether users have to set up a second factor",
    )
    key_lifetime_days = WholeNumber(
        required=True,
        data_key="keyLifetimeDays",
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEY_LIFETIME_DAYS),
        description=_LIFETIME,
    )
    keep_charting_days = _kept(
        "keepChartingDays", "a charting is after it was last ordered", required=True
    )
    keep_telemetry_days = _kept(
        "keepTelemetryDays", "a telemetry record or noon report is after its time", required=True
    )
    keep_audit_days = _kept("keepAuditDays", "an entry of the audit record is", required=True)
    erase_after_days = _erase_after(required=True)
    advice_fuel_pct = _advised(
        "adviceFuelPct", "saves so much of the fuel to go [%]", required=True
    )
    advice_fuel_t = _advised("adviceFuelMt", "saves so much fuel [t]", required=True)
    advice_eta_h = _advised("adviceEtaH", "arrives so much sooner [h]", required=True)
    advice_mail = _advice_mail(required=True)
    createdAt = instant("When it was made")


class QuotaSchema(Record):
    """Amount in use and its limit."""

    used = fields.Integer(
        required=True, validate=validate.Range(min=0), metadata={"description": "How many"}
    )
    limit = fields.Integer(
        required=True,
        allow_none=True,
        validate=validate.Range(min=0),
        metadata={"description": "How many there may be; null: the operator sets no limit"},
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
