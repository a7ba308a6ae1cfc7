"""Typed errors of use cases, with data.

Only :mod:`app.error_handlers` converts them to HTTP responses.
"""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple, Self

from app.services.problem_codes import ProblemCode

#: Largest number of errors in one response; more usually repeat the same error.
MOST_FAULTS: Final = 100
#: Detail of :class:`PreconditionFailed` where ``If-Match`` has another tag.
CHANGED: Final = "The resource has changed since you read it; read it again."


class FieldError(NamedTuple):
    """An error and its place: a JSON pointer (RFC 6901) into the request."""

    pointer: str
    detail: str


def escape_member(name: str) -> str:
    """Write the name of a member as a part of a JSON pointer (RFC 6901, section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def read_member(pointer: str) -> str:
    """Return the name of a member from its JSON pointer into a flat object."""
    return pointer.removeprefix("/").replace("~1", "/").replace("~0", "~")


class ServiceError(Exception):
    """A use case failed.

    ``code`` is stable and for programs, ``detail`` is for people, ``data`` has the
    values of the error in JSON types.
    """

    code: ClassVar[ProblemCode] = ProblemCode.INTERNAL

    def __init__(self, detail: str, *, code: ProblemCode | None = None, **data: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.data = data
        self.problem_code = code or self.code


class Unauthenticated(ServiceError):
    """The key is unknown or no longer valid."""

    code = ProblemCode.UNAUTHENTICATED


class NotAllowed(ServiceError):
    """The key or user is known but lacks the right."""

    code = ProblemCode.FORBIDDEN


class NotFound(ServiceError):
    """There is no such resource, or it belongs to another organization."""

    code = ProblemCode.NOT_FOUND


class Conflict(ServiceError):
    """The resource's present state does not allow the operation."""

    code = ProblemCode.CONFLICT


class PreconditionFailed(ServiceError):
    """The resource has changed since the client read it."""

    code = ProblemCode.PRECONDITION_FAILED


class Invalid(ServiceError):
    """The input is invalid; ``faults`` lists the errors, up to :data:`MOST_FAULTS`."""

    code = ProblemCode.VALIDATION_FAILED

    def __init__(
        self,
        faults: Iterable[FieldError],
        *,
        detail: str | None = None,
        code: ProblemCode | None = None,
    ) -> None:
        self.faults = tuple(islice(faults, MOST_FAULTS))
        super().__init__(detail or " ".join(fault.detail for fault in self.faults), code=code)

    @classmethod
    def at(cls, pointer: str, detail: str, code: ProblemCode | None = None) -> Self:
        """Build an error of one place."""
        return cls([FieldError(pointer, detail)], code=code)


def refuse(faults: Iterable[FieldError], code: ProblemCode | None = None) -> None:
    """Raise :class:`Invalid` if there are any errors."""
    found = list(islice(faults, MOST_FAULTS))
    if found:
        raise Invalid(found, code=code)


def refuse_reversed(
    since: datetime | None, until: datetime | None, first: str = "from", last: str = "to"
) -> None:
    """Raise :class:`Invalid` for a range that ends before it begins; its parameters by name."""
    if since is not None and until is not None and since > until:
        raise Invalid.at(f"/{first}", f"The range begins after its end ({last}).")


class TooManyRequests(ServiceError):
    """A quota is used up until ``retry_after_s`` seconds from now."""

    code = ProblemCode.TOO_MANY_REQUESTS

    def __init__(
        self, detail: str, *, retry_after_s: int, code: ProblemCode | None = None, **data: Any
    ) -> None:
        super().__init__(detail, code=code, **data)
        self.retry_after_s = retry_after_s


class Unavailable(ServiceError):
    """A dependency of the service is unavailable; trying again may help."""

    code = ProblemCode.UNAVAILABLE
