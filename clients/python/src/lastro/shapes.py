"""What rows of each kind always have: the columns of a frame without rows, and the members that identify a row.

>>> OBSERVATION.columns["value"], FILING.key
('number', ('id',))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["text", "day", "moment", "number", "count", "flag", "list"]


@dataclass(frozen=True)
class Shape:
    """The members of rows with their kinds, and those that identify one; without a key all of them do."""

    columns: Mapping[str, Kind] = field(default_factory=dict)
    key: tuple[str, ...] = ()


ANY = Shape()
FILING = Shape(
    {
        **dict.fromkeys(("id", "company_id", "company_name", "category"), "text"),
        "date": "moment",
        **dict.fromkeys(("description", "type"), "text"),
        "reference_date": "day",
        "version": "count",
        "url": "text",
        "first_seen_at": "moment",
    },
    ("id",),
)
COMPANY = Shape(
    {
        **dict.fromkeys(("id", "name", "cnpj", "status", "sector", "trading_name"), "text"),
        "registered_on": "day",
        **dict.fromkeys(("tickers", "also_known_as"), "list"),
        "first_seen_at": "moment",
    },
    ("id",),
)
DESCRIPTION = Shape(
    {
        **dict.fromkeys(("id", "name", "name_pt", "topic", "unit", "kind", "frequency"), "text"),
        **dict.fromkeys(("seasonally_adjusted", "revised"), "flag"),
        "source": "text",
        **dict.fromkeys(("first_date", "last_date"), "day"),
        "rows": "count",
        **dict.fromkeys(("stale", "sample"), "flag"),
        "transforms": "list",
    },
    ("id",),
)
OBSERVATION = Shape({"date": "day", "value": "number"}, ("date",))
REVISION = Shape({"date": "day", "old": "number", "new": "number", "changed_at": "moment"})
RATE = Shape({"date": "day", "pair": "text", "buy": "number", "sell": "number"}, ("pair", "date"))
CHANGE = Shape({"cursor": "text", "type": "text", "at": "moment", "edition": "count", "item": "text"})

DATASETS: Mapping[str, Shape] = {
    "companies": COMPANY,
    "filings": FILING,
    "series": Shape({"series": "text", "date": "day", "value": "number"}, ("series", "date")),
    "fx": RATE,
    **dict.fromkeys(("selic", "cdi", "ipca"), OBSERVATION),
}
