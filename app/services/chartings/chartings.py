"""Chartings: submit, read, re-plan, cancel, archive, delete."""

from collections.abc import Collection, Mapping
from math import floor
from typing import Any
from uuid import UUID

from sqlalchemy import delete as sql_delete
from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from app.engine.errors import PortOnLand
from app.engine.formatting import format_position
from app.engine.particulars import Loading
from app.engine.planning.candidate_paths import SAME_WATER
from app.engine.planning.given_route import is_same_place
from app.engine.sea.atlas import SeaAtlas
from app.models import (
    ACTIVE,
    Charting,
    ChartingRevision,
    ChartingStatus,
    EventKind,
    ExecutionState,
    SubjectKind,
    Vessel,
    utc_now,
)
from app.records.texts import in_words
from app.services import charting_request
from app.services.chartings.charting_search import ChartingView, find_view, select_own
from app.services.chartings.expected_voyages import expect, find_execution
from app.services.engine_mapping import snapshot_vessel
from app.services.errors import Conflict, FieldError, Invalid, NotFound, refuse
from app.services.platform import audit, events, queue, quotas, run_progress
from app.services.platform.actor import Actor
from app.services.platform.ids import get_row, lock_row
from app.services.platform.pending_erasures import refuse_pending
from app.services.platform.sessions import after_commit
from app.services.problem_codes import ProblemCode
from app.services.sea import sea
from app.services.vessels import vessel_particulars, vessels

#: Largest distance of a port from the navigable water used for it [nm].
SNAP_WITHIN_NM = 30.0
#: Largest distance of a ship under way from navigable water, for errors of the coastline [nm].
UNDER_WAY_WITHIN_NM = 1.0

#: Largest ratio of a voyage's deadweight to the vessel's. The tropical fresh-water mark lies about
#: 1/24 of the summer draught deeper (Load Lines 1966, reg. 40); the rest is for rounding.
MOST_LOADED = 1.1

#: Greatest integer of a column of the database.
_GREATEST_INTEGER = 2**31 - 1

_NONE = "There is no charting with this id."
_NO_REVISION = "The charting has no such revision."
_HAS_BEGUN = "The voyage of this charting has begun with another vessel. Request a new charting."
#: States of voyages that belong to their vessel for good.
_SAILED = (ExecutionState.UNDER_WAY, ExecutionState.FINISHED)


def submit(session: Session, actor: Actor, asked: Mapping[str, Any]) -> ChartingView:
    """Store a request and queue its planning.

    Raises :class:`Invalid`, with pointers to the fields, for a request that cannot be
    planned; nothing is stored then.
    """
    quotas.check(session, actor.organization_id, quotas.ACTIVE_ORDERS)
    request, vessel = _prepare(session, actor, asked)
    charting = Charting(
        organization_id=actor.organization_id, created_by=actor.name, latest_revision=1
    )
    charting.show(request)
    session.add(charting)
    session.flush()
    revision = _queue_revision(session, actor, charting, vessel, request)
    return ChartingView(charting, revision, revision)


def resubmit(
    session: Session, actor: Actor, charting: Charting, asked: Mapping[str, Any]
) -> ChartingView:
    """Re-plan a charting's route as its next revision.

    A revision that is still queued is replaced. Raises :class:`Conflict` while one is being planned
    or the charting's erasure is pending, and :class:`Invalid` for another vessel than that of a
    voyage that has begun: records and statistics of the voyage are of its vessel.
    """
    lock(session, charting)
    latest = get_revision(session, charting, charting.latest_revision, lock=True)
    if latest.status == ChartingStatus.RUNNING:
        raise Conflict(
            "The route is being planned; cancel it or wait for it to end.",
            code=ProblemCode.CHARTING_RUNNING,
        )
    refuse_pending(session, actor.organization_id, SubjectKind.CHARTING, [charting.id])
    if latest.status != ChartingStatus.QUEUED:
        quotas.check(session, actor.organization_id, quotas.ACTIVE_ORDERS)
    request, vessel = _prepare(session, actor, asked)
    voyage = find_execution(session, charting)
    if voyage is not None and voyage.state in _SAILED and voyage.vessel_id != vessel.id:
        raise Invalid.at("/vesselId", _HAS_BEGUN)
    if latest.status == ChartingStatus.QUEUED:
        _end_cancelled(session, latest)
    charting.latest_revision += 1
    if charting.completed_revision is None:
        charting.show(request)
    session.flush()
    state = _queue_revision(session, actor, charting, vessel, request)
    return view_of(session, charting, state)


def cancel(session: Session, charting: Charting) -> ChartingView:
    """Cancel the planning of a charting: at once when queued, soon when running.

    Raises :class:`Conflict` when there is nothing to cancel.
    """
    lock(session, charting)
    latest = get_revision(session, charting, charting.latest_revision, lock=True)
    if run_progress.request_cancel(latest, "planning"):
        _end_cancelled(session, latest)
    session.flush()
    return view_of(session, charting, latest)


def archive(charting: Charting) -> None:
    """Archive a charting: lists leave it out; it stays readable by its id."""
    charting.archived_at = charting.archived_at or utc_now()


