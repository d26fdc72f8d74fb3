"""The client against the real service."""

from __future__ import annotations

import asyncio
import datetime
import os
from decimal import Decimal
from pathlib import Path

import pytest

import lastro
from lastro import frames, shapes


def test_observations_are_exact_and_dated(gold: lastro.Lastro) -> None:
    rows = gold.series("ipca").observations(start="2024-01-01", end=datetime.date(2026, 9, 1)).list()
    assert rows[0].date > rows[-1].date == datetime.date(2024, 1, 1)
    assert all(isinstance(row.value, Decimal) for row in rows)
    shown = gold.get("/api/v1/series/ipca/observations", start="2024-01-01", limit=10_000)
    assert [row.raw for row in rows] == shown["data"]


def test_lists_are_fetched_page_by_page(gold: lastro.Lastro) -> None:
    rows = gold.filings.list()
    first = next(iter(rows))
    assert first.id == gold.get("/api/v1/filings", limit=1)["data"][0]["id"]
    ids = [filing.id for filing in rows]
    assert len(ids) == len(set(ids)) == rows.total() == gold.export("filings").total() > 2000
    assert [filing.id for filing in gold.filings.list(limit=1500)] == ids[:1500]
    days = [row.date for row in gold.fx("USD/BRL")]
    assert days == sorted(set(days), reverse=True)


def test_exports_equal_lists(gold: lastro.Lastro) -> None:
    exported = {row["id"]: row for row in gold.export("companies")}
    listed = {row["id"]: row for row in gold.companies()}
    assert exported == listed


def test_an_export_is_saved_whole(gold: lastro.Lastro, tmp_path: Path) -> None:
    size = gold.export("companies").save(tmp_path / "companies.ndjson")
    lines = (tmp_path / "companies.ndjson").read_bytes()
    assert len(lines) == size and lines.count(b"\n") == gold.export("companies").total()
    assert [path.name for path in tmp_path.iterdir()] == ["companies.ndjson"]


def test_companies_and_filings_are_found(gold: lastro.Lastro) -> None:
    company = gold.companies.search("energia", limit=1).list()[0]
    assert gold.companies.get(company.id) == company
    filing = gold.companies.filings(company.id, limit=1).first()
    assert filing is not None and filing.company_id == company.id
    assert gold.filings.get(filing.id) == filing
    assert isinstance(filing.date, datetime.datetime)
    assert gold.filings.recent(3).list()[0].id == gold.filings.list(limit=1).list()[0].id
    assert gold.search("energia").companies[0].id


def test_calculations_have_their_receipt(gold: lastro.Lastro) -> None:
    corrected = gold.calc.correction("ipca", start="2026-01", end=datetime.date(2026, 6, 1), amount=Decimal("1000.10"))
    assert (corrected.start, corrected.end, corrected.amount) == ("2026-01", "2026-06", Decimal("1000.10"))
    factor = Decimal(1)
    for step in corrected.receipt:
        factor *= 1 + step.value / 100
    assert round(factor, 8) == corrected.factor
    accumulated = gold.calc.accumulation("cdi", "2026-01-02", "2026-06-30", amount=1000, rate_percent=110.5)
    assert accumulated.rate_percent == Decimal("110.5") and isinstance(accumulated.start, datetime.date)
    assert gold.calc.legal_interest("2026-02-01", "2026-03-01", 1).convention == "law-14905"


def test_the_calendar_counts(gold: lastro.Lastro) -> None:
    assert gold.calendar.business_days("2026-01-01", "2026-12-31").count == 248
    assert gold.calendar.shift("2026-11-20", 1).date == datetime.date(2026, 11, 23)
    assert gold.calendar.day(datetime.date(2026, 11, 20)).holiday.name == "Black Consciousness Day"
    assert len(gold.calendar.holidays(2026)) > 10


def test_errors_have_the_service_s_words(gold: lastro.Lastro, url: str) -> None:
    with pytest.raises(lastro.NotFoundError, match="registry code") as caught:
        gold.companies.get("7")
    assert caught.value.status == 404 and caught.value.request_id
    with pytest.raises(lastro.BadRequestError, match="units"):
        gold.series("ipca").observations(units="yoy").list()
    with lastro.Lastro(url=url) as anonymous, pytest.raises(lastro.UpgradeRequired) as prompt:
        anonymous.filings.list().list()
    assert (prompt.value.code, prompt.value.required_plan) == ("upgrade_required", "gold")
    with lastro.Lastro("no key", url) as stranger, pytest.raises(lastro.UnauthorizedError):
        stranger.overview()


