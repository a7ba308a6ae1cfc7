"""Calibrations of vessels in answers."""

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.vessel_statistics import PeriodSchema
from app.records.figures import Word, count, figure, flag, instant, part, parts, text
from app.services.vessels.calibrations import CalibrationFailure, CalibrationStatus


def _percentage(description: str) -> fields.Float:
    """A deviation of one positive figure from another."""
    return figure(description, least=-100.0)


def _logarithm(description: str) -> fields.Float:
    return figure(description, least=-1.0, greatest=1.0)


class HeldOutSchema(ma.Schema):
    """Errors of fuel per day on the latest reports, which the fit judged had not seen."""

    days = count("Days judged")
    beforeMedianAbsPct = figure("Median error by the particulars alone [%]")
    beforeBiasPct = _percentage(
        "Median signed error by the particulars alone, estimated less reported [%]"
    )
    afterMedianAbsPct = figure("Median error calibrated [%]")
    afterBiasPct = _percentage("Median signed error calibrated, estimated less reported [%]")
    coveragePct = figure("Share of days inside the 90 % interval [%]", greatest=100.0)
    betterByPct = _percentage("Median error before less that after [%]; negative: it is worse")


class EstimateSchema(ma.Schema):
    """A parameter of the fit."""

    name = text(
        "Which one", validate=validate.OneOf(("resistance", "draught", "weather", "consumption"))
    )
    value = _logarithm("Logarithm of the factor over the estimate; the draught's exponent [1]")
    standardError = figure("Its standard error [1]")
    isMeasured = flag("Whether the reports can measure it; else it stays near what is usual")


class WeatherOriginSchema(ma.Schema):
    """Where the weather of the reports comes from."""

    fromRecords = count("Reports with wind and sea of their own")
    fromForecasts = count("Reports whose weather is that of the stored runs")
    fromClimatology = count("Reports whose weather is of monthly averages, or not known")


class ResidualSchema(ma.Schema):
    """A report against the fit."""

    at = instant("End of the report")
    speedKn = figure("Speed [kn]")
    draft = figure("Mean draught [m]")
    waveHeightM = figure("Significant wave height [m]")
    seaOffBowDeg = figure("Direction of the sea off the bow [deg]", greatest=180.0)
    headingDeg = figure("Heading [deg true]")
    focMtPerDay = figure("Fuel as reported [mt/day]")
    beforePct = _percentage("Fuel reported over that expected of the particulars alone [%]")
    residualPct = _percentage("Fuel reported over that expected of the fit [%]")


class OutlierSchema(ma.Schema):
    """A report that was left out."""

    at = instant("End of the report")
    reason = text("Why")


class MeasuredSchema(ma.Schema):
    """Factors over the estimate from particulars."""

    resistance = figure("Of calm-water resistance at the design draught, last report [1]")
    draftExponent = _logarithm("Exponent of draught over design draught, for resistance [1]")
    weather = figure("Of the resistance of waves and wind [1]")
    consumption = figure("Of fuel per power [1]")


class CalibrationFailureSchema(ma.Schema):
    """Why a calibration could not be fitted."""

    code = Word(
        CalibrationFailure,
        "TOO_FEW_REPORTS: too few of steady sailing; TIMEOUT: it took longer than its worker may;"
        " INTERNAL: the service's own fault, or its worker died three times",
    )
    detail = text("What kept it from being fitted")


class CalibrationSummarySchema(ma.Schema):
    """A calibration in lists; its figures are null until it is fitted."""

    id = text("Its id")
    vesselId = text("The vessel")
    number = count("Its number among those of the vessel, from 1", least=1)
    status = Word(
        CalibrationStatus,
        "QUEUED, RUNNING: it is being fitted; FAILED: it could not be; CANCELLED; PROPOSED: better"
        " on what it had not seen, and may be accepted; NOT_BETTER: it is not, or there was too"
        " little to judge by; ACTIVE: plans rest on it; SUPERSEDED: accepted before another, or for"
        " other particulars; WITHDRAWN: reverted",
    )
    progress = figure("Share of the fit that is done", 3, greatest=1.0)
    stage = text("What the fit is at; null unless it is RUNNING", allow_none=True)
    failure = part(CalibrationFailureSchema, "Why it failed, where it did", allow_none=True)
    createdAt = instant("When it was ordered")
    finishedAt = instant(
        "When its fit ended; null also where that was at once, in an earlier release",
        allow_none=True,
    )
    createdBy = text("By whom")
    acceptedAt = instant("When it was accepted last", allow_none=True)
    acceptedBy = text("By whom", allow_none=True)
    withdrawnAt = instant("When it was reverted", allow_none=True)
    records = count("Reports read: noon reports, and hourly means of telemetry", allow_none=True)
    used = count("Reports of steady sailing that it is fitted to", allow_none=True)
    days = count("Days with such reports", allow_none=True)
    period = part(PeriodSchema, "Their period", allow_none=True)
    heldOut = part(
        HeldOutSchema, "How it did on what it had not seen; null: too few reports", allow_none=True
    )
    standardErrorPct = figure("Standard error of a voyage's fuel by it [%]", allow_none=True)


class CalibrationSchema(CalibrationSummarySchema):
    """A calibration with its evidence, which is null until it is fitted."""

    response = part(MeasuredSchema, "What was measured", allow_none=True)
    estimates = parts(EstimateSchema, "The parameters", allow_none=True)
    weather = part(WeatherOriginSchema, "Where weather comes from", allow_none=True)
    leftOut = fields.Dict(
        keys=fields.String(),
        values=count("Reports"),
        required=True,
        allow_none=True,
        metadata={"description": "Reports left out, by the reason"},
    )
    outliers = parts(OutlierSchema, "Reports left out one by one; the first 200", allow_none=True)
    residuals = parts(
        ResidualSchema, "Reports against the fit, up to 400 in even steps", allow_none=True
    )


class RevertedSchema(ma.Schema):
    """What holds after a calibration was withdrawn."""

    active = part(
        CalibrationSummarySchema, "The version that is active again; null: none", allow_none=True
    )
