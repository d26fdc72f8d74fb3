"""A local copy of data sets: one SQLite file each, written in transactions, so that it is whole at any moment.

>>> mirror = Mirror("store/")                                      # doctest: +SKIP
>>> mirror.to_pandas("filings")                                    # doctest: +SKIP
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from lastro import frames, shapes
from lastro.errors import InvalidAnswerError, LastroError
from lastro.record import Record, loads

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

DATASETS = ("companies", "filings", "series", "fx")
_RATES = ("selic", "cdi", "ipca")

# The members that identify a row, and the kinds of changes that concern it.
_KEYS: dict[str, tuple[str, ...]] = {
    "companies": ("id",),
    "filings": ("id",),
    "series": ("series", "date"),
    "fx": ("pair", "date"),
    **dict.fromkeys(_RATES, ("date",)),
}
_KINDS: dict[str, tuple[str, ...]] = {
    "companies": ("company",),
    "filings": ("filing",),
    # Exchange rates are series too, and their changes are told as `fx`.
    "series": ("observation", "fx"),
    "fx": ("fx",),
    **dict.fromkeys(_RATES, ("observation",)),
}

_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (key TEXT PRIMARY KEY, item TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""


@dataclass
class SyncResult:
    """The result of a synchronisation of one data set."""

    dataset: str
    rows: int = 0
    created: int = 0
    updated: int = 0
    removed: int = 0
    # Whether the export was taken: the first time, or because the changes did not reach back far enough.
    exported: bool = False


class DatasetCopy:
    """The copy of one data set, for writing."""

    def __init__(self, directory: Path, dataset: str) -> None:
        if dataset not in _KEYS:
            raise ValueError(f"dataset must be one of {', '.join(_KEYS)}")
        directory.mkdir(parents=True, exist_ok=True)
        self.dataset = dataset
        self._key = _KEYS[dataset]
        self._database = _connect(directory / f"{dataset}.db")
        self._database.executescript(_SCHEMA)
        self._series: set[str] = set()

    def __enter__(self) -> DatasetCopy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    @property
    def cursor(self) -> str | None:
        """The cursor of the changes that are not applied yet."""
        return self._state("cursor")

    @property
    def etag(self) -> str | None:
        """The state of the data that the export was taken from."""
        return self._state("etag")

    @property
    def types(self) -> list[str]:
        """The types of changes that concern it."""
        return [f"{kind}.{what}" for kind in _KINDS[self.dataset] for what in ("created", "updated", "removed")]

    @property
    def series_ids(self) -> str | None:
        """The series that it is about, if it is about one."""
        return self.dataset if self.dataset in _RATES else None

    def count(self) -> int:
        """The number of rows."""
        return int(self._database.execute("SELECT count(*) FROM items").fetchone()[0])

    def replacing(self) -> Replacing:
        """Begins to replace all rows; nothing is changed until `finish`."""
        return Replacing(self)

    def is_replaced_by(self, change: Mapping[str, Any]) -> bool:
        """Whether a change stands for a whole new edition of this data set."""
        if change["type"] != "source.replaced":
            return False
        source = change["item"]["source"]
        if self.dataset == "series":
            return source not in ("companies", "filings", "tickers")
        return bool(source == self.dataset or (self.dataset == "companies" and source == "tickers"))

    def apply(self, changes: Sequence[Record], cursor: str | None, result: SyncResult) -> None:
        """Applies changes and moves the cursor, in one transaction."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            for change in changes:
                self._apply_one(change, result)
            self._keep("cursor", cursor)

    def _apply_one(self, change: Record, result: SyncResult) -> None:
        kind, _, what = str(change.raw["type"]).partition(".")
        if kind not in _KINDS[self.dataset]:
            return
        item = self._own(kind, change.raw["item"])
        if item is None:
            return
        key = key_of(item, self._key)
        held = self._database.execute("SELECT 1 FROM items WHERE key = ?", (key,)).fetchone() is not None
        if what == "removed":
            self._database.execute("DELETE FROM items WHERE key = ?", (key,))
            result.removed += held
            return
        self._database.execute("INSERT OR REPLACE INTO items VALUES (?, ?)", (key, dumps(item)))
        result.updated += held
        result.created += not held

    def _own(self, kind: str, item: Mapping[str, Any]) -> dict[str, Any] | None:
        """The item as this data set has it; `None` if it does not concern it."""
        if self.dataset in _RATES:
            members = {name: value for name, value in item.items() if name != "series"}
            return members if item.get("series") == self.dataset else None
        if self.dataset == "series" and kind == "fx":
            series = str(item["pair"]).lower().replace("/", "-")
            members = {"series": series, "date": item["date"], "value": item.get("sell")}
            return members if self._has_series(series) else None
        return dict(item)

    def _has_series(self, series: str) -> bool:
        """Whether the export has this series: not every server exports pairs of currencies among the series."""
        if series not in self._series:
            query = "SELECT 1 FROM items WHERE key >= ? AND key < ? LIMIT 1"
            if self._database.execute(query, (f"{series}\t", f"{series}\n")).fetchone() is None:
                return False
            self._series.add(series)
        return True

    def _state(self, name: str) -> str | None:
        row = self._database.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def _keep(self, name: str, value: str | None) -> None:
        self._database.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


