"""Users, for admins."""

from typing import Any

from flask import Response, request

from app.api import present
from app.api.conditional import check_preconditions, split_tag, tagged
from app.api.operation import ApiBlueprint, RequestContext, created, json_response, no_content
from app.api.schemas.common import list_of
from app.api.schemas.user import (
    ChangedUserSchema,
    InvitedUserSchema,
    NewUserSchema,
    ResetLinkSchema,
    SentUserSchema,
    UserRecordSchema,
    UserUpdateSchema,
)
from app.models import Scope, User
from app.services.identity import addresses, links, users
from app.services.platform.sessions import after_commit

blueprint = ApiBlueprint("Users", __name__, description="Users of the pages, for admins")


@blueprint.operation("GET", "/users", Scope.ADMIN)
@blueprint.response(200, list_of(UserRecordSchema))
def list_users(context: RequestContext) -> Response:
    """List the organization's users, newest first, with deactivated ones."""
    found = users.list_users(context.session, context.organization_id)
    return json_response(present.listed(found, UserRecordSchema.write))


@blueprint.operation("POST", "/users", Scope.ADMIN, shown_once="invitationUrl")
@blueprint.arguments(NewUserSchema)
@blueprint.response(201, InvitedUserSchema)
def create_user(context: RequestContext, body: dict[str, Any]) -> Response:
    """Create a user who signs in with e-mail address and password.

    Without a password the user is invited to choose one by a link. The link is mailed if the
    operator has configured a mail server; otherwise it is returned, only once. There is none where
    users sign in by an OpenID provider only.
    """
    user = users.create(context.session, context.organization_id, **body)
    letter = None
    if "password" not in body and links.can_set_passwords():
        letter = links.invite(context.session, user, context.actor, request.url_root)
    response = created(UserRecordSchema.write(user), f"/v1/users/{user.id}")
    return tagged(_hand_over(context, response, "invitationUrl", letter), *_tags(user))


@blueprint.operation("POST", "/users/<user_id>/reset", Scope.ADMIN, shown_once="url")
@blueprint.response(200, ResetLinkSchema)
def reset_user_password(context: RequestContext, user_id: str) -> Response:
    """Issue a link to choose a new password; the old password stays valid until then.

    A deactivated user gets none (409), nor do users who sign in by an OpenID provider only.
    """
    user = _find(context, user_id)
    letter = links.offer_reset(context.session, user, context.actor, request.url_root)
    return _hand_over(context, json_response({}), "url", letter)


@blueprint.operation("GET", "/users/<user_id>", Scope.ADMIN)
@blueprint.response(200, UserRecordSchema)
def get_user(context: RequestContext, user_id: str) -> Response:
    """Get a user."""
    user = _find(context, user_id)
    return tagged(json_response(UserRecordSchema.write(user)), *_tags(user))


@blueprint.operation("PUT", "/users/<user_id>", Scope.ADMIN, errors=(409, 412))
@blueprint.arguments(UserUpdateSchema(read_back=SentUserSchema))
@blueprint.response(200, ChangedUserSchema)
def update_user(context: RequestContext, body: dict[str, Any], user_id: str) -> Response:
    """Change a user; the last admin cannot get another role.

    A deactivated user whose erasure is pending cannot be activated (409): cancel the erasure first.
    A new email takes effect once the user confirms it by a link. The link is mailed to the new
    address if the operator has configured a mail server; otherwise it is returned, only once.
    """
    user = _find_matching(context, user_id)
    email = body.pop("email")
    users.change(context.session, user, body)
    letter = None
    if addresses.is_another(user, email):
        letter = addresses.request(context.session, user, email, context.actor, request.url_root)
    response = json_response(UserRecordSchema.write(user))
    return tagged(_hand_over(context, response, "confirmationUrl", letter), *_tags(user))


@blueprint.operation("DELETE", "/users/<user_id>", Scope.ADMIN, errors=(409, 412))
@blueprint.response(204)
def deactivate_user(context: RequestContext, user_id: str) -> Response:
    """Deactivate a user, except the last admin; records keep the user's name."""
    user = _find_matching(context, user_id)
    users.change(context.session, user, {"is_active": False})
    return no_content()


def _hand_over(
    context: RequestContext, response: Response, field: str, letter: links.LinkLetter | None
) -> Response:
    """Mail a link after the commit; if it could not be mailed, a field of the response has it."""

    def write(link: str | None) -> None:
        response.set_data(json_response(response.get_json() | {field: link}).get_data())

    write(None)
    if letter is not None:
        after_commit(context.session, lambda: write(letter.hand_over()))
    return response


def _find(context: RequestContext, user_id: str) -> User:
    return users.get(context.session, context.organization_id, user_id)


def _find_matching(context: RequestContext, user_id: str) -> User:
    """Lock and return a user.

    Raises :class:`PreconditionFailed` if ``If-Match`` has another state.
    """
    user = _find(context, user_id)
    users.lock(context.session, user)
    check_preconditions(_tags(user)[0])
    return user


def _tags(user: User) -> tuple[str, str]:
    return split_tag("user", UserRecordSchema.write(user), "lastSignedInAt")