def restore(session: Session, organization_id: UUID, archived: Collection[Charting]) -> None:
    """Restore archived chartings, so that lists show them and their voyages are expected.

    Raises :class:`Conflict` while the erasure of one is pending.
    """
    ids = [charting.id for charting in archived]
    # locked as by the request of an erasure, whose row is seen only once that has committed
    locking = select(Charting.id).where(Charting.id.in_(ids)).order_by(Charting.id)
    session.execute(locking.with_for_update(key_share=True))
    refuse_pending(session, organization_id, SubjectKind.CHARTING, ids)
    for charting in archived:
        charting.archived_at = None
        # the monitor removes the expected voyages of archived chartings
        if charting.completed_revision and find_execution(session, charting) is None:
            expect(session, charting, get_revision(session, charting, charting.completed_revision))


def delete(session: Session, actor: Actor, charting: Charting) -> None:
    """Delete a charting with all its revisions; the audit log keeps the newest request.

    Raises :class:`Conflict` while its route is being planned or the ship is under way.
    """
    latest = refuse_in_use(session, charting)
    shown = {"status": latest.status, "latestRevision": latest.revision, "request": latest.request}
    audit.record(session, actor, audit.Action.CHARTING_DELETED, charting.id, before=shown)
    session.execute(sql_delete(Charting).where(Charting.id == charting.id))


def refuse_active(session: Session, charting: Charting) -> ChartingRevision:
    """Lock a charting's newest revision; raises :class:`Conflict` while it is being planned."""
    lock(session, charting)
    latest = get_revision(session, charting, charting.latest_revision, lock=True)
    if latest.status in ACTIVE:
        raise Conflict(
            f"The planning is {in_words(latest.status)}: cancel it or wait for it to end.",
            code=ProblemCode.CHARTING_ACTIVE,
        )
    return latest


def refuse_in_use(session: Session, charting: Charting) -> ChartingRevision:
    """Lock a charting's newest revision.

    Raises :class:`Conflict` while it is being planned or the ship is under way.
    """
    latest = refuse_active(session, charting)
    voyage = find_execution(session, charting, lock=True)
    if voyage is not None and voyage.state == ExecutionState.UNDER_WAY:
        raise Conflict(
            "The voyage is under way; finish or abandon it first.",
            code=ProblemCode.VOYAGE_UNDER_WAY,
            chartingId=str(charting.id),
        )
    return latest


def get(session: Session, organization_id: UUID, charting_id: str) -> Charting:
    """A charting; raises :class:`NotFound`."""
    return get_row(session, select_own(organization_id), charting_id, "charting")


def lock(session: Session, charting: Charting) -> None:
    """Lock a charting, before its revisions and its voyage; raises :class:`NotFound`."""
    lock_row(session, charting, "charting", lets_refer=True)


def get_all(
    session: Session, organization_id: UUID, ids: Collection[UUID | None]
) -> dict[UUID, Charting]:
    """Chartings by their ids; raises :class:`NotFound` unless all are found."""
    rows = session.scalars(select_own(organization_id).where(Charting.id.in_(ids)))
    found = {charting.id: charting for charting in rows}
    if not found.keys() >= set(ids):
        raise NotFound(_NONE)
    return found


def get_view(
    session: Session,
    organization_id: UUID,
    charting_id: str,
    revision: int | None = None,
    *,
    with_plan: bool = True,
) -> ChartingView:
    """A charting with its newest state and plan, or with those of one revision."""
    if revision is not None:
        charting = get(session, organization_id, charting_id)
        chosen = get_revision(session, charting, revision, with_plan=with_plan)
        return ChartingView(charting, chosen, chosen)
    view = find_view(session, organization_id, charting_id, with_plan=with_plan)
    if view is None:
        raise NotFound(_NONE)
    return view


def get_planned(
    session: Session, organization_id: UUID, charting_id: str, revision: int | None = None
) -> ChartingView:
    """A charting with its plan loaded; raises :class:`Conflict` if there is none yet."""
    view = get_view(session, organization_id, charting_id, revision)
    refuse_unplanned(view.planned)
    return view


def refuse_unplanned(revision: ChartingRevision) -> None:
    """Raise :class:`Conflict` if a revision has no plan."""
    if revision.status != ChartingStatus.COMPLETED:
        raise Conflict(
            f"There is no route yet (planning {in_words(revision.status)}).",
            code=ProblemCode.CHARTING_NOT_COMPLETED,
            status=revision.status,
        )


def get_revision(
    session: Session,
    charting: Charting,
    number: int,
    *,
    lock: bool = False,
    with_plan: bool = False,
) -> ChartingRevision:
    """A revision of a charting; raises :class:`NotFound`."""
    if number > _GREATEST_INTEGER:
        raise NotFound(_NO_REVISION)
    revision = session.get(
        ChartingRevision,
        (charting.id, number),
        options=[undefer(ChartingRevision.plan)] if with_plan else [],
        with_for_update=lock or None,
        populate_existing=lock,
    )
    if revision is None:
        raise NotFound(_NO_REVISION)
    return revision


