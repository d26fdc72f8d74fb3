"""Requests and their outcomes, without sending them: parameters, retries, errors, and the key out of sight."""

from __future__ import annotations

import datetime
import email.utils
import os
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import httpx

from lastro.errors import (
    ConnectionFailedError,
    InvalidAnswerError,
    LastroError,
    RedirectRefusedError,
    error_of,
)
from lastro.record import loads

DEFAULT_URL = "http://127.0.0.1:8080"
# Days, months and numbers as callers have them.
Moment = str | datetime.date
Number = str | int | float | Decimal

_SHORTEST_WAIT = 0.5
_MOST_REDIRECTS = 5


class Secret(httpx.Auth):
    """A key that no `repr` and no traceback shows."""

    __slots__ = ("_reveal",)

    def __init__(self, key: str | None) -> None:
        # A key that was read from a file ends with its newline.
        key = key.strip() if key else None
        self._reveal = None if not key else lambda: key

    @classmethod
    def of(cls, key: str | None) -> Secret:
        return cls(key if key is not None else os.environ.get("LASTRO_API_KEY"))

    def check(self) -> None:
        """Raises if no header can carry it. Apart from `__init__`, whose traceback would show the key."""
        if self._reveal is not None and not (self._reveal().isascii() and self._reveal().isprintable()):
            raise ValueError("the key has characters that no key has, such as a newline in it; copy it again")

    def auth_flow(self, request: httpx.Request) -> Any:
        if self._reveal is not None:
            request.headers["Authorization"] = f"Bearer {self._reveal()}"
        yield request

    def __bool__(self) -> bool:
        return self._reveal is not None

    def __repr__(self) -> str:
        return "Secret(…)" if self else "Secret(none)"


def base_url(url: str | None) -> str:
    """The address of the service, without a slash at its end."""
    chosen = (url or os.environ.get("LASTRO_URL") or DEFAULT_URL).strip().rstrip("/")
    parsed = httpx.URL(chosen)
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise ValueError("url must be http://HOST or https://HOST, without a user name or a password")
    return chosen


@dataclass(frozen=True)
class Policy:
    """The number of retries of reads, and the longest wait of a call that is told to wait."""

    retries: int = 3
    max_wait: float = 120.0


@dataclass(frozen=True)
class Call:
    """One call of the API."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    body: Any = None
    # Whether sending it twice does no more than sending it once.
    repeatable: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A successful answer."""

    body: Any
    headers: httpx.Headers
    status: int

    @property
    def etag(self) -> str | None:
        tag: str | None = self.headers.get("etag")
        return tag


