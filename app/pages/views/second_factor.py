"""Second factor: set-up, recovery codes, removal; and confirmation of identity."""

from collections.abc import Callable, Sequence

from flask import render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from markupsafe import Markup
from sqlalchemy.orm import Session
from werkzeug.utils import redirect
from wtforms import PasswordField
from wtforms.validators import InputRequired, Length

from app.models import User
from app.pages.blueprint import pages
from app.pages.views.sign_in import next_page
from app.pages.web.access import BY_PROVIDER, actor, is_proof_fresh, store_proof
from app.pages.web.factor_form import CodeForm, Step, ask_for_factor, check_own_password
from app.pages.web.forms import prepare_refusal
from app.pages.web.own import own_session, own_user
from app.pages.web.visitor import current_user
from app.services.errors import NotAllowed, TooManyRequests, Unauthenticated
from app.services.identity import organizations, passkeys, second_factors
from app.services.platform import audit

_AUTHENTICATOR = {"factor": "authenticator"}
_RECOVERY_CODES = {"factor": "recovery codes"}
_WRONG = "The password is wrong."


class ProofForm(FlaskForm):
    """The password of a user without a second factor."""

    proof = PasswordField(validators=[InputRequired("Enter it to go on."), Length(max=1024)])


@pages.get("/account/second-factor")
def second_factor() -> ResponseReturnValue:
    """Show the second factors, and the forms to set them up."""
    return show_factors()


@pages.post("/account/second-factor")
def confirm_second_factor() -> ResponseReturnValue:
    """Enable an authenticator; show recovery codes once if it is the first second factor."""
    require_proof_to_add()
    form = CodeForm()
    if not form.validate_on_submit():
        return show_factors(form), 422
    try:
        with own_session() as own:
            user = own_user(own)
            codes = second_factors.confirm(own, user, form.code.data or "")
            audit.record(own, actor(), audit.Action.FACTOR_ADDED, user.id, after=_AUTHENTICATOR)
    except (Unauthenticated, TooManyRequests) as error:
        form.code.errors = (error.detail,)
        return show_factors(form), prepare_refusal(error)
    return show_factors(codes=codes), 201


@pages.route("/account/second-factor/recovery-codes", methods=["GET", "POST"])
def renew_recovery_codes() -> ResponseReturnValue:
    """Replace the recovery codes and show the new ones once; needs a second factor."""

    def renew(own: Session, user: User) -> Sequence[str]:
        audit.record(own, actor(), audit.Action.FACTOR_ADDED, user.id, after=_RECOVERY_CODES)
        return second_factors.renew_recovery_codes(own, user)

    step = Step(
        "New recovery codes",
        "They replace the former ones. Confirm with a passkey or a code.",
        "Create codes",
    )
    return act_with_factor(step, renew)


@pages.route("/account/second-factor/remove", methods=["GET", "POST"])
def remove_authenticator() -> ResponseReturnValue:
    """Remove the authenticator; needs a second factor."""

    def remove(own: Session, user: User) -> Sequence[str]:
        second_factors.remove_authenticator(own, user.id)
        audit.record(own, actor(), audit.Action.FACTOR_REMOVED, user.id, before=_AUTHENTICATOR)
        return ()

    text = "Its codes stop working. Confirm with one of them, a passkey or a recovery code."
    return act_with_factor(Step("Remove authenticator", text, "Remove", is_danger=True), remove)


@pages.route("/confirm", methods=["GET", "POST"])
def confirm() -> ResponseReturnValue:
    """Ask users to confirm their identity; with OpenID the provider asks."""
    if BY_PROVIDER in session:
        return redirect(url_for("pages.openid_sign_in", next=next_page()))
    reason = "You are asked again after 30 minutes."
    if "unsaved" in request.args:
        reason += " What you sent was not saved: send it again after this."
    step = Step("Confirm your identity", reason, "Confirm")
    known = current_user.known
    asked = ask_for_factor(step, known) if known.has_second_factor else _ask_for_password(reason)
    if asked is None:
        store_proof()
        return redirect(next_page())
    return asked


def require_proof_to_add() -> None:
    """Raise :class:`NotAllowed` unless the user has recently confirmed their identity.

    Otherwise whoever finds an open session could add a second factor, and act as an admin by it.
    """
    if not is_proof_fresh():
        raise NotAllowed("Confirm your identity first: open the page Second factor again.")


def act_with_factor(
    step: Step, act: Callable[[Session, User], Sequence[str]]
) -> ResponseReturnValue:
    """Ask for a second factor, then act; show the recovery codes that the act returns."""
    back = url_for("pages.second_factor"), "Back to Second factor"
    asked = ask_for_factor(step._replace(back=back), current_user.known)
    if asked is not None:
        return asked
    with own_session() as own:
        codes = act(own, own_user(own))
    return show_factors(codes=codes) if codes else redirect(url_for("pages.second_factor"))


def show_factors(
    form: CodeForm | None = None,
    *,
    codes: Sequence[str] = (),
    name: str = "",
    fault: str = "",
    name_fault: str = "",
) -> str:
    """Render the page, with recovery codes, or with the errors of a new passkey."""
    with own_session() as own:
        user = own_user(own)
        has_authenticator = second_factors.has_authenticator(own, user.id)
        own_passkeys = passkeys.list_of(own, user.id)
        may_add = is_proof_fresh()
        offer = second_factors.offer(own, user) if may_add and not has_authenticator else None
        is_required = organizations.get(own, user.organization_id).requires_second_factor
        return render_template(
            "account/second_factor.html",
            form=form or CodeForm(formdata=None),
            offer=offer,
            picture=Markup(offer.svg) if offer else "",  # noqa: S704 - drawn here, of no one's text
            codes=codes,
            codes_left=second_factors.codes_left(own, user.id),
            passkeys=own_passkeys,
            passkey_refusal=passkeys.find_registration_fault(user),
            has_authenticator=has_authenticator,
            may_add=may_add,
            is_required=is_required,
            may_remove=not is_required or has_authenticator + len(own_passkeys) > 1,
            passkey_name=name,
            passkey_fault=fault,
            passkey_name_fault=name_fault,
        )


def _ask_for_password(reason: str) -> ResponseReturnValue | None:
    """Return the page that asks for the password, ``None`` once the request has it."""
    form, status = ProofForm(), 200
    if form.is_submitted():
        status = check_own_password(form.proof, _WRONG) if form.validate() else 422
        if status == 200:
            return None
    return render_template("sign_in/confirm.html", form=form, reason=reason), status
