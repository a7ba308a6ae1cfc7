"""What keeps a use-case from being carried out, as typed errors that carry data.

:mod:`app.error_handlers` is the one place that turns them into HTTP.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple

from app.services.problem_codes import ProblemCode

#: Faults that one answer names: whoever made more made the same one again and again.
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
    """Nobody is known by this key, or it is no longer good."""

    code = ProblemCode.UNAUTHENTICATED


class NotAllowed(ServiceError):
    """The key or user is known but has not got the right."""

    code = ProblemCode.FORBIDDEN


class NotFound(ServiceError):
    """There is no such thing, or not for this organization: the two look alike."""

    code = ProblemCode.NOT_FOUND


class Conflict(ServiceError):
    """The thing's present state does not allow it."""

    code = ProblemCode.CONFLICT


class PreconditionFailed(ServiceError):
    """The thing is no longer in the state that the client had seen."""

    code = ProblemCode.PRECONDITION_FAILED


class Invalid(ServiceError):
    """What was sent cannot be taken; ``faults`` names each place, up to :data:`MOST_FAULTS`."""

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
    """Something that the service needs is away; trying again may help."""

    code = ProblemCode.UNAVAILABLE
