"""Passkeys: registration, removal, and sign-in with nothing else."""

from collections.abc import Sequence

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session
from wtforms import StringField

from app.models import User
from app.pages.blueprint import answer_json, pages
from app.pages.views.second_factor import (
    act_with_factor,
    require_proof_to_add,
    show_factors,
)
from app.pages.views.sign_in import STALE, SignInForm, find_pending, next_page
from app.pages.web.access import actor, require_local_sign_in, start_session
from app.pages.web.factor_form import (
    PasskeyForm,
    Step,
    begin_ceremony,
    check_passkey,
    end_ceremony,
)
from app.pages.web.own import own_session, own_user
from app.pages.web.visitor import current_user
from app.services.errors import Conflict, Invalid, Unauthenticated
from app.services.identity import passkeys
from app.services.platform import audit
from app.services.platform.sessions import organization_session


class NewPasskeyForm(PasskeyForm):
    """Name and answer of a new passkey."""

    name = StringField()


@pages.post("/account/passkeys/options")
def new_passkey_options() -> ResponseReturnValue:
    """Return the options with which a browser makes a passkey of the form's name."""
    require_proof_to_add()
    ceremony = begin_ceremony()
    with own_session() as own:
        name = request.form.get("name", "")
        options = passkeys.registration_options(own, own_user(own), name, ceremony)
    return answer_json(**options)


@pages.post("/account/passkeys")
def add_passkey() -> ResponseReturnValue:
    """Store a passkey; show recovery codes once if it is the first second factor."""
    require_proof_to_add()
    form = NewPasskeyForm()
    name = form.name.data or ""
    try:
        codes = _register(name, form.credential.data or "" if form.validate() else "")
    except Invalid as error:
        return show_factors(name=name, name_fault=error.detail), 422
    except Conflict as error:
        return show_factors(name=name, fault=error.detail), 409
    except Unauthenticated as error:
        return show_factors(name=name, fault=error.detail), 401
    return show_factors(codes=codes), 201


@pages.route("/account/passkeys/<passkey_id>/remove", methods=["GET", "POST"])
def remove_passkey(passkey_id: str) -> ResponseReturnValue:
    """Remove a passkey; needs a second factor."""
    with own_session() as own:
        name = passkeys.get(own, current_user.user_id, passkey_id).name

    def remove(own: Session, user: User) -> Sequence[str]:
        passkeys.remove(own, user.id, passkeys.get(own, user.id, passkey_id))
        audit.record(own, actor(), audit.Action.FACTOR_REMOVED, user.id, before=_describe(name))
        return ()

    text = f"{name} no longer signs you in. Confirm with a passkey or a code."
    return act_with_factor(Step("Remove passkey", text, "Remove", is_danger=True), remove)


@pages.post("/passkey/options")
def passkey_options() -> ResponseReturnValue:
    """Return the options to use a passkey of the user who is signed in or gave the password."""
    known = current_user.known if current_user.is_authenticated else find_pending()
    if known is None:
        raise Unauthenticated(STALE)
    ceremony = begin_ceremony()
    with organization_session(known.actor.organization_id) as own:
        return answer_json(**passkeys.sign_in_options(own, known.user_id, ceremony))


@pages.post("/sign-in/passkey/options")
def sole_passkey_options() -> ResponseReturnValue:
    """Return the options to use any passkey in place of password and second factor."""
    require_local_sign_in()
    return answer_json(**passkeys.sole_options(begin_ceremony()))


@pages.post("/sign-in/passkey")
def sign_in_passkey() -> ResponseReturnValue:
    """Sign in with a passkey whose device has verified the user."""
    require_local_sign_in()
    form = PasskeyForm()
    if not form.validate_on_submit():
        return _show_sign_in(STALE), 422
    try:
        known = passkeys.find_user(form.credential.data or "")
        check_passkey(known, form.credential.data, is_sole=True)
    except Unauthenticated as error:
        return _show_sign_in(error.detail), 401
    start_session(known)
    return redirect(next_page())


def _register(name: str, credential: str) -> Sequence[str]:
    ceremony = end_ceremony()
    with own_session() as own:
        user = own_user(own)
        codes = passkeys.register(own, user, name, credential, ceremony)
        audit.record(
            own, actor(), audit.Action.FACTOR_ADDED, user.id, after=_describe(name.strip())
        )
    return codes


def _show_sign_in(fault: str) -> str:
    return render_template("sign_in/sign_in.html", form=SignInForm(formdata=None), fault=fault)


def _describe(name: str) -> dict[str, str]:
    return {"factor": "passkey", "name": name}
