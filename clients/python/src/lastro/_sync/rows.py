# Made by make_sync.py of the file of the same name in `_async`. Do not edit.
"""Lists that are fetched page by page while they are read."""

from __future__ import annotations

from collections.abc import Iterator, Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lastro import frames, shapes
from lastro._sync.transport import Transport
from lastro._wire import EXPORT_TYPES, NDJSON, Call, announced, params, rows_in
from lastro.errors import IncompleteAnswerError, InvalidAnswerError
from lastro.record import Record, records_of, row_of, rows_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

# `list` is a method below.
Members = list[dict[str, Any]]
Records = list[Record]
Columns = Mapping[str, shapes.Kind]
_T = TypeVar("_T")

# The most rows that the API gives in one answer.
LIST_PAGE = 1000
SERIES_PAGE = 10_000
# How often a list is read from its beginning, because the data changed between two of its pages, until it is an error.
_READINGS = 6
_CHANGING = f"the data changed {_READINGS} times while it was read"


@dataclass(frozen=True)
class Page:
    """One answer of a list."""

    rows: Members
    members: Mapping[str, Any]
    etag: str | None


@dataclass(frozen=True, repr=False)
class Rows:
    """Rows of a list, fetched lazily: iterate over them, or take them all as a list or a frame.

    A frame or list is never mixed from two states of the data: if new data arrives between two pages, it is read
    again. Iterating then goes on with the rows of the new state that were not given yet: none twice, none left out.
    """

    transport: Transport
    call: Call
    page_size: int = LIST_PAGE
    # The most rows to give; `None` for all.
    limit: int | None = None
    # The column that frames are indexed by.
    index: str | None = None
    # Whether every member but the date is a decimal.
    every_number: bool = False
    numbers: frames.Numbers = "decimal"
    # How the next page is asked for: by `offset`, by an earlier day, or not at all.
    paging: str = "offset"
    start_at: int = field(default=0)
    # What its rows have.
    shape: shapes.Shape = shapes.ANY

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.call.path} {dict(self.call.params)}>"

    def pages(self) -> Iterator[Page]:
        """The answers of the API, one after the other."""
        given, extra = 0, dict(self.call.params)
        while True:
            wanted = self.page_size if self.limit is None else min(self.page_size, self.limit - given)
            if wanted <= 0:
                return
            if self.paging != "none":
                extra["limit"] = str(wanted)
            if self.paging == "offset":
                extra["offset"] = str(self.start_at + given)
            answer = self.transport.send(replace(self.call, params=extra))
            rows = rows_in(answer)
            yield Page(rows, answer.body, answer.etag)
            given += len(rows)
            if self.paging == "none" or len(rows) < wanted:
                return
            if self.paging == "day":
                extra["to"] = (date.fromisoformat(rows[-1]["date"]) - timedelta(days=1)).isoformat()
                if "from" in extra and extra["to"] < extra["from"]:
                    return

    def __iter__(self) -> Iterator[Record]:
        given: set[Hashable] = set()
        count = 0
        for _ in range(_READINGS):
            earlier, tags = frozenset(given), set()
            for page in self.pages():
                tags.add(page.etag)
                if len(tags) > 1:
                    break
                for row in page.rows:
                    identity = self._identity(row)
                    if identity in earlier:
                        continue
                    if count == self.limit:
                        return
                    given.add(identity)
                    count += 1
                    yield Record(row, every_number=self.every_number)
            else:
                return
        raise IncompleteAnswerError(_CHANGING)

    def _identity(self, row: Mapping[str, Any]) -> Hashable:
        """What tells a row from the others of its list, in any state of the data."""
        names = self.shape.key
        return tuple(row.get(name) for name in names) if names else repr(row)

    def answer(self) -> Record:
        """The members beside the rows, such as `unit` and `total`."""
        first = replace(self, limit=1)
        for page in first.pages():
            return Record({name: value for name, value in page.members.items() if name != "data"})
        return Record({})

    def total(self) -> int:
        """The number of rows in all."""
        members = self.answer()
        return int(members["total"]) if "total" in members else len((self._all())[0])

    def first(self) -> Record | None:
        """The first row, if there is any."""
        for row in replace(self, limit=1):
            return row
        return None

    def list(self) -> Records:
        """All rows."""
        return records_of((self._all())[0], every_number=self.every_number)

    def to_pandas(self, numbers: frames.Numbers | None = None) -> pd.DataFrame:
        """All rows as a pandas frame. `numbers="float"` gives floats instead of exact decimals."""
        rows, columns = self._all()
        return frames.to_pandas(
            rows,
            index=self.index,
            numbers=numbers or self.numbers,
            every_number=self.every_number,
            shape=columns,
        )

    def to_polars(self, numbers: frames.Numbers | None = None) -> pl.DataFrame:
        """All rows as a polars frame. `numbers="float"` gives floats instead of exact decimals."""
        rows, columns = self._all()
        return frames.to_polars(
            rows,
            index=self.index,
            numbers=numbers or self.numbers,
            every_number=self.every_number,
            shape=columns,
        )

    def _all(self) -> tuple[Members, Columns]:
        """All rows of one state of the data, and the columns that they always have."""
        for _ in range(_READINGS):
            rows: Members = []
            tags: set[str | None] = set()
            columns = self.shape.columns
            for page in self.pages():
                tags.add(page.etag)
                if len(tags) > 1:
                    break
                rows.extend(page.rows)
                if self.every_number:
                    columns = {"date": "day", **dict.fromkeys(page.members.get("series", ()), "number")}
            else:
                return rows, columns
        raise IncompleteAnswerError(_CHANGING)


