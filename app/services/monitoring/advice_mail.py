"""Mails with advice to the addresses of an organization.

The row of an advice stores when its mail is due, so that no mail is lost with the queue. Failed
mails are retried until the advice is answered or overdue.
"""

import logging
from datetime import timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.engine.formatting import format_time
from app.engine.monitoring.advice import Advice
from app.extensions import chartroom
from app.models import AdviceState, Charting, VoyageAdvice, utc_now
from app.records.advice import AdviceContentSchema
from app.services.identity import mail, organizations
from app.services.platform import queue
from app.services.platform.fair_queue import JobFunction
from app.services.platform.sessions import after_commit, cross_tenant_session, organization_session

logger = logging.getLogger(__name__)

#: Delay after a failed mail.
_RETRY_DELAY: Final = timedelta(minutes=1)
#: Time after which an attempt that has not ended counts as lost with its worker.
_LONGEST_ATTEMPT: Final = timedelta(minutes=5)
#: Time after which a mail that is due counts as lost from the queue.
_GRACE: Final = timedelta(seconds=10)


def request(session: Session, advice: VoyageAdvice) -> None:
    """Request the mail of a new advice, if its organization has addresses for it."""
    if organizations.get(session, advice.organization_id).advice_mail:
        advice.mail_due_at = utc_now()
        job = JobFunction.MAIL_ADVICE, advice.organization_id, advice.id
        after_commit(session, lambda: queue.enqueue_row(*job))


def queue_due() -> None:
    """Queue the mails that are due again."""
    with cross_tenant_session() as session:
        query = select(VoyageAdvice.organization_id, VoyageAdvice.id).where(
            VoyageAdvice.mail_due_at < utc_now() - _GRACE
        )
        due = session.execute(query).all()
    for organization_id, advice_id in due:
        queue.enqueue_row(JobFunction.MAIL_ADVICE, organization_id, advice_id)


def send(organization_id: UUID, advice_id: UUID) -> None:
    """Mail an advice that is due and open; it can be answered meanwhile."""
    letter = _claim(organization_id, advice_id)
    if letter is None:
        return
    next_at = None if mail.send(*letter) else utc_now() + _RETRY_DELAY
    if next_at is not None:
        logger.warning("advice %s is mailed again later", advice_id)
    own = {"organization_id": organization_id, "id": advice_id}
    with organization_session(organization_id) as session:
        session.execute(update(VoyageAdvice).filter_by(**own).values(mail_due_at=next_at))


def _claim(organization_id: UUID, advice_id: UUID) -> tuple[str, str, str] | None:
    """Return recipients, subject and text of a mail that is due, and let no other send it."""
    with organization_session(organization_id) as session:
        query = select(VoyageAdvice).where(
            VoyageAdvice.organization_id == organization_id, VoyageAdvice.id == advice_id
        )
        advice = session.scalar(query.with_for_update(skip_locked=True))
        now = utc_now()
        if advice is None or advice.mail_due_at is None or advice.mail_due_at > now:
            return None
        to = organizations.get(session, organization_id).advice_mail
        if not to or advice.state != AdviceState.OPEN or advice.act_by <= now:
            advice.mail_due_at = None
            return None
        advice.mail_due_at = now + _LONGEST_ATTEMPT
        return ", ".join(to), *_write(session, advice)


def _write(session: Session, row: VoyageAdvice) -> tuple[str, str]:
    """Write the subject and the text of a mail."""
    charting = session.get_one(Charting, row.charting_id)
    advice: Advice = AdviceContentSchema.read(row.content)
    voyage = f"{charting.port_from_name} to {charting.port_to_name}"
    ship = charting.vessel.name or "Unnamed vessel"
    lines = [advice.action, *advice.avoids, *list_gains(advice)]
    lines.append(f"Arrives {format_time(advice.eta)}. Act by {format_time(advice.act_by)}.")
    base = (chartroom().settings.public_url or "").rstrip("/")
    lines.append(f"Accept or decline it: {base}/voyages/{row.charting_id}/progress")
    return f"Advice for {ship}, {voyage}", "\n\n".join(lines)


def list_gains(advice: Advice) -> list[str]:
    """List the savings or costs that are not zero in the digits of the mail."""
    gains = []
    fuel_t, hours = (round(saved or 0.0, 1) for saved in (advice.fuel_saved_t, advice.time_saved_h))
    if fuel_t:
        does = "Saves" if fuel_t > 0.0 else "Costs"
        gains.append(f"{does} {abs(fuel_t):.1f} t of fuel; {advice.fuel_t:.1f} t from here.")
    if hours:
        gains.append(f"Arrives {abs(hours):.1f} h {'sooner' if hours > 0.0 else 'later'}.")
    return gains
