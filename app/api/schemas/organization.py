"""Organizations in requests and responses."""

from operator import itemgetter
from typing import ClassVar

from marshmallow import fields, validate

from app.records.fields import Flag, Number, RequestSchema, WholeNumber, require_all
from app.records.figures import count, instant, listed, part, text
from app.records.record import Record
from app.services.identity.organizations import (
    LARGEST_ADVICE_THRESHOLD,
    LARGEST_UKC_MARGIN_M,
    LONGEST_ERASE_AFTER_DAYS,
    LONGEST_KEPT_DAYS,
    LONGEST_KEY_LIFETIME_DAYS,
    MOST_ADVICE_MAIL,
)
from app.services.platform import quotas


def _retention(key: str, what: str) -> WholeNumber:
    return WholeNumber(
        data_key=key,
        allow_none=True,
        validate=validate.Range(1, LONGEST_KEPT_DAYS),
        description=f"Retention of {what} [days]; null: until deleted",
    )


def _threshold(key: str, gain: str) -> Number:
    return Number(
        data_key=key,
        validate=validate.Range(0, LARGEST_ADVICE_THRESHOLD),
        description=f"Smallest {gain} for which a voyage under way gets advice",
    )


class OrganizationSchema(RequestSchema):
    """Settings of an organization."""

    ukc_margin_m = Number(
        data_key="ukcMarginM",
        validate=validate.Range(0, LARGEST_UKC_MARGIN_M),
        description="Required under-keel clearance [m]; it counts for routes planned and checked"
        " from now on",
    )
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
        description="Default lifetime of keys [days]; null: no expiry",
    )
    keep_charting_days = _retention("keepChartingDays", "chartings after their last request")
    keep_telemetry_days = _retention("keepTelemetryDays", "telemetry records and noon reports")
    keep_audit_days = _retention("keepAuditDays", "audit log entries")
    erase_after_days = WholeNumber(
        data_key="eraseAfterDays",
        validate=validate.Range(1, LONGEST_ERASE_AFTER_DAYS),
        description="Time before requested erasures are carried out [days]; a lower value takes"
        " effect after the former time",
    )
    advice_fuel_pct = _threshold("adviceFuelPct", "saving of the remaining fuel [%]")
    advice_fuel_t = _threshold("adviceFuelMt", "saving of fuel [t]")
    advice_eta_h = _threshold("adviceEtaH", "gain of time [h]")
    advice_mail = listed(
        fields.Email(),
        "E-mail addresses that receive advice for voyages under way",
        required=False,
        data_key="adviceMail",
        validate=validate.Length(max=MOST_ADVICE_MAIL),
    )


class OrganizationRecordSchema(require_all(OrganizationSchema), Record):  # type: ignore[misc]
    """An organization."""

    id = text("Id; orgId in vessels and chartings")
    name = text("Name")
    createdAt = instant("Creation time")


class QuotaSchema(Record):
    """Amount in use, and limit."""

    used = count("Amount in use")
    limit = count("Limit; null: none", allow_none=True)


class UsageSchema(Record):
    """Usage of an organization against its limits."""

    computed: ClassVar = {
        "activeOrders": itemgetter(quotas.ACTIVE_ORDERS),
        "storedAreas": itemgetter(quotas.AREAS),
        "telemetryRecords": itemgetter(quotas.TELEMETRY),
    }

    activeOrders = part(QuotaSchema, "Chartings that are queued or being planned")
    storedAreas = part(QuotaSchema, "Constraints and client data entries")
    telemetryRecords = part(QuotaSchema, "Telemetry records of all vessels")