def text(value: object) -> str:
    """A parameter as the API reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{text(part)}" for name, part in value.items())
    if isinstance(value, Iterable):
        return ",".join(text(part) for part in value)
    return str(value)


def params(**given: object) -> dict[str, str]:
    """Query parameters: `start` and `end` are `from` and `to`, what is `None` is left out."""
    renamed = {"start": "from", "end": "to", "company": "company_id"}
    return {renamed.get(name, name): text(value) for name, value in given.items() if value is not None}


def request_of(base: str, call: Call) -> httpx.Request:
    """The request, without the key."""
    content = None if call.body is None else to_json(call.body)
    headers = {"Accept": "application/json", "User-Agent": "lastro-python", **call.headers}
    if httpx.URL(base).host in ("127.0.0.1", "::1", "localhost"):
        # Compressing takes longer than copying within one machine.
        headers["Accept-Encoding"] = "identity"
    if content is not None:
        headers["Content-Type"] = "application/json"
    return httpx.Request(call.method, base + call.path, params=call.params or None, headers=headers, content=content)


def to_json(value: Any) -> bytes:
    """JSON in which decimals are strings, which the API reads exactly."""
    import json  # noqa: PLC0415

    return json.dumps(value, default=text).encode()


class Attempts:
    """The state of one call over its attempts: decides after each whether to try again, and when."""

    def __init__(self, policy: Policy, call: Call) -> None:
        self._policy = policy
        self._call = call
        self._failed = 0
        self._waited = 0.0
        self._redirects = 0

    def after_failure(self, reason: str) -> float:
        """Seconds until the next attempt after no answer; raises if there is none."""
        if not self._call.repeatable or self._failed >= self._policy.retries:
            raise ConnectionFailedError(reason)
        self._failed += 1
        return float(min(8.0, 0.2 * 2**self._failed) * random.uniform(0.5, 1.0))

    def after_answer(self, status: int, headers: httpx.Headers, body: bytes) -> float | None:
        """Seconds until the next attempt; `None` if the answer is good; raises if it is final."""
        if status < 300 or status == 304:
            return None
        told = retry_after(headers)
        error = error_of(status, _json_or_none(body), request_id=headers.get("x-request-id"), retry_after=told)
        if status in (502, 504) and self._call.repeatable:
            return self._after_proxy(error)
        if status == 429 or (status == 503 and self._call.repeatable):
            pause = max(_SHORTEST_WAIT, told if told is not None else 1.0)
            if self._waited + pause <= self._policy.max_wait:
                self._waited += pause
                return pause
        raise error

    def _after_proxy(self, error: LastroError) -> float:
        try:
            return self.after_failure(error.message)
        except ConnectionFailedError:
            raise error from None

    def redirected(self, request: httpx.Request, status: int, headers: httpx.Headers) -> httpx.URL | None:
        """The address to follow to; raises where the key must not go."""
        if status not in (301, 302, 303, 307, 308) or "location" not in headers:
            return None
        target = request.url.join(headers["location"])
        same_host = target.host == request.url.host
        same = (target.scheme, target.port) == (request.url.scheme, request.url.port)
        upgrade = (request.url.scheme, target.scheme) == ("http", "https")
        self._redirects += 1
        if self._call.method not in ("GET", "HEAD") or not (same_host and (same or upgrade)):
            raise RedirectRefusedError(f"the server sends this call to {target.scheme}://{target.netloc.decode()}")
        if self._redirects > _MOST_REDIRECTS:
            raise RedirectRefusedError("the server sends this call around in circles")
        return target


def answer_of(call: Call, status: int, headers: httpx.Headers, body: bytes) -> Answer:
    """The parsed answer. Raises if it is not an object, as when a proxy answers."""
    if status == 204 or call.method == "HEAD":
        return Answer(None, headers, status)
    parsed = _json_or_none(body)
    if not isinstance(parsed, dict):
        kind = headers.get("content-type", "no type")
        raise InvalidAnswerError(f"the answer is not a JSON object but {kind if body else 'empty'}", status=status)
    return Answer(parsed, headers, status)


def rows_in(answer: Answer, name: str = "data") -> list[dict[str, Any]]:
    """The rows of a list. Raises if it has none, not even an empty list."""
    rows = answer.body.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidAnswerError(f"the answer has no list `{name}`", status=answer.status)
    return rows


def announced(headers: httpx.Headers) -> int:
    """The number of rows that an export announces."""
    count = headers.get("x-total-count", "")
    if not (count.isascii() and count.isdigit()):
        raise InvalidAnswerError("the answer does not announce its number of rows, as an export does")
    return int(count)


NDJSON = "application/x-ndjson"
# What exports are sent as, by `format`.
EXPORT_TYPES = {"ndjson": NDJSON, "csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def check_stream(call: Call, kind: str, status: int, headers: httpx.Headers) -> None:
    """Raises unless an export begins here: the body of something else must not be taken for a data set."""
    if status == 304 and "If-None-Match" in call.headers:
        return
    sent = headers.get("content-type", "no type").partition(";")[0].strip().lower()
    if status != 200 or sent != kind:
        raise InvalidAnswerError(f"the answer is not {kind} but {sent} with status {status}", status=status)
    announced(headers)


def _json_or_none(body: bytes) -> Any:
    try:
        return loads(body)
    except (ValueError, RecursionError):
        return None


def retry_after(headers: httpx.Headers) -> float | None:
    """Seconds that `Retry-After` tells, as a number or as a date."""
    told = headers.get("retry-after")
    if told is None:
        return None
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(told)
    except ValueError:
        return None
    now = datetime.datetime.now(datetime.timezone.utc)
    return max(0.0, (when.replace(tzinfo=when.tzinfo or datetime.timezone.utc) - now).total_seconds())


def reason_of(error: httpx.RequestError) -> str:
    """A failure to connect or to read, in one sentence without anything of the request but its host."""
    kinds = {
        httpx.ConnectTimeout: "the server did not accept the connection in time",
        httpx.ConnectError: "the server cannot be reached",
        httpx.TimeoutException: "the server did not answer in time",
        httpx.RemoteProtocolError: "the connection broke off in the middle of an answer",
        httpx.DecodingError: "the answer broke off or is damaged",
    }
    sentence = next((words for kind, words in kinds.items() if isinstance(error, kind)), "the connection broke off")
    try:
        return f"{sentence} ({error.request.url.host})"
    except RuntimeError:
        return sentence
