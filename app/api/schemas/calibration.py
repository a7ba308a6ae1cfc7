"""Vessel calibrations in responses."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.vessel_statistics import PeriodSchema
from app.models import VesselCalibration
from app.records.figures import (
    Word,
    bearing,
    count,
    figure,
    flag,
    instant,
    mapped,
    part,
    parts,
    text,
    texts,
)
from app.records.record import Record
from app.services.vessels.calibrations import (
    CalibrationFailure,
    CalibrationStatus,
    list_reasons,
)


def _percentage(description: str) -> fields.Float:
    """A deviation of one positive value from another [%]."""
    return figure(description, least=-100.0)


def _logarithm(description: str) -> fields.Float:
    return figure(description, least=-1.0, greatest=1.0)


class HeldOutSchema(ma.Schema):
    """Errors of fuel per day on the latest reports, which were held out of the fit."""

    days = count("Days held out")
    beforeMedianAbsPct = figure("Median error from particulars alone [%]")
    beforeBiasPct = _percentage(
        "Median signed error from particulars alone, estimated less reported [%]"
    )
    afterMedianAbsPct = figure("Median error calibrated [%]")
    afterBiasPct = _percentage("Median signed error calibrated, estimated less reported [%]")
    coveragePct = figure("Share of days inside the 90 % interval [%]", greatest=100.0)
    betterByPct = _percentage(
        "Median error before calibration less that after [%]; negative: worse"
    )


class EstimateSchema(ma.Schema):
    """A parameter of the fit."""

    name = text(
        "Parameter", validate=validate.OneOf(("resistance", "draught", "weather", "consumption"))
    )
    value = _logarithm("Logarithm of the factor on the estimate; of draught, the exponent [1]")
    standardError = figure("Standard error of the value [1]")
    isMeasured = flag("Whether the reports determine it; otherwise it stays near the usual value")


class WeatherOriginSchema(ma.Schema):
    """Sources of the weather of the reports."""

    fromRecords = count("Reports that state wind and sea")
    fromForecasts = count("Reports with weather from stored forecast runs")
    fromClimatology = count("Reports with weather from monthly averages or unknown")


class ResidualSchema(ma.Schema):
    """Residual of a report."""

    at = instant("End of the report")
    speedKn = figure("Speed [kn]")
    draft = figure("Mean draught [m]")
    waveHeightM = figure("Significant wave height [m]")
    seaOffBowDeg = figure("Direction of the sea off the bow [deg]", greatest=180.0)
    headingDeg = bearing("Heading [deg true]")
    focMtPerDay = figure("Fuel as reported [mt/day]")
    beforePct = _percentage("Reported fuel over the estimate from particulars alone [%]")
    residualPct = _percentage("Reported fuel over the estimate of the fit [%]")


class OutlierSchema(ma.Schema):
    """A report that was excluded."""

    at = instant("End of the report")
    reason = text("Reason")


class MeasuredSchema(ma.Schema):
    """Factors on the estimate from particulars."""

    resistance = figure("On calm-water resistance at design draught, at the last report [1]")
    draftExponent = _logarithm("Exponent of draught over design draught, on resistance [1]")
    weather = figure("On added resistance in waves and wind [1]")
    consumption = figure("On specific fuel consumption [1]")


class CalibrationFailureSchema(ma.Schema):
    """Failure of a calibration."""

    code = Word(
        CalibrationFailure,
        "TOO_FEW_REPORTS: too few of steady sailing; TIMEOUT: it exceeded the worker's time limit;"
        " INTERNAL: an error of the service, or its worker stopped three times",
    )
    detail = text("Cause of the failure")


def _of_evidence(*names: str) -> dict[str, Callable[[VesselCalibration], Any]]:
    """Read parts of the evidence, which are null before the fit ends."""

    def read(name: str, version: VesselCalibration) -> Any:
        return None if version.evidence is None else version.evidence[name]

    return {name: partial(read, name) for name in names}


class CalibrationSummarySchema(Record):
    """A calibration in lists; its results are null until it is fitted."""

    computed: ClassVar = {
        **_of_evidence("records", "used", "days", "period", "heldOut", "standardErrorPct"),
        "reasons": list_reasons,
    }

    id = text("Id")
    vesselId = text("Id of the vessel")
    number = count("Number, from 1 for each vessel", least=1)
    status = Word(
        CalibrationStatus,
        "QUEUED, RUNNING: not fitted yet; FAILED; CANCELLED; PROPOSED: better on the reports held"
        " out, can be accepted; NOT_BETTER: no better than the particulars, for its reasons;"
        " ACTIVE: used by plans; SUPERSEDED: replaced after acceptance by another calibration or by"
        " changed particulars; WITHDRAWN: reverted",
    )
    reasons = texts(
        "Reasons why it is no better than the particulars, empty if it is; null before it is"
        " fitted, and in earlier releases",
        required=False,
        allow_none=True,
    )
    progress = figure("Share of the fit completed", 3, greatest=1.0)
    stage = text("Current stage; null unless RUNNING", allow_none=True)
    failure = part(CalibrationFailureSchema, "Failure; null unless FAILED", allow_none=True)
    createdAt = instant("Creation time")
    finishedAt = instant(
        "End of the fit; null before, and in earlier releases",
        allow_none=True,
    )
    createdBy = text("Key or user that created it")
    acceptedAt = instant("Time of the last acceptance", allow_none=True)
    acceptedBy = text("Key or user that accepted it", allow_none=True)
    withdrawnAt = instant("Time of the withdrawal", allow_none=True)
    records = count("Reports read: noon reports and hourly means of telemetry", allow_none=True)
    used = count("Reports of steady sailing used in the fit", allow_none=True)
    days = count("Days with such reports", allow_none=True)
    period = part(PeriodSchema, "Period of these reports", allow_none=True)
    heldOut = part(
        HeldOutSchema, "Errors on the reports held out; null: too few reports", allow_none=True
    )
    standardErrorPct = figure(
        "Standard error of the estimated fuel of a voyage [%]", allow_none=True
    )


def _find_factors(version: VesselCalibration) -> dict[str, float] | None:
    response = version.response
    return response and {
        "resistance": response["calm"],
        "draftExponent": response["draft_exponent"],
        "weather": response["weather"],
        "consumption": response["fuel"],
    }


class CalibrationSchema(CalibrationSummarySchema):
    """A calibration with its evidence, which is null until it is fitted."""

    computed: ClassVar = {
        **CalibrationSummarySchema.computed,
        **_of_evidence("estimates", "weather", "leftOut", "outliers", "residuals"),
        "response": _find_factors,
    }

    response = part(MeasuredSchema, "Fitted factors", allow_none=True)
    estimates = parts(EstimateSchema, "Parameters of the fit", allow_none=True)
    weather = part(WeatherOriginSchema, "Sources of the weather", allow_none=True)
    leftOut = mapped(
        "Number of reports excluded, by reason",
        keys=fields.String(),
        values=count("Reports"),
        allow_none=True,
    )
    outliers = parts(OutlierSchema, "The first 200 outliers", allow_none=True)
    residuals = parts(
        ResidualSchema, "Residuals of up to 400 reports, evenly spaced", allow_none=True
    )


class RevertedSchema(ma.Schema):
    """Result of withdrawing a calibration."""

    active = part(
        CalibrationSummarySchema,
        "Calibration that is active again; null: none",
        allow_none=True,
    )