@dataclass(frozen=True, repr=False)
class Export:
    """A whole data set, streamed from one state of the data.

    Iterating raises `IncompleteAnswerError` if the stream breaks off; frames and lists are then fetched again.
    """

    transport: Transport
    call: Call
    index: str | None = None
    numbers: frames.Numbers = "decimal"
    shape: shapes.Shape = shapes.ANY

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.call.path} {dict(self.call.params)}>"

    def __iter__(self) -> Iterator[Record]:
        for row in self.raw():
            yield Record(row)

    def raw(self) -> Iterator[dict[str, Any]]:
        """The rows as they were sent."""
        with self.transport.stream(self.call) as answer:
            for line in answer.lines():
                yield row_of(line)

    def total(self) -> int:
        """The number of rows, without fetching them."""
        answer = self.transport.send(replace(self.call, method="HEAD"))
        return announced(answer.headers)

    def cursor(self) -> str | None:
        """The cursor of the changes after this export, without fetching it."""
        answer = self.transport.send(replace(self.call, method="HEAD"))
        cursor: str | None = answer.headers.get("x-changes-cursor")
        return cursor

    def list(self) -> Records:
        """All rows."""
        return records_of(rows_of(self._body()))

    def save(self, path: str | Path) -> int:
        """Writes the export to a file, which exists only once it is whole. Returns the number of bytes.

        Also for those that are no lines: `client.export("filings", format="parquet").save("filings.parquet")`.
        """
        path = Path(path)
        draft = path.with_name(path.name + ".part")
        try:
            size = self._again(lambda: self._write(draft))
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        return size

    def _write(self, draft: Path) -> int:
        """Writes the export to a file, with as many lines as the answer announced."""
        size, count, last = 0, 0, b"\n"
        kind = EXPORT_TYPES.get(self.call.params.get("format", "ndjson"), NDJSON)
        with draft.open("wb") as file:
            with self.transport.stream(self.call, kind) as answer:
                for piece in answer.chunks():
                    size += file.write(piece)
                    count += piece.count(b"\n")
                    last = piece[-1:] or last
        # A cell of CSV may have several lines, and a Parquet file has none.
        if kind == NDJSON:
            answer.check(count + (last != b"\n"))
        return size

    def to_pandas(self, numbers: frames.Numbers | None = None) -> pd.DataFrame:
        """All rows as a pandas frame."""
        body, columns = self._body(), self.shape.columns
        return frames.pandas_of_lines(body, index=self.index, numbers=numbers or self.numbers, shape=columns)

    def to_polars(self, numbers: frames.Numbers | None = None) -> pl.DataFrame:
        """All rows as a polars frame."""
        body, columns = self._body(), self.shape.columns
        return frames.polars_of_lines(body, index=self.index, numbers=numbers or self.numbers, shape=columns)

    def _body(self) -> bytes:
        return self._again(self._body_once)

    def _body_once(self) -> bytes:
        with self.transport.stream(self.call) as answer:
            return answer.body()

    def _again(self, attempt: Callable[[], _T]) -> _T:
        """Fetches the export, again if it breaks off."""
        for _ in range(self.transport.policy.retries):
            try:
                return attempt()
            except IncompleteAnswerError:
                continue
        return attempt()


class Changes:
    """Changes of the data after a cursor, oldest first. `cursor` is where to go on after the last one given.

    Iteration ends when there are no more; with `follow=True` it waits for the next ones, forever.
    """

    def __init__(
        self,
        transport: Transport,
        call: Call,
        *,
        wait: int = 0,
        follow: bool = False,
    ) -> None:
        self._transport = transport
        self._call = call
        self._wait = wait
        self._follow = follow
        self.cursor: str | None = call.params.get("after")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} after {self.cursor}>"

    def page(self) -> tuple[Records, bool]:
        """The next changes, and whether there are more of them at once. Moves `cursor` behind them."""
        extra = dict(self._call.params)
        if self.cursor is not None:
            extra.update(params(after=self.cursor))
        wait = 25 if self._follow else self._wait
        if wait:
            extra["wait"] = str(wait)
        answer = self._transport.send(replace(self._call, params=extra))
        rows, cursor = rows_in(answer), answer.body.get("next")
        if not isinstance(cursor, str) or not all("type" in row and "item" in row for row in rows):
            raise InvalidAnswerError("the answer is not a page of changes", status=answer.status)
        self.cursor = cursor
        return records_of(rows), bool(answer.body.get("more"))

    def __iter__(self) -> Iterator[Record]:
        while True:
            before = self.cursor
            rows, more = self.page()
            after = self.cursor
            for row in rows:
                # Who stops reading here goes on behind this row.
                self.cursor = row.raw.get("cursor", before)
                yield row
            self.cursor = after
            if not more and not self._follow:
                return

    def list(self) -> Records:
        """All changes there are now."""
        return [row for row in self]

    def to_pandas(self, numbers: frames.Numbers = "decimal") -> pd.DataFrame:
        """All changes there are now as a pandas frame; their items are JSON texts."""
        rows = [row.raw for row in self.list()]
        return frames.to_pandas(rows, index=None, numbers=numbers, shape=shapes.CHANGE.columns)

    def to_polars(self, numbers: frames.Numbers = "decimal") -> pl.DataFrame:
        """All changes there are now as a polars frame; their items are JSON texts."""
        rows = [row.raw for row in self.list()]
        return frames.to_polars(rows, index=None, numbers=numbers, shape=shapes.CHANGE.columns)
