"""Exceptions, one for each code of the service, with its message and what to do.

>>> error = error_of(403, {"error": "upgrade_required", "message": "Filings need Gold.", "required_plan": "gold"})
>>> type(error).__name__, error.required_plan
('UpgradeRequiredError', 'gold')
>>> print(error)
Filings need Gold. (upgrade_required; use a key of the plan that `required_plan` names, see /pricing)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class LastroError(Exception):
    """Any failure of a call. `message` is the sentence of the service, `advice` says what to do."""

    code: str = ""
    advice: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.request_id = request_id
        self.details: dict[str, Any] = dict(details or {})
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        notes = "; ".join(note for note in (self.code, self.advice) if note)
        return f"{self.message} ({notes})" if notes else self.message


class BadRequestError(LastroError):
    """A parameter is missing, unknown or out of bounds."""

    code = "bad_request"
    advice = "fix what the message names"


class UnauthorizedError(LastroError):
    """The key is unknown, malformed or revoked, or one is needed."""

    code = "unauthorized"
    advice = "check LASTRO_API_KEY or the argument `key`; free keys are at /pricing"


class UpgradeRequiredError(LastroError):
    """The plan does not include this endpoint, format or history."""

    code = "upgrade_required"
    advice = "use a key of the plan that `required_plan` names, see /pricing"

    @property
    def plan(self) -> str | None:
        """The plan that the call was on."""
        return self.details.get("plan")

    @property
    def required_plan(self) -> str | None:
        """The lowest plan that may make it."""
        return self.details.get("required_plan")

    @property
    def feature(self) -> str | None:
        """The feature that is missing."""
        return self.details.get("feature")

    @property
    def upgrade_url(self) -> str | None:
        """The page with the plans."""
        return self.details.get("upgrade_url")


class ForbiddenError(LastroError):
    """The service refuses this caller."""

    code = "forbidden"


class NotFoundError(LastroError):
    """There is no such series, company, filing or path."""

    code = "not_found"
    advice = "check the id; lists and searches show those that exist"


class MethodNotAllowedError(LastroError):
    """The path exists, but not with this method."""

    code = "method_not_allowed"
    advice = "the server may be older than this package"


class CursorExpiredError(LastroError):
    """The changes after this cursor are no longer kept."""

    code = "cursor_expired"
    advice = "take the export again, then follow the changes after its cursor; `sync` does both"

    @property
    def oldest(self) -> str | None:
        """The oldest cursor that is kept."""
        return self.details.get("oldest")


class GoneError(LastroError):
    """The thing asked for existed and ended."""

    code = "gone"


class PayloadTooLargeError(LastroError):
    """The body is too large."""

    code = "payload_too_large"
    advice = "send less at once"


class RateLimitedError(LastroError):
    """The quota of this minute is used up, and the wait for it is longer than `max_wait`."""

    code = "rate_limited"
    advice = "wait `retry_after` seconds, allow a longer `max_wait`, or use a plan with a higher limit"

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait."""
        value = self.details.get("retry_after")
        return None if value is None else float(value)


class InternalError(LastroError):
    """A fault of the service."""

    code = "internal"
    advice = "report `request_id` to the operator"


class UnavailableError(LastroError):
    """The service cannot do this right now, and did not within `max_wait`."""

    code = "unavailable"
    advice = "try again later"

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait."""
        value = self.details.get("retry_after")
        return None if value is None else float(value)


class ConnectionFailedError(LastroError):
    """No answer: the server cannot be reached, the connection broke, or the time was over."""

    code = "connection_failed"
    advice = "check LASTRO_URL or the argument `url`, and the network"


class InvalidAnswerError(LastroError):
    """An answer that is not of this service."""

    code = "invalid_answer"
    advice = "check that `url` is the address of the service and not of a proxy or a page"


class IncompleteAnswerError(LastroError):
    """An export that broke off, or a list whose data changed again and again while it was read.

    Rows that were received are correct, but not all.
    """

    code = "incomplete_answer"
    advice = "start again"


class RedirectRefusedError(LastroError):
    """The server sends the caller elsewhere, where the key must not follow."""

    code = "redirect_refused"
    advice = "set `url` to the address that the message names, if you trust it"


_BY_CODE: dict[str, type[LastroError]] = {
    kind.code: kind
    for kind in (
        BadRequestError,
        UnauthorizedError,
        UpgradeRequiredError,
        ForbiddenError,
        NotFoundError,
        MethodNotAllowedError,
        CursorExpiredError,
        GoneError,
        PayloadTooLargeError,
        RateLimitedError,
        InternalError,
        UnavailableError,
    )
}
_BY_STATUS: dict[int, type[LastroError]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    405: MethodNotAllowedError,
    410: GoneError,
    413: PayloadTooLargeError,
    429: RateLimitedError,
    500: InternalError,
    503: UnavailableError,
}


def error_of(
    status: int,
    body: object,
    *,
    request_id: str | None = None,
    retry_after: float | None = None,
) -> LastroError:
    """The exception for a failed answer: by its code, or by its status if the body is not of the service."""
    members: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    code, message = members.get("error"), members.get("message")
    known = isinstance(code, str) and isinstance(message, str)
    kind = _BY_CODE.get(str(code)) if known else _BY_STATUS.get(status)
    details = {name: value for name, value in members.items() if name not in ("error", "message")}
    if retry_after is not None:
        details["retry_after"] = retry_after
    return (kind or LastroError)(
        str(message) if known else f"the server answered with status {status}",
        status=status,
        code=str(code) if known else None,
        request_id=request_id,
        details=details,
    )


# The same by the names of the codes.
BadRequest = BadRequestError
Unauthorized = UnauthorizedError
UpgradeRequired = UpgradeRequiredError
Forbidden = ForbiddenError
NotFound = NotFoundError
MethodNotAllowed = MethodNotAllowedError
CursorExpired = CursorExpiredError
Gone = GoneError
PayloadTooLarge = PayloadTooLargeError
RateLimited = RateLimitedError
Internal = InternalError
Unavailable = UnavailableError
ConnectionFailed = ConnectionFailedError
InvalidAnswer = InvalidAnswerError
IncompleteAnswer = IncompleteAnswerError
RedirectRefused = RedirectRefusedError
