"""Servers for tests: one that fails on purpose, and one that has changes as the contract describes them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    params: dict[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Reply:
    """An answer; `cut` bytes of it are announced and not sent."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    pause: Callable[[], None] | None = None


def of_json(value: object, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(json.dumps(value).encode(), status, named)


def of_lines(body: bytes, total: int | str | None, cut: int = 0, **headers: str) -> Reply:
    """An export; `total` is what it announces."""
    named = {"Content-Type": "application/x-ndjson", **{name.replace("_", "-"): text for name, text in headers.items()}}
    if total is not None:
        named["X-Total-Count"] = str(total)
    return Reply(body, 200, named, cut)


class StandIn:
    """A server that answers what a function says, and remembers what it was asked."""

    def __init__(self, answer: Callable[[Asked], Reply]) -> None:
        self.asked: list[Asked] = []
        standin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                split = urlsplit(self.path)
                params = {name: values[0] for name, values in parse_qs(split.query).items()}
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, split.path, params, headers, body)
                standin.asked.append(asked)
                self.reply(answer(asked))

            def reply(self, reply: Reply) -> None:
                if reply.pause is not None:
                    reply.pause()
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(reply.body[: len(reply.body) - reply.cut])
                if reply.cut:
                    self.wfile.flush()
                    self.close_connection = True

            do_GET = do_POST = do_HEAD = handle_one  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class Feed:
    """Filings, observations and their changes, by section 18 of the contract: every change has its cursor, an export
    carries the cursor of its moment, and what is older than `oldest` is gone."""

    KEYS: Mapping[str, tuple[str, ...]] = {"filing": ("id",), "observation": ("series", "date"), "fx": ("pair", "date")}
    EXPORTS: Mapping[str, str] = {"filings": "filing", "series": "observation", "fx": "fx"}

    def __init__(self) -> None:
        self.rows: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {kind: {} for kind in self.KEYS}
        self.changes: list[dict[str, Any]] = []
        self.oldest = 0

    def put(self, kind: str, **item: Any) -> None:
        key = tuple(item[name] for name in self.KEYS[kind])
        what = "updated" if key in self.rows[kind] else "created"
        self.rows[kind][key] = item
        self._tell(f"{kind}.{what}", item)

    def remove(self, kind: str, *key: str) -> None:
        del self.rows[kind][key]
        self._tell(f"{kind}.removed", dict(zip(self.KEYS[kind], key, strict=True)))

    def replace(self, source: str) -> None:
        self._tell("source.replaced", {"source": source, "edition": 9, "rows": 1})

    def _tell(self, kind: str, item: dict[str, Any]) -> None:
        cursor = f"c{len(self.changes) + 1}"
        self.changes.append({"cursor": cursor, "type": kind, "at": "2026-11-17T12:00:00Z", "edition": 7, "item": item})

    def answer(self, asked: Asked) -> Reply:
        if asked.path.startswith("/api/v1/export/"):
            return self.export(asked.path.rsplit("/", 1)[1])
        if asked.path == "/api/v1/changes":
            return self.page(asked)
        return of_json({"error": "not_found", "message": "nothing here"}, 404)

    def export(self, dataset: str) -> Reply:
        rows = self.rows[self.EXPORTS[dataset]].values()
        body = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        return of_lines(body, len(rows), X_Changes_Cursor=f"c{len(self.changes)}", ETag='W/"1"')

    def page(self, asked: Asked) -> Reply:
        after = asked.params.get("after")
        if after is None:
            return of_json({"data": [], "next": f"c{len(self.changes)}", "more": False})
        start = self.oldest if after == "oldest" else int(after.removeprefix("c"))
        if start < self.oldest:
            expired = {"error": "cursor_expired", "message": "too old", "oldest": f"c{self.oldest}"}
            return of_json(expired, 410)
        types = asked.params["types"].split(",") if "types" in asked.params else None
        limit = int(asked.params.get("limit", "100"))
        found: list[dict[str, Any]] = []
        place = start
        for change in self.changes[start:]:
            if len(found) == limit:
                break
            place += 1
            if types is None or change["type"] in (*types, "source.replaced"):
                found.append(change)
        return of_json({"data": found, "next": f"c{place}", "more": place < len(self.changes)})
