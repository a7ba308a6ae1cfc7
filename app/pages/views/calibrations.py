"""Calibrations on a vessel's page: started, shown, accepted, reverted."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.models import ChartingStatus, Vessel, VesselCalibration
from app.pages.blueprint import answer_json, pages
from app.pages.presenters.presenters import run_state
from app.pages.web.access import actor
from app.pages.web.own import own_vessel
from app.services.errors import NotFound
from app.services.platform import background_runs
from app.services.vessels import calibrations
from app.services.vessels.calibrations import CalibrationStatus

#: Number of calibrations in the list.
_LISTED = 20
#: States in which a calibration can be accepted.
_ACCEPTABLE = (
    CalibrationStatus.PROPOSED,
    CalibrationStatus.SUPERSEDED,
    CalibrationStatus.WITHDRAWN,
)
_STATES = {
    CalibrationStatus.PROPOSED: "Proposed",
    CalibrationStatus.NOT_BETTER: "Not proposed",
    CalibrationStatus.ACTIVE: "Active",
    CalibrationStatus.SUPERSEDED: "Accepted before",
    CalibrationStatus.WITHDRAWN: "Reverted",
}
#: A whole percentage in the reason why a report is excluded.
_PERCENTAGE: Final = re.compile(r"(\d+) %")
_PARAMETERS = {
    "resistance": "Calm-water resistance",
    "draught": "Draught, exponent",
    "weather": "Waves and wind",
    "consumption": "Fuel per power",
}


@pages.get("/fleet/<vessel_id>/calibrations/<calibration_id>")
def calibration(vessel_id: str, calibration_id: str) -> ResponseReturnValue:
    """Return a calibration's evidence, for the plots."""
    with own_vessel(vessel_id) as (session, shown):
        version = calibrations.get(session, shown, calibration_id)
        evidence = version.evidence
        if evidence is None:
            raise NotFound("This calibration has no results.")
        return answer_json(
            number=version.number,
            residuals=evidence["residuals"],
            leftOut=group_reasons(evidence["leftOut"]),
            weather=evidence["weather"],
            estimates=[
                [_PARAMETERS[row["name"]], row["value"], row["standardError"], row["isMeasured"]]
                for row in evidence["estimates"]
            ],
        )


def group_reasons(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """List why reports are excluded and how many, the most frequent reasons first.

    Reasons that differ only in a percentage are one, with the range of it.
    """
    totals: Counter[str] = Counter()
    percents: defaultdict[str, list[int]] = defaultdict(list)
    for reason, count in counts.items():
        pattern = _PERCENTAGE.sub("# %", reason)
        totals[pattern] += count
        percents[pattern] += map(int, _PERCENTAGE.findall(reason))
    return [
        (pattern.replace("#", _name_range(percents[pattern])), count)
        for pattern, count in totals.most_common()
    ]


def _name_range(values: Sequence[int]) -> str:
    if not values:
        return ""
    least, most = min(values), max(values)
    return f"{least}" if least == most else f"{least} to {most}"


@pages.post("/fleet/<vessel_id>/calibrations")
def calibrate_vessel(vessel_id: str) -> ResponseReturnValue:
    """Start a calibration of a vessel from its reports."""
    with own_vessel(vessel_id) as (session, shown):
        version = calibrations.start(session, actor(), shown)
        return _show_run(version)


@pages.get("/fleet/<vessel_id>/calibrations/<calibration_id>/run")
def calibration_run(vessel_id: str, calibration_id: str) -> ResponseReturnValue:
    """Return the progress of a calibration."""
    with own_vessel(vessel_id) as (session, shown):
        return _show_run(calibrations.get(session, shown, calibration_id))


@pages.post("/fleet/<vessel_id>/calibrations/<calibration_id>/cancel")
def cancel_calibration(vessel_id: str, calibration_id: str) -> ResponseReturnValue:
    """Cancel a calibration."""
    with own_vessel(vessel_id) as (session, shown):
        version = calibrations.get(session, shown, calibration_id)
        background_runs.cancel(session, actor(), version)
        return _show_run(version)


@pages.post("/fleet/<vessel_id>/calibrations/<calibration_id>/accept")
def accept_calibration(vessel_id: str, calibration_id: str) -> ResponseReturnValue:
    """Accept a calibration, which plans and estimates then use."""
    with own_vessel(vessel_id) as (session, shown):
        version = calibrations.get(session, shown, calibration_id)
        calibrations.accept(session, actor(), shown, version)
        return answer_json(version=calibration_id)


@pages.post("/fleet/<vessel_id>/calibrations/revert")
def revert_calibration(vessel_id: str) -> ResponseReturnValue:
    """Revert to the calibration accepted before, or to the particulars."""
    with own_vessel(vessel_id) as (session, shown):
        earlier = calibrations.revert(session, actor(), shown)
        return answer_json(version=None if earlier is None else str(earlier.id))


def list_versions(session: Session, shown: Vessel) -> list[dict[str, Any]]:
    """List a vessel's calibrations, newest first."""
    found = calibrations.list_fitted(session, shown, _LISTED)
    return [_describe(shown, version, version.evidence or {}) for version in found]


def describe_run(session: Session, shown: Vessel) -> dict[str, Any] | None:
    """Return the progress or failure of the latest calibration; ``None`` if it is completed."""
    newest = calibrations.find_newest(session, shown)
    if newest is None or newest.status == ChartingStatus.COMPLETED:
        return None
    return _describe_run(newest)


def _show_run(version: VesselCalibration) -> ResponseReturnValue:
    run = _describe_run(version)
    shown = render_template("fleet/_calibration_run.html", run=run)
    return answer_json(
        html=shown,
        address=run["address"],
        isActive=run["isActive"],
        isFitted=run["status"] == ChartingStatus.COMPLETED,
    )


def _describe_run(version: VesselCalibration) -> dict[str, Any]:
    ids: dict[str, Any] = {"vessel_id": version.vessel_id, "calibration_id": version.id}
    return {
        **run_state(version),
        "number": version.number,
        "failure": version.failure and version.failure["detail"],
        "address": url_for("pages.calibration_run", **ids),
        "cancel": url_for("pages.cancel_calibration", **ids),
    }


def _describe(
    shown: Vessel, version: VesselCalibration, evidence: dict[str, Any]
) -> dict[str, Any]:
    status = calibrations.status_of(shown, version)
    ids: dict[str, Any] = {"vessel_id": shown.id, "calibration_id": version.id}
    return {
        "number": version.number,
        "createdAt": version.created_at,
        "createdBy": version.created_by,
        "acceptedAt": version.accepted_at,
        "days": evidence["days"],
        "records": evidence["records"],
        "used": evidence["used"],
        "heldOut": evidence["heldOut"],
        "errorPct": evidence["standardErrorPct"],
        "state": _STATES[status],
        "reasons": calibrations.list_reasons(version),
        "isActive": status is CalibrationStatus.ACTIVE,
        "accept": (
            url_for("pages.accept_calibration", **ids)
            if evidence["isBetter"] and status in _ACCEPTABLE
            else None
        ),
        "evidence": url_for("pages.calibration", **ids),
    }
