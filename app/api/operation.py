"""Common part of all operations: authentication, roles, transaction and idempotency.

``ApiBlueprint.operation`` adds an operation. The decorated function is called with a
:class:`RequestContext`, the parsed ``arguments``, and the path parameters by name.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

import marshmallow as ma
import msgspec
from flask import Response, current_app, g, json, request
from flask_smorest import Blueprint
from sqlalchemy.orm import Session
from werkzeug.datastructures import MIMEAccept
from werkzeug.exceptions import NotAcceptable

from app.api.conditional import refuse_if_changed
from app.api.describing import (
    PATH_PARAMETERS,
    describe_operation,
    describe_right,
    document_errors,
    documented_errors,
)
from app.api.parsing import StrictParser, query_faults, refuse_badly_encoded, refuse_repeated
from app.api.waiting import Later
from app.exports.csv import content_hash
from app.models import Role, Scope, SubjectKind
from app.rate_limit import count_request
from app.records.record import snake_case
from app.services.errors import Invalid, Unauthenticated
from app.services.identity import keys
from app.services.platform import audit, idempotency
from app.services.platform.actor import Actor

View = Callable[..., Response]

#: Default limit of a body [bytes]; a record has some kilobytes.
MOST_BODY_BYTES: Final = 128 * 1024
#: Limit of a body with areas or a route file [bytes].
MOST_GEOMETRY_BYTES: Final = 2 * 1024 * 1024

#: Least roles of most operations, by scope; those of others are a viewer's.
_USUAL_ROLES: Final[Mapping[Scope | None, Role]] = {
    Scope.PLAN: Role.PLANNER,
    Scope.TELEMETRY: Role.PLANNER,
    Scope.ADMIN: Role.ADMIN,
}
#: A parameter in a URL rule.
_PARAMETER = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Actor and database session of a request."""

    actor: Actor
    session: Session

    @property
    def organization_id(self) -> UUID:
        """Organization of the actor, to which every look-up is limited."""
        return self.actor.organization_id

    def check_organization(self, body: dict[str, Any], within: str = "") -> None:
        """Remove ``organization_id`` from an object; raises :class:`Invalid` if it is another's.

        ``within`` is the object's place in the body. Operators, too, may name another
        organization only where an operation allows it.
        """
        named = body.pop("organization_id", None)
        if named is not None and named != str(self.actor.organization_id):
            detail = "It is not the organization of your key; leave it out."
            raise Invalid.at(f"{within}/orgId", detail)


class ApiBlueprint(Blueprint):
    """A group of operations."""

    ARGUMENTS_PARSER = StrictParser()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._prepare_doc_cbks.append(describe_operation)

    def arguments(
        self, schema: type[ma.Schema] | ma.Schema, **options: Any
    ) -> Callable[[View], View]:
        """Parse arguments by a schema; it is created once, because that copies all its fields."""
        made = schema() if isinstance(schema, type) else schema
        return super().arguments(made, **options)  # type: ignore[no-any-return]

    def operation(
        self,
        method: str,
        rule: str,
        scope: Scope | None,
        *,
        role: Role | None = None,
        role_text: str | None = None,
        produces: str = "application/json",
        errors: tuple[int, ...] = (),
        shown_once: str | None = None,
        most_bytes: int = MOST_BODY_BYTES,
    ) -> Callable[[View], View]:
        """Add an operation that a key of at least ``role`` with its ``scope`` may call.

        Without ``scope`` it is an operation that every scope may call; without ``role`` it needs
        the scope's usual one. ``role_text`` describes a role that the organization's settings
        decide.

        ``errors`` are error statuses in addition to those common to all operations of its kind.
        ``shown_once`` is a field of the response that is never stored: it is null where an
        ``Idempotency-Key`` repeats the response. ``most_bytes`` is the limit of the body. Path
        parameters are in camel case for clients.
        """

        least = role or _USUAL_ROLES.get(scope, Role.VIEWER)

        def decorate(view: View) -> View:
            operation_id = _camel(view.__name__)
            run = _runner(view, least, scope, produces, shown_once, most_bytes)
            document_errors(run, documented_errors(method, rule, view) | set(errors))
            words = describe_right(view, role_text or least, scope)
            run = self.doc(operationId=operation_id, description=words)(run)
            run.right = least, scope
            self.add_url_rule(
                _PARAMETER.sub(lambda found: f"<{_camel(found[1])}>", rule),
                view_func=run,
                methods=[method],
                parameters=[_described(name) for name in _PARAMETER.findall(rule)],
            )
            return run  # type: ignore[no-any-return]

        return decorate