def test_settings_come_from_the_environment(url: str, gold_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LASTRO_API_KEY", gold_key)
    monkeypatch.setenv("LASTRO_URL", url + "/")
    with lastro.Lastro() as client:
        assert client.key().plan == "gold"
        assert client.usage().plan == "gold"
        assert client.health().status == "ok"


def test_a_used_up_quota_is_waited_for(url: str, quick: list[float]) -> None:
    with lastro.Lastro(os.environ["LASTRO_SCARCE_KEY"], url, max_wait=1.0) as client:
        with pytest.raises(lastro.RateLimitedError) as caught:
            for _ in range(4):
                client.overview()
        assert caught.value.retry_after is not None and 1 < caught.value.retry_after <= 60
    assert quick == []


def test_pandas_frames_have_dates_and_exact_numbers(gold: lastro.Lastro) -> None:
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = gold.series("ipca", start="2025-01-01").to_pandas()
    assert isinstance(frame.index, pd.DatetimeIndex) and frame.index.is_monotonic_increasing
    assert pa.types.is_decimal(frame["value"].dtype.pyarrow_dtype)
    exact = {row.date: row.value for row in gold.series("ipca", start="2025-01-01")}
    assert {day.date(): value for day, value in frame["value"].items()} == exact
    floats = gold.series("ipca", start="2025-01-01").to_pandas(numbers="float")
    assert floats["value"].dtype == "float64"
    filings = gold.filings.list(limit=50).to_pandas()
    assert str(filings["date"].dtype) == "datetime64[us, Etc/GMT+3]"
    assert (filings["date"].dt.hour == 0).all() and filings["version"].dtype == "int64"


def test_the_service_s_rows_have_the_columns_that_empty_frames_have(gold: lastro.Lastro) -> None:
    observations = gold.series("ipca").observations(limit=1)
    for rows in (gold.filings(limit=9), gold.companies(), gold.series.list(), gold.fx(limit=9), observations):
        assert list(rows.list()[0]) == list(rows.shape.columns)
    for dataset, shape in shapes.DATASETS.items():
        shown = gold.export(dataset)
        assert list(next(iter(shown))) == list(shape.columns)
        frame, empty = shown.to_pandas(), frames.to_pandas([], index=shown.index, shape=shape.columns)
        kinds = {name: str(kind) for name, kind in frame.dtypes.items() if "decimal" not in str(kind)}
        assert kinds == {name: str(kind) for name, kind in empty.dtypes.items() if "decimal" not in str(kind)}
    ours = list(gold.changes(after="oldest").page()[0][0])
    assert ours == list(shapes.CHANGE.columns)


def test_polars_frames_have_dates_and_exact_numbers(gold: lastro.Lastro) -> None:
    pl = pytest.importorskip("polars")
    frame = gold.fx("USD/BRL", start="2026-10-01").to_polars()
    assert frame.schema["date"] == pl.Date and frame.schema["sell"].is_decimal()
    assert frame["date"].is_sorted()
    assert gold.fx("USD/BRL", start="2026-10-01").to_polars(numbers="float").schema["buy"] == pl.Float64
    assert gold.filings.list(limit=5).to_polars().schema["date"] == pl.Datetime("us", "Etc/GMT+3")


def test_frames_of_exports_equal_those_of_their_rows(gold: lastro.Lastro) -> None:
    pd = pytest.importorskip("pandas")
    for dataset in ("filings", "companies", "fx", "series", "selic"):
        export = gold.export(dataset)
        rows = [row.raw for row in export]
        pd.testing.assert_frame_equal(export.to_pandas(), frames.to_pandas(rows, index=export.index))
        polars = frames.to_polars(rows, index=export.index)
        assert export.to_polars().equals(polars) and export.to_polars().schema == polars.schema
        mirrored = frames.to_pandas(rows, index=export.index, numbers="float")
        pd.testing.assert_frame_equal(export.to_pandas(numbers="float"), mirrored)


def test_the_awaited_client_gives_the_same(gold: lastro.Lastro, url: str, gold_key: str) -> None:
    async def awaited() -> list[object]:
        async with lastro.AsyncLastro(gold_key, url) as client:
            rows = [row async for row in client.series("ipca").observations(limit=5)]
            filings = await client.filings.list(limit=1200).list()
            frame = await client.fx(start="2026-10-01").to_pandas()
            corrected = await client.calc.correction("ipca", "2026-01", "2026-06", 1000)
            exported = [row async for row in client.export("companies")]
            return [rows, filings, frame.to_dict(), corrected, exported]

    assert asyncio.run(awaited()) == [
        gold.series("ipca").observations(limit=5).list(),
        gold.filings.list(limit=1200).list(),
        gold.fx(start="2026-10-01").to_pandas().to_dict(),
        gold.calc.correction("ipca", "2026-01", "2026-06", 1000),
        list(gold.export("companies")),
    ]


def test_a_copy_equals_the_export(gold: lastro.Lastro, tmp_path: Path) -> None:
    datasets = ["companies", "filings", "series", "fx", "selic"]
    results = gold.sync(tmp_path, datasets=datasets)
    mirror = lastro.Mirror(tmp_path)
    for dataset in datasets:
        exported = sorted(str(dict(row.raw)) for row in gold.export(dataset))
        assert sorted(str(dict(row.raw)) for row in mirror.rows(dataset)) == exported
        assert results[dataset].exported and results[dataset].rows == len(exported) == mirror.count(dataset)
    again = gold.sync(tmp_path, datasets=datasets)
    assert not any(result.exported for result in again.values())
    assert mirror.to_pandas("selic").index.name == "date"