def view_of(session: Session, charting: Charting, latest: ChartingRevision) -> ChartingView:
    """Combine the newest state with the newest plan."""
    number = charting.completed_revision
    if number is None or number == latest.revision:
        return ChartingView(charting, latest, latest)
    return ChartingView(charting, latest, get_revision(session, charting, number, with_plan=True))


def _prepare(
    session: Session, actor: Actor, asked: Mapping[str, Any]
) -> tuple[dict[str, Any], Vessel]:
    """Validate a request before planning, and load its vessel."""
    request = charting_request.normalise(asked)
    organization_id, vessel_id = actor.organization_id, request["vesselId"]
    vessel = vessels.get_of_request(session, organization_id, vessel_id, keeps=True)
    check_loading(request, vessel)
    check_ends_are_at_sea(request, sea.open_atlas())
    queue.check()
    return request, vessel


def check_loading(request: Mapping[str, Any], vessel: Vessel) -> None:
    """Check a voyage's loading and particulars against the vessel.

    Raises :class:`Invalid` for values that the vessel cannot have.
    """
    # the request gives only length and pitch, so one of them causes any implausible value
    faults = [
        fault if fault.pointer == "/pitch" else fault._replace(pointer="/lbp")
        for fault in vessel_particulars.find_faults(snapshot_vessel(vessel), request)
    ]
    faults += find_draft_faults(request["draft"], vessel) or _find_trim_faults(request, vessel)
    most_t = MOST_LOADED * vessel.dwt_t
    if request["dwt"] > most_t:
        faults.append(
            FieldError(
                "/dwt",
                f"{request['dwt']:.0f} t is more than {vessel.name or 'the vessel'}'s"
                f" deadweight of {vessel.dwt_t:.0f} t. Enter {floor(most_t)} or less.",
            )
        )
    refuse(faults)


def find_draft_faults(draft_m: float, vessel: Vessel) -> list[FieldError]:
    """Find an error of the voyage's draught."""
    deepest_m = vessel.draft_scantling_m
    if draft_m <= deepest_m:
        return []
    detail = (
        f"{draft_m:g} m is deeper than {vessel.name or 'the vessel'}'s scantling draught of"
        f" {deepest_m:g} m. Enter {deepest_m:g} or less."
    )
    return [FieldError("/draft", detail)]


def _find_trim_faults(request: Mapping[str, Any], vessel: Vessel) -> list[FieldError]:
    """Find an error of the voyage's trim: an end of the hull under water or above it."""
    loading = Loading(request["draft"], request["trim"], request["dwt"])
    most_m = round(2.0 * min(loading.draft_m, vessel.depth_m - loading.draft_m), 2)
    if abs(loading.trim_m) <= most_m:
        return []
    detail = (
        f"{loading.trim_m:.2f} m makes the draught {loading.draft_aft_m:.2f} m aft and"
        f" {loading.draft_fore_m:.2f} m forward, but the hull of {vessel.name or 'the vessel'} is"
        f" {vessel.depth_m:.2f} m deep. Enter {-most_m:.2f} to {most_m:.2f}."
    )
    return [FieldError("/trim", detail)]


def check_ends_are_at_sea(request: Mapping[str, Any], atlas: SeaAtlas) -> None:
    """Raise :class:`Invalid` for ends that are not near navigable water, or near the same."""
    from_within_nm = UNDER_WAY_WITHIN_NM if request["isAlterFrom"] else SNAP_WITHIN_NM
    ends = (
        ("/latFrom", charting_request.departure_of(request), from_within_nm),
        ("/latTo", charting_request.arrival_of(request), SNAP_WITHIN_NM),
    )
    faults, places = [], []
    for pointer, position, within_nm in ends:
        try:
            places.append(atlas.find_water(position, within_nm).position)
        except PortOnLand as error:
            faults.append(FieldError(pointer, error.detail))
    refuse(faults, code=ProblemCode.PORT_ON_LAND)
    if is_same_place(*places):
        raise Invalid.at("/latTo", SAME_WATER.format(format_position(*places[0])))


def _queue_revision(
    session: Session, actor: Actor, charting: Charting, vessel: Vessel, request: dict[str, Any]
) -> ChartingRevision:
    revision = ChartingRevision(
        organization_id=charting.organization_id,
        charting_id=charting.id,
        revision=charting.latest_revision,
        request=request,
        vessel=snapshot_vessel(vessel),
        plan=None,  # otherwise the response would load the deferred column
        queued_by=actor.name,
        is_queued_by_user=actor.is_user,
    )
    session.add(revision)
    session.flush()
    owner, charting_id, number = charting.organization_id, charting.id, revision.revision
    after_commit(session, lambda: queue.enqueue(owner, charting_id, number))
    return revision


def _end_cancelled(session: Session, revision: ChartingRevision) -> None:
    revision.end(ChartingStatus.CANCELLED)
    events.record_charting(session, EventKind.CHARTING_CANCELLED, revision)
    charting_id, number = revision.charting_id, revision.revision
    after_commit(session, lambda: queue.withdraw(charting_id, number))