def file_response(content: bytes, media_type: str, name: str) -> Response:
    """Return a file as an attachment, with its digest in ``X-Content-Hash``."""
    response = Response(content, content_type=media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["X-Content-Hash"] = content_hash(content)
    return response


def json_response(
    payload: Any, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response; raises ``ValueError`` for NaN and infinity."""
    body = json.dumps(
        payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=False
    )
    return Response(body, status, dict(headers or {}), content_type="application/json")


def stored_response(payload: Any, status: int = HTTPStatus.OK) -> Response:
    """Return a JSON response of stored values, written by compiled code.

    NaN would be written as null, but stored values have none.
    """
    return Response(msgspec.json.encode(payload), status, content_type="application/json")


def created(payload: Any, location: str) -> Response:
    """Return the response 201 with the new resource's address."""
    return json_response(payload, HTTPStatus.CREATED, {"Location": location})


def accepted(payload: Any, location: str) -> Response:
    """Return the response 202 with the address where progress can be read."""
    return json_response(payload, HTTPStatus.ACCEPTED, {"Location": location})


def no_content() -> Response:
    """Return the response 204."""
    response = Response(status=HTTPStatus.NO_CONTENT)
    del response.headers["Content-Type"]
    return response


def key_of_request() -> str:
    """Return a request's key; raises :class:`Unauthenticated` without one.

    An empty header counts as absent.
    """
    key = request.headers.get("X-API-Key")
    if not key:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        key = token.strip() if scheme.lower() == "bearer" else None
    if not key:
        raise Unauthenticated("Send your key in the header X-API-Key or as a bearer token.")
    return key


def _runner(
    view: View,
    role: Role,
    scope: Scope | None,
    produces: str,
    shown_once: str | None,
    most_bytes: int,
) -> View:
    takes_query = _takes_query(view)

    @wraps(view)
    def run(**path: str) -> Response:
        request.max_content_length = min(most_bytes, current_app.config["MAX_CONTENT_LENGTH"])
        response, is_counted = None, False
        while response is None:
            try:
                response = run_once(path, is_counted=is_counted)
            except Later as later:
                is_counted = True
                time.sleep(later.seconds)
        return response

    def run_once(path: Mapping[str, str], *, is_counted: bool) -> Response:
        # One transaction identifies the key and does the work for its organization.
        origin = request.remote_addr
        with keys.session_by_key(key_of_request(), origin) as (session, actor):
            g.acting = (actor.name, origin)
            if not is_counted:
                count_request(actor)
            actor.require(role)
            actor.require_scope(scope)
            _refuse_unacceptable(produces)
            if request.query_string:
                _check_query(takes_query=takes_query)
            named = {snake_case(name): value for name, value in path.items()}
            response = _once(RequestContext(actor, session), view, named, shown_once)
            if request.method in ("GET", "HEAD"):
                response.add_etag()
                response.make_conditional(request)
                refuse_if_changed(response)
            is_file = produces != "application/json" and "charting_id" in named
            if is_file and request.method == "GET" and response.status_code == HTTPStatus.OK:
                charting_id = UUID(named["charting_id"])
                audit.record_export(session, actor, SubjectKind.CHARTING, charting_id, produces)
            return response

    return run


def _once(
    context: RequestContext, view: View, path: Mapping[str, str], shown_once: str | None
) -> Response:
    """Run a view, or return the stored response of a repeated request."""
    key = request.headers.get("Idempotency-Key") if request.method == "POST" else None
    if key is None:
        return view(context, **path)
    asked = request.full_path if request.query_string else request.path
    digest = idempotency.request_digest(request.method, asked, _read_body())
    kept = idempotency.find_answer(context.session, context.actor, key, digest)
    if kept is not None:
        return Response(kept.body, kept.status, {**kept.headers, "Idempotency-Replayed": "true"})
    response = view(context, **path)
    headers = {name: value for name, value in response.headers if name != "Content-Length"}
    body = response.get_data()
    if shown_once is not None:
        body = json_response(response.get_json() | {shown_once: None}).get_data()
    answer = idempotency.Answer(response.status_code, headers, body)
    idempotency.keep_answer(context.session, context.actor, key, digest, answer)
    return response


def _read_body() -> bytes:
    """Return the body; that of a form without its boundary, which clients choose at random."""
    body = request.get_data()
    if request.mimetype != "multipart/form-data":
        return body
    return body.replace(request.mimetype_params.get("boundary", "").encode(), b"")


def _refuse_unacceptable(produces: str) -> None:
    sent = request.accept_mimetypes
    if not sent:
        return
    # parameters are no reason to refuse: many clients ask for "application/json; charset=utf-8"
    accepted = MIMEAccept([(range_.partition(";")[0].strip(), quality) for range_, quality in sent])
    if not accepted.quality(produces):
        raise NotAcceptable(f"This operation returns {produces}; accept that media type.")


def _check_query(*, takes_query: bool) -> None:
    """Raise :class:`Invalid` for a badly encoded query, repeated parameters, or unknown ones."""
    refuse_badly_encoded(request.query_string)
    refuse_repeated(request.args)
    if not takes_query and request.args:
        raise Invalid(query_faults(request.args))


def _takes_query(view: View) -> bool:
    parameters = getattr(view, "_apidoc", {}).get("arguments", {}).get("parameters", ())
    return any(parameter["in"] == "query" for parameter in parameters)


def _described(parameter: str) -> dict[str, Any]:
    return {"in": "path", "name": _camel(parameter), "description": PATH_PARAMETERS[parameter]}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
