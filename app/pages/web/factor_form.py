"""Proof of identity on pages: the password, a code, or the answer of a passkey."""

from typing import Any, NamedTuple

from flask import render_template, request, session
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import Field, HiddenField, PasswordField, StringField
from wtforms.validators import InputRequired, Length, StopValidation

from app.pages.web.access import record_in_audit_log
from app.pages.web.forms import prepare_refusal
from app.pages.web.visitor import current_user
from app.services.errors import TooManyRequests, Unauthenticated
from app.services.identity import passkeys, second_factors, sign_in_attempts, users
from app.services.identity.passkeys import Ceremony
from app.services.identity.users import SignedIn
from app.services.platform import audit
from app.services.platform.sessions import organization_session

#: Session key of the challenge for a passkey, in hexadecimal digits.
_CHALLENGE = "challenge_hex"
#: Longest answer of a passkey [characters]; a certificate of the device may be part of it.
_LONGEST_ANSWER = 32_768


class PasskeyForm(FlaskForm):
    """The answer of a passkey, which the page's script writes into the form."""

    credential = HiddenField(validators=[Length(max=_LONGEST_ANSWER)])


class CodeOrPasskey(InputRequired):
    """Require a code unless a passkey has answered."""

    def __call__(self, form: Any, field: Field) -> None:
        """Check the field."""
        if form.credential.data:
            raise StopValidation
        super().__call__(form, field)


class CodeForm(PasskeyForm):
    """A code of an authenticator, a recovery code, or the answer of a passkey."""

    code = StringField(validators=[CodeOrPasskey("Enter the code."), Length(max=40)])


class Step(NamedTuple):
    """A page that asks for a second factor: its texts, and the link back."""

    title: str
    text: str
    #: Label of the button beneath the code.
    label: str
    back: tuple[str, str] | None = None
    is_danger: bool = False


def show_step(step: Step, form: CodeForm, known: SignedIn) -> str:
    """Render the forms for a passkey and a code."""
    return render_template("sign_in/factor.html", step=step, form=form, known=known)


def ask_for_factor(step: Step, known: SignedIn) -> ResponseReturnValue | None:
    """Return the page that asks for a second factor, ``None`` once the request proves it."""
    form, status = CodeForm(), 200
    if form.is_submitted():
        status = check_factor(known, form)
        if status == 200:
            return None
    return show_step(step, form, known), status


def check_own_password(field: PasswordField, wrong: str) -> int:
    """Check the signed-in user's password; return 200, or the status of the error in the field."""
    email, origin = current_user.email, request.remote_addr or "unknown"
    try:
        sign_in_attempts.count(email, origin)
        users.check_password(current_user.user_id, field.data)
    except (Unauthenticated, TooManyRequests) as error:
        field.errors = (wrong if isinstance(error, Unauthenticated) else error.detail,)
        return prepare_refusal(error)
    sign_in_attempts.take_back(email, origin)
    return 200


def begin_ceremony() -> Ceremony:
    """Begin to ask for a passkey; a former challenge of this session is forgotten."""
    ceremony = passkeys.begin(request.url_root)
    session[_CHALLENGE] = ceremony.challenge.hex()
    return ceremony


def end_ceremony() -> Ceremony:
    """Return the ceremony of this session, once; raises :class:`Unauthenticated`."""
    return passkeys.resume(bytes.fromhex(session.pop(_CHALLENGE, "")), request.url_root)


def check_factor(known: SignedIn, form: CodeForm) -> int:
    """Check a submitted form; return 200, or the status of the error, which the form then shows."""
    if not form.validate():
        return 422
    is_passkey = bool(form.credential.data)
    try:
        if is_passkey:
            check_passkey(known, form.credential.data)
        else:
            with organization_session(known.actor.organization_id) as own:
                second_factors.check(own, known.user_id, form.code.data)
    except (Unauthenticated, TooManyRequests) as error:
        field = form.credential if is_passkey else form.code
        field.errors = (error.detail,)
        return prepare_refusal(error)
    return 200


def check_passkey(known: SignedIn, credential: str, *, is_sole: bool = False) -> None:
    """Check a passkey; one that may be copied is written to the audit log.

    Raises :class:`Unauthenticated`.
    """
    ceremony = end_ceremony()
    try:
        with organization_session(known.actor.organization_id) as own:
            passkeys.check(own, known.user_id, credential, ceremony, is_sole=is_sole)
    except passkeys.SignCountFellBack as error:
        record_in_audit_log(known, audit.Action.PASSKEY_REFUSED, after=error.data)
        raise Unauthenticated(error.detail) from error
