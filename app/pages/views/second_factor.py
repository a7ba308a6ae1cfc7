"""Second factor: set-up, recovery codes, removal; and confirmation of identity."""

from collections.abc import Callable

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
from app.pages.views.sign_in import CodeForm, next_page
from app.pages.web.access import organization_id, store_proof
from app.pages.web.visitor import current_user
from app.services.errors import TooManyRequests, Unauthenticated
from app.services.identity import organizations, second_factors, sign_in_attempts, users
from app.services.platform.sessions import organization_session


class ProofForm(FlaskForm):
    """A code if a second factor is set up, else the password."""

    proof = PasswordField(validators=[InputRequired("Enter it to go on."), Length(max=1024)])


@pages.get("/account/second-factor")
def second_factor() -> ResponseReturnValue:
    """Show the second factor, or the form to set it up."""
    with organization_session(organization_id()) as own:
        return _show(own, CodeForm())


@pages.post("/account/second-factor")
def confirm_second_factor() -> ResponseReturnValue:
    """Enable an authenticator and show its recovery codes once."""
    form = CodeForm()
    codes: list[str] = []
    with organization_session(organization_id()) as own:
        try:
            if not form.validate_on_submit():
                return _show(own, form), 422
            user = _user(own)
            codes = second_factors.confirm(own, user, form.code.data)
        except (Unauthenticated, TooManyRequests) as error:
            form.code.errors = (error.detail,)
            return _show(own, form), 401 if isinstance(error, Unauthenticated) else 429
        store_proof()
        return _show(own, CodeForm(formdata=None), codes=codes), 201


@pages.post("/account/second-factor/recovery-codes")
def renew_recovery_codes() -> ResponseReturnValue:
    """Replace the recovery codes and show the new ones once; needs a current code."""
    return _change(second_factors.renew_recovery_codes)


@pages.post("/account/second-factor/remove")
def remove_second_factor() -> ResponseReturnValue:
    """Remove the second factor; needs a current code."""

    def remove(own: Session, user: User) -> list[str]:
        second_factors.remove(own, user.id)
        return []

    return _change(remove)


@pages.route("/confirm", methods=["GET", "POST"])
def confirm() -> ResponseReturnValue:
    """Ask an admin to confirm their identity; with OpenID the provider asks."""
    if "by_oidc" in session:
        return redirect(url_for("pages.openid_sign_in", next=next_page()))
    form, status = ProofForm(), 200
    if form.validate_on_submit():
        try:
            _check_proof(form.proof.data)
            store_proof()
            return redirect(next_page())
        except (Unauthenticated, TooManyRequests) as error:
            form.proof.errors = (error.detail,)
            status = 401 if isinstance(error, Unauthenticated) else 429
    elif form.is_submitted():
        status = 422
    return render_template("sign_in/confirm.html", form=form), status


def _check_proof(proof: str) -> None:
    known = current_user.known
    if known.has_second_factor:
        with organization_session(organization_id()) as own:
            second_factors.check(own, known.user_id, proof)
        return
    email, origin = known.email, request.remote_addr or "unknown"
    sign_in_attempts.check(email, origin)
    try:
        users.sign_in(email, proof)
    except Unauthenticated:
        sign_in_attempts.count_failure(email, origin)
        raise Unauthenticated("The password is wrong.") from None


def _change(act: Callable[[Session, User], list[str]]) -> ResponseReturnValue:
    form = CodeForm()
    with organization_session(organization_id()) as own:
        user = _user(own)
        try:
            if not form.validate_on_submit():
                return _show(own, form), 422
            second_factors.check(own, user.id, form.code.data)
        except (Unauthenticated, TooManyRequests) as error:
            form.code.errors = (error.detail,)
            return _show(own, form), 401 if isinstance(error, Unauthenticated) else 429
        codes = act(own, user)
        return _show(own, CodeForm(formdata=None), codes=codes), 200


def _user(own: Session) -> User:
    return users.get(own, organization_id(), str(current_user.known.user_id))


def _show(own: Session, form: CodeForm, *, codes: list[str] | None = None) -> str:
    user = _user(own)
    in_use = second_factors.is_in_use(own, user.id)
    offer = None if in_use else second_factors.offer(own, user)
    return render_template(
        "account/second_factor.html",
        form=form,
        offer=offer,
        picture=Markup(offer.svg) if offer else "",  # noqa: S704 - drawn here, of no one's text
        codes=codes or [],
        codes_left=second_factors.codes_left(own, user.id),
        is_required=organizations.get(own, user.organization_id).requires_second_factor,
    )
