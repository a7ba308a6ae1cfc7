"""Typed errors of use cases, with data.

:mod:`app.error_handlers` is the one place that turns them into HTTP.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple

from app.services.problem_codes import ProblemCode

#: Most errors in one answer: more are usually the same one repeated.
MOST_FAULTS: Final = 100


class FieldError(NamedTuple):
    """One thing that is wrong, and where: a JSON pointer (RFC 6901) into the request."""

    pointer: str
    detail: str


class ServiceError(Exception):
    """A use-case that was not carried out.

    ``code`` is stable and for programs, ``detail`` for people; ``data`` holds
    the figures behind the words, in JSON types.
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
    """No such resource, or not in this organization: the answers are the same."""

    code = ProblemCode.NOT_FOUND


class Conflict(ServiceError):
    """The resource's present state does not allow it."""

    code = ProblemCode.CONFLICT


class PreconditionFailed(ServiceError):
    """The resource has changed since the client read it."""

    code = ProblemCode.PRECONDITION_FAILED


class Invalid(ServiceError):
    """The input is invalid; ``faults`` names each place, up to :data:`MOST_FAULTS`."""

    code = ProblemCode.VALIDATION_FAILED

    def __init__(
        self,
        faults: Iterable[FieldError],
        *,
        detail: str | None = None,
        code: ProblemCode | None = None,
    ) -> None:
        self.faults = tuple(islice(faults, MOST_FAULTS))
        super().__init__(detail or "; ".join(fault.detail for fault in self.faults), code=code)


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
