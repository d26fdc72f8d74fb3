# Made by make_sync.py of the file of the same name in `_async`. Do not edit.
"""Sending: waits as told, retries of reads, errors as exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from lastro._sleep import sleep
from lastro._wire import (
    NDJSON,
    Answer,
    Attempts,
    Call,
    Policy,
    Secret,
    announced,
    answer_of,
    check_stream,
    reason_of,
    request_of,
)
from lastro.errors import IncompleteAnswerError


class Transport:
    """The connections to one service."""

    def __init__(
        self,
        url: str,
        secret: Secret,
        policy: Policy,
        timeout: float,
        http: httpx.Client | None = None,
    ) -> None:
        self.url = url
        self.policy = policy
        self._secret = secret
        self._owned = http is None
        self._http = http if http is not None else httpx.Client(timeout=httpx.Timeout(timeout, connect=10.0))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def close(self) -> None:
        if self._owned:
            self._http.close()

    def send(self, call: Call) -> Answer:
        """The answer of a call. Raises the exception of its error."""
        attempts = Attempts(self.policy, call)
        request = request_of(self.url, call)
        while True:
            failure, response = "", None
            try:
                response = self._http.send(request, auth=self._secret, follow_redirects=False)
            except httpx.RequestError as error:
                failure = reason_of(error)
            # Raised and waited for outside of `except`: a traceback of it would show the request with its key.
            if response is None:
                sleep(attempts.after_failure(failure))
                continue
            target = attempts.redirected(request, response.status_code, response.headers)
            if target is not None:
                request.url = target
                request.headers["Host"] = target.netloc.decode()
                continue
            pause = attempts.after_answer(response.status_code, response.headers, response.content)
            if pause is None:
                return answer_of(call, response.status_code, response.headers, response.content)
            sleep(pause)

    @contextmanager
    def stream(self, call: Call, kind: str = NDJSON) -> Iterator[Lines]:
        """An export as it arrives. Retried and waited for until it begins, then no more."""
        response = self._begin(call)
        try:
            check_stream(call, kind, response.status_code, response.headers)
            yield Lines(response)
        finally:
            response.close()

    def _begin(self, call: Call) -> httpx.Response:
        attempts = Attempts(self.policy, call)
        request = request_of(self.url, call)
        while True:
            failure, response = "", None
            try:
                response = self._http.send(request, auth=self._secret, follow_redirects=False, stream=True)
                if response.status_code != 200:
                    response.read()
            except httpx.RequestError as error:
                failure = reason_of(error)
                response = None
            if response is None:
                sleep(attempts.after_failure(failure))
                continue
            target = attempts.redirected(request, response.status_code, response.headers)
            if target is not None:
                request.url = target
                request.headers["Host"] = target.netloc.decode()
                continue
            if response.status_code == 200:
                return response
            pause = attempts.after_answer(response.status_code, response.headers, response.content)
            if pause is None:
                return response
            sleep(pause)


class Lines:
    """The lines of a streamed answer."""

    def __init__(self, response: httpx.Response) -> None:
        self.headers = response.headers
        self.status = response.status_code
        self._response = response

    def chunks(self) -> Iterator[bytes]:
        """The body in pieces. Raises if it breaks off."""
        failure = ""
        try:
            for piece in self._response.iter_bytes(1 << 18):
                yield piece
        except httpx.RequestError as error:
            failure = reason_of(error)
        if failure:
            raise IncompleteAnswerError(failure)

    def lines(self) -> Iterator[bytes]:
        """The lines, all of them: as many as the answer announced."""
        rest, count = b"", 0
        for piece in self.chunks():
            *whole, rest = (rest + piece).split(b"\n")
            count += len(whole)
            for line in whole:
                yield line
        if rest:
            count += 1
            yield rest
        self.check(count)

    def body(self) -> bytes:
        """The whole body, with as many lines as the answer announced."""
        body = b"".join([piece for piece in self.chunks()])
        self.check(body.count(b"\n") + (not body.endswith(b"\n") and body != b""))
        return body

    def check(self, count: int) -> None:
        """Raises if these are not as many lines as the answer announced."""
        if (all_rows := announced(self.headers)) != count:
            raise IncompleteAnswerError(f"{count} rows arrived of {all_rows}")
