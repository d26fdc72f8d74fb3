"""FastAPI over SQLite for the same questions: `BENCH_DATABASE=… uvicorn server:app`.

It declares return types, as FastAPI advises: pydantic writes the JSON in Rust. The functions are `async` and query
SQLite directly: with one worker on one core, passing every question to a thread only adds work.
"""

import os
import sqlite3
from typing import Annotated, Optional

from fastapi import FastAPI, HTTPException, Query
from pydantic import BaseModel

database = sqlite3.connect(f"file:{os.environ['BENCH_DATABASE']}?mode=ro&immutable=1", uri=True, cached_statements=64, check_same_thread=False)
database.row_factory = sqlite3.Row
database.execute("PRAGMA mmap_size = 4294967296")
database.execute("PRAGMA cache_size = -65536")

FILING = """CAST(f.id AS TEXT) AS id, f.company_id, f.company_name, f.category, f.date, f.description, f.type, f.reference_date,
    f.version, f.url"""
BY_DAYS = "f.date BETWEEN :from AND :to || 'T23:59:59'"
BY_CATEGORY = f"f.category = :category AND {BY_DAYS}"
ORDER = "ORDER BY f.date DESC, f.id DESC"
SEARCH_TOTAL = "SELECT COUNT(*) FROM filing_words WHERE filing_words MATCH :q"
SEARCH_PAGE = f"""SELECT {FILING} FROM filing_words JOIN filing f ON f.id = filing_words.rowid
    WHERE filing_words MATCH :q ORDER BY rank LIMIT :limit OFFSET :offset"""


class RatePoint(BaseModel):
    date: str
    value: float


class RatePoints(BaseModel):
    data: list[RatePoint]


class Company(BaseModel):
    id: str
    name: str
    cnpj: str
    status: str
    sector: Optional[str]
    trading_name: Optional[str]
    registered_on: Optional[str]


class Filing(BaseModel):
    id: str
    company_id: str
    company_name: str
    category: str
    date: str
    description: str
    type: Optional[str]
    reference_date: Optional[str]
    version: int
    url: str


class FilingPage(BaseModel):
    data: list[Filing]
    total: int
    limit: int
    offset: int


app = FastAPI()

# `from` is a keyword of Python.
From = Annotated[str, Query(alias="from")]


@app.get("/api/v1/market/selic/current")
async def current() -> RatePoint:
    return RatePoint(**database.execute("SELECT date, value FROM selic ORDER BY date DESC LIMIT 1").fetchone())


@app.get("/api/v1/market/selic")
async def series(from_: From = "0000-01-01", to: str = "9999-12-31", limit: int = 20) -> RatePoints:
    asked = "SELECT date, value FROM selic WHERE date BETWEEN ? AND ? ORDER BY date DESC LIMIT ?"
    return RatePoints(data=[RatePoint(**row) for row in database.execute(asked, (from_, to, limit))])


@app.get("/api/v1/companies/{id}")
async def company(id: str) -> Company:
    row = database.execute("SELECT * FROM company WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise HTTPException(status_code=404)
    return Company(**row)


@app.get("/api/v1/filings")
async def filings(category: Optional[str] = None, from_: From = "0000-01-01", to: str = "9999-12-31", limit: int = 20, offset: int = 0) -> FilingPage:
    where = BY_DAYS if category is None else BY_CATEGORY
    asked = {"category": category, "from": from_, "to": to, "limit": limit, "offset": offset}
    # The inner query skips to the page within the index, without reading the skipped rows.
    ids = f"SELECT f.id FROM filing f WHERE {where} {ORDER} LIMIT :limit OFFSET :offset"
    return page(f"SELECT COUNT(*) FROM filing f WHERE {where}", f"SELECT {FILING} FROM filing f JOIN ({ids}) USING (id) {ORDER}", asked)


@app.get("/api/v1/filings/search")
async def search(q: str, limit: int = 20, offset: int = 0) -> FilingPage:
    # In quotes it is one word, with any characters.
    quoted = '"{}"'.format(q.replace('"', '""'))
    return page(SEARCH_TOTAL, SEARCH_PAGE, {"q": quoted, "limit": limit, "offset": offset})


def page(count: str, select: str, asked: dict) -> FilingPage:
    (total,) = database.execute(count, asked).fetchone()
    rows = [Filing(**row) for row in database.execute(select, asked)]
    return FilingPage(data=rows, total=total, limit=asked["limit"], offset=asked["offset"])
