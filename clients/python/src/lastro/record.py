"""Rows and answers: the members of the API as attributes, numbers as `Decimal`, days as `date`.

>>> row = Record({"date": "2026-09-01", "value": 15})
>>> row.date, row.value, row["value"]
(datetime.date(2026, 9, 1), Decimal('15'), Decimal('15'))
>>> Record({"from": "2015-01", "to": "2026-09"}).start
'2015-01'
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, cast

from lastro.errors import InvalidAnswerError

# Members that are decimals also where they happen to be whole; all other whole numbers are counts and codes.
DECIMALS = frozenset(
    {
        *("value", "buy", "sell", "old", "new", "difference", "tolerance", "fraction_252", "price"),
        *("amount", "factor", "percent", "result", "rate_percent", "wage", "wages", "divisor"),
        *("corrected", "correction_factor", "interest", "interest_percent", "monthly_percent"),
        *("subtotal", "fine", "fees", "fine_percent", "fees_percent", "interest_total"),
    }
)
DAYS = frozenset(
    {
        *("date", "from", "to", "base", "as_of", "first_date", "last_date", "newest_date"),
        *("reference_date", "registered_on", "previous_business_day", "next_business_day"),
    }
)
# `from` is a word of Python's own.
ALIASES = {"start": "from", "end": "to"}


# One for all: to make one takes longer than to parse a row.
_DECODER = json.JSONDecoder(parse_float=Decimal)


def loads(text: str | bytes) -> Any:
    """Parses JSON with exact numbers."""
    return _DECODER.decode(text if isinstance(text, str) else text.decode())


def row_of(line: bytes) -> dict[str, Any]:
    """Parses one line, which is an object."""
    try:
        row = loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InvalidAnswerError("a line of the answer is not a JSON object")
    return row


def rows_of(lines: bytes) -> list[dict[str, Any]]:
    """Parses objects, one a line."""
    try:
        rows = loads(b"[" + lines.rstrip(b"\n").replace(b"\n", b",") + b"]")
    except (ValueError, RecursionError):
        rows = [None]
    if not all(isinstance(row, dict) for row in rows):
        raise InvalidAnswerError("a line of the answer is not a JSON object")
    return cast(list[dict[str, Any]], rows)


def moment(text: str) -> datetime.date | datetime.datetime | str:
    """A day or an instant; the text itself if it is neither, such as a month."""
    try:
        if len(text) == 10:
            return datetime.date.fromisoformat(text)
        if len(text) > 10:
            return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        pass
    return text


def is_instant(name: str) -> bool:
    """Whether members of this name are instants."""
    return name == "at" or name.endswith("_at")


def is_moment(name: str) -> bool:
    """Whether members of this name are days or instants."""
    return name in DAYS or is_instant(name) or name.endswith("_date")


def convert(name: str, value: Any, *, every_number: bool = False) -> Any:
    """A member's value as Python has it."""
    if isinstance(value, str):
        return moment(value) if is_moment(name) else value
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return Decimal(value) if every_number or name in DECIMALS else value
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [convert(name, item) for item in value]
    return value


class Record(Mapping[str, Any]):
    """One row or answer. Members are attributes and items; `from` and `to` are `start` and `end`."""

    __slots__ = ("_every_number", "_members")

    def __init__(self, members: Mapping[str, Any], *, every_number: bool = False) -> None:
        self._members = members
        self._every_number = every_number

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name if name in self._members else ALIASES.get(name, name)]
        except KeyError:
            known = ", ".join(self._members)
            raise AttributeError(f"there is no member {name!r}; there are {known}") from None

    def __getitem__(self, name: str) -> Any:
        return convert(name, self._members[name], every_number=self._every_number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._members]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Record):
            return dict(self) == dict(other)
        return dict(self) == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        members = ", ".join(f"{name}={value!r}" for name, value in self.items())
        return f"Record({members})"

    def to_dict(self) -> dict[str, Any]:
        """The members as a plain dictionary, nested ones too."""
        return {name: _plain(value) for name, value in self.items()}

    @property
    def raw(self) -> Mapping[str, Any]:
        """The members as they were sent, days as texts."""
        return self._members


def records_of(rows: list[dict[str, Any]], *, every_number: bool = False) -> list[Record]:
    """Rows as records."""
    return [Record(row, every_number=every_number) for row in rows]


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, list) else value
