"""Reads every data set's Parquet file with pandas, polars and DuckDB, and compares each row with the NDJSON export.

The service is at LASTRO_URL; LASTRO_GOLD_KEY is a key for exports. DuckDB reads by address, with ranges.
"""

import datetime
import decimal
import importlib.util
import io
import json
import os
import pathlib
import urllib.request

import duckdb
import pandas
import polars

URL, KEY = os.environ["LASTRO_URL"], os.environ["LASTRO_GOLD_KEY"]
DATASETS = ["companies", "filings", "selic", "cdi", "ipca", "fx", "series"]
DAYS = {"date", "reference_date", "registered_on"}
INSTANTS = {"first_seen_at"}
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def address(dataset):
    return f"{URL}/api/v1/export/{dataset}?format=parquet"


def downloaded(url):
    with OPENER.open(urllib.request.Request(url, headers={"X-API-Key": KEY}), timeout=60) as answer:
        return answer.read()


def told(name, value):
    """A value of the NDJSON export as a reader of Parquet should see it."""
    if name in DAYS and value is not None:
        return datetime.date.fromisoformat(value[:10])
    if name in INSTANTS and value is not None:
        return datetime.datetime.fromisoformat(value)
    return value


def seen(value):
    """A value of a reader as it is compared: no type of the library's own."""
    if isinstance(value, pandas.Timestamp):
        value = value.to_pydatetime()
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC)
    if hasattr(value, "tolist"):
        return value.tolist()
    return None if value is None or value is pandas.NA or value is pandas.NaT else value


def expected(dataset):
    text = downloaded(f"{URL}/api/v1/export/{dataset}").decode()
    rows = (json.loads(line, parse_float=decimal.Decimal, parse_int=exact) for line in text.splitlines())
    return [{name: told(name, value) for name, value in row.items()} for row in rows]


def exact(text):
    return decimal.Decimal(text)


def by_pandas(dataset):
    frame = pandas.read_parquet(io.BytesIO(downloaded(address(dataset))), dtype_backend="pyarrow")
    return frame.to_dict("records")


def by_polars(dataset):
    return polars.read_parquet(io.BytesIO(downloaded(address(dataset)))).to_dicts()


def by_duckdb(dataset):
    database = connected()
    found = database.execute(f"SELECT * FROM read_parquet('{address(dataset)}')")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def connected():
    package = pathlib.Path(importlib.util.find_spec("duckdb_extension_httpfs").origin).parent
    database = duckdb.connect()
    database.load_extension(str(next(package.glob("extensions/*/httpfs.duckdb_extension"))))
    database.execute(f"CREATE SECRET lastro (TYPE http, EXTRA_HTTP_HEADERS MAP {{'X-API-Key': '{KEY}'}})")
    return database


def check(dataset, reader):
    rows, wanted = reader(dataset), expected(dataset)
    assert len(rows) == len(wanted), (dataset, reader.__name__, len(rows), len(wanted))
    for row, want in zip(rows, wanted, strict=True):
        row = {name: seen(value) for name, value in row.items()}
        assert row == want, (dataset, reader.__name__, row, want)
    return len(rows)


for dataset in DATASETS:
    counts = {reader.__name__: check(dataset, reader) for reader in [by_pandas, by_polars, by_duckdb]}
    print(f"{dataset}: {counts}")
few = connected().execute(f"SELECT count(*), max(date) FROM read_parquet('{address('filings')}')").fetchone()
print(f"filings by ranges of their days alone: {few}")