class Replacing:
    """All rows of a copy being replaced, in one transaction."""

    def __init__(self, copy: DatasetCopy) -> None:
        self._copy = copy
        self._database = copy._database
        self._finished = False

    def __enter__(self) -> Replacing:
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("DELETE FROM items")
        return self

    def put(self, rows: Iterable[tuple[Mapping[str, Any], bytes]]) -> None:
        """Adds rows, each with the line that it was sent as."""
        key = self._copy._key
        items = ((key_of(row, key), line.decode()) for row, line in rows)
        self._database.executemany("INSERT OR REPLACE INTO items VALUES (?, ?)", items)

    def finish(self, cursor: str | None, etag: str | None) -> None:
        """Makes the new rows the copy."""
        self._copy._keep("cursor", cursor)
        self._copy._keep("etag", etag)
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.execute("COMMIT" if self._finished and kind is None else "ROLLBACK")


class Mirror:
    """A local copy that `Lastro.sync` keeps, for reading."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)

    def __repr__(self) -> str:
        return f"Mirror({str(self.directory)!r})"

    def datasets(self) -> list[str]:
        """The data sets that are held."""
        return [name for name in _KEYS if self._holds(name)]

    def rows(self, dataset: str) -> Iterator[Record]:
        """The rows of a data set, by their key."""
        for item in self._raw(dataset):
            yield Record(item)

    def count(self, dataset: str) -> int:
        """The number of rows."""
        with self._open(dataset) as database:
            return int(database.execute("SELECT count(*) FROM items").fetchone()[0])

    def cursor(self, dataset: str) -> str | None:
        """The cursor of the changes that the copy does not have yet."""
        with self._open(dataset) as database:
            row = database.execute("SELECT value FROM state WHERE name = 'cursor'").fetchone()
            return None if row is None else row[0]

    def to_pandas(self, dataset: str, numbers: frames.Numbers = "decimal") -> pd.DataFrame:
        """A data set as a pandas frame."""
        rows, columns = self._raw(dataset), shapes.DATASETS[dataset].columns
        return frames.to_pandas(rows, index=_index(dataset), numbers=numbers, shape=columns)

    def to_polars(self, dataset: str, numbers: frames.Numbers = "decimal") -> pl.DataFrame:
        """A data set as a polars frame."""
        rows, columns = self._raw(dataset), shapes.DATASETS[dataset].columns
        return frames.to_polars(rows, index=_index(dataset), numbers=numbers, shape=columns)

    def _raw(self, dataset: str) -> Iterator[dict[str, Any]]:
        with self._open(dataset) as database:
            for (item,) in database.execute("SELECT item FROM items ORDER BY key"):
                yield loads(item)

    def _open(self, dataset: str) -> _Closing:
        path = self.directory / f"{dataset}.db"
        if not path.exists():
            raise LastroError(f"there is no copy of {dataset} in {self.directory}; Lastro.sync makes it")
        if not self._holds(dataset):
            raise LastroError(f"there is no complete copy of {dataset} in {self.directory} yet; Lastro.sync goes on")
        return _Closing(_connect(path))

    def _holds(self, dataset: str) -> bool:
        """Whether there is a copy that was finished once: a first one that was killed has a file without a state."""
        path = self.directory / f"{dataset}.db"
        if not path.exists():
            return False
        with _Closing(_connect(path)) as database:
            tables = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'state'").fetchone()
            return tables is not None and database.execute("SELECT 1 FROM state").fetchone() is not None


def mirror(directory: str | Path) -> Mirror:
    """The local copy in a directory."""
    return Mirror(directory)


class _Closing:
    """A database that is closed at the end of its block."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> sqlite3.Connection:
        return self._database

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=30.0, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    return database


def _index(dataset: str) -> str | None:
    return "date" if dataset in _RATES else None


def key_of(item: Mapping[str, Any], names: Sequence[str]) -> str:
    """The members that identify a row, as one text that sorts like them."""
    try:
        return "\t".join(str(item[name]) for name in names)
    except KeyError as error:
        raise InvalidAnswerError(f"a row has no member {error}") from None


def dumps(value: Any) -> str:
    """JSON with the digits of its decimals."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(name)}:{dumps(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
