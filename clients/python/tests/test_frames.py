"""Frames of rows that a test says: no service is needed."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from standin import Asked, Reply, StandIn, of_json, of_lines

import lastro
from lastro import frames, shapes

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

FIXED = "datetime64[us, Etc/GMT+3]"


def filing(number: int, **other: Any) -> dict[str, Any]:
    members: dict[str, Any] = dict.fromkeys(shapes.FILING.columns, "x")
    days = {"date": "2024-01-02T00:00:00-03:00", "reference_date": "2024-01-01"}
    return {**members, "id": str(number), **days, "version": 1, "first_seen_at": None, **other}


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_the_midnights_of_past_summers_stay_midnights() -> None:
    # Clocks were an hour ahead in Brasília on these days; the regulator's days are not.
    summers = ["2009-01-02", "2017-12-29", "2018-11-05", "2019-02-15", "2026-01-02"]
    rows = [filing(number, date=f"{day}T00:00:00-03:00") for number, day in enumerate(summers)]
    made = [frames.to_pandas(rows, index=None), frames.pandas_of_lines(lines(*rows), index=None)]
    for frame in made:
        assert [str(moment)[:16] for moment in frame["date"]] == [f"{day} 00:00" for day in summers]
        assert str(frame["date"].dtype) == FIXED
    for frame in (frames.to_polars(rows, index=None), frames.polars_of_lines(lines(*rows), index=None)):
        assert frame["date"].dt.strftime("%Y-%m-%d %H:%M").to_list() == [f"{day} 00:00" for day in summers]


@pytest.mark.parametrize("name", ["value", "buy"])
def test_whole_numbers_of_an_export_are_decimals_or_floats(name: str) -> None:
    rows = [{"series": "reserves", "date": f"2024-01-0{day}", name: 350_000 + day} for day in (1, 2)]
    with StandIn(lambda _: of_lines(lines(*rows), 2)) as server:
        export = lastro.Lastro(url=server.url).export("series", id="reserves")
        exact, floats = export.to_pandas()[name], export.to_pandas(numbers="float")[name]
        assert list(exact) == [Decimal(350_001), Decimal(350_002)]
        assert all(isinstance(value, Decimal) for value in exact) and floats.dtype == "float64"
        assert export.to_polars().schema[name].is_decimal()
        assert export.to_polars(numbers="float").schema[name] == pl.Float64


def test_columns_of_nulls_have_the_type_of_their_name() -> None:
    rows = [filing(number, withdrawn_at=None, reference_date=None) for number in range(3)]
    for frame in (frames.to_pandas(rows, index=None), frames.pandas_of_lines(lines(*rows), index=None)):
        assert str(frame["first_seen_at"].dtype) == str(frame["withdrawn_at"].dtype) == FIXED
        assert str(frame["reference_date"].dtype) == "datetime64[us]" and frame["first_seen_at"].isna().all()
    for frame in (frames.to_polars(rows, index=None), frames.polars_of_lines(lines(*rows), index=None)):
        assert frame.schema["first_seen_at"] == frame.schema["withdrawn_at"] == pl.Datetime("us", "Etc/GMT+3")
        assert frame.schema["reference_date"] == pl.Date


def nothing(asked: Asked) -> Reply:
    """An answer without rows, of any endpoint."""
    if "export" in asked.path:
        return of_lines(b"", 0)
    return of_json({"series": ["ipca", "usd-brl"], "data": [], "total": 0, "next": "c1", "more": False})


def test_frames_without_rows_have_columns_and_an_index() -> None:
    with StandIn(nothing) as server:
        client = lastro.Lastro(url=server.url)
        dated: dict[str, list[Any]] = {
            "value": [client.series("ipca"), client.export("selic")],
            "sell": [client.fx("USD/BRL")],
            "usd-brl": [client.series(["ipca", "usd-brl"])],
        }
        for name, all_rows in dated.items():
            for rows in all_rows:
                frame = rows.to_pandas()
                assert isinstance(frame.index, pd.DatetimeIndex) and frame.index.name == "date" and name in frame
                assert rows.to_pandas(numbers="float")[name].dtype == "float64"
                assert rows.to_polars().schema["date"] == pl.Date and rows.to_polars().schema[name].is_decimal()
        lists: list[Any] = [client.filings(), client.filings.search("x"), client.companies.filings(7)]
        for rows in (*lists, client.filings.recent(), client.export("filings")):
            frame = rows.to_pandas()
            assert list(frame.columns) == list(shapes.FILING.columns) == rows.to_polars().columns
            assert str(frame["date"].dtype) == str(frame["first_seen_at"].dtype) == FIXED
            assert frame["version"].dtype == "int64"
        for rows in (client.companies(), client.companies.search("x"), client.export("companies")):
            assert list(rows.to_pandas().columns) == list(shapes.COMPANY.columns)
        assert str(client.changes("c0").to_pandas()["at"].dtype) == FIXED
        assert client.series.list().to_pandas()["stale"].dtype == "bool"
        assert list(client.export("series").to_pandas().columns) == ["series", "date", "value"]


def test_the_kind_of_a_row_is_also_that_of_a_frame_with_rows() -> None:
    rows = [filing(1, first_seen_at="2026-01-02T03:04:05Z")]
    empty = frames.to_pandas([], index=None, shape=shapes.FILING.columns)
    full = frames.to_pandas(rows, index=None, shape=shapes.FILING.columns)
    assert list(empty.dtypes) == list(full.dtypes) and list(empty.columns) == list(full.columns)
    assert (
        frames.to_polars([], index=None, shape=shapes.FILING.columns).schema
        == frames.to_polars(rows, index=None).schema
    )
