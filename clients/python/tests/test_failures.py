"""The client against a server that fails on purpose."""

from __future__ import annotations

import asyncio
import datetime
import json
import time
import traceback
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from standin import Asked, Reply, StandIn, of_json, of_lines

import lastro

OVERVIEW = {"selic": {"date": "2026-10-30", "value": 15}}
KEY = "lastro_Ex4mp1e0_NotARealKeyOnlyAnExampleForDocs01tsHVd"
# Looked for in locals, and so not one of them.
SECRET = KEY.rsplit("_", 1)[1]


def scripted(*replies: Reply) -> Callable[[Asked], Reply]:
    """One reply after the other, the last one forever."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def limited(seconds: str) -> Reply:
    return of_json({"error": "rate_limited", "message": "wait"}, 429, Retry_After=seconds)


def test_429_and_503_are_waited_for_as_told(quick: list[float]) -> None:
    busy = of_json({"error": "unavailable", "message": "busy"}, 503, Retry_After="5")
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=30)
    by_date = limited(soon.strftime("%a, %d %b %Y %H:%M:%S GMT"))
    with StandIn(scripted(limited("7"), busy, limited("0"), by_date, of_json(OVERVIEW))) as server:
        assert lastro.Lastro(url=server.url).overview().selic.value == 15
    assert quick[:3] == [7.0, 5.0, 0.5] and 25 < quick[3] <= 30


def test_waits_end_at_their_limit(quick: list[float]) -> None:
    with StandIn(scripted(limited("20"))) as server:
        with pytest.raises(lastro.RateLimitedError) as caught:
            lastro.Lastro(url=server.url, max_wait=45).overview()
        assert caught.value.retry_after == 20 and sum(quick) == 40
        with pytest.raises(lastro.RateLimitedError):
            lastro.Lastro(url=server.url, max_wait=19).overview()
    assert sum(quick) == 40


def test_cut_bodies_are_read_again(quick: list[float]) -> None:
    whole = of_json(OVERVIEW)
    cut = Reply(whole.body, cut=10)
    with StandIn(scripted(cut, cut, whole)) as server:
        assert lastro.Lastro(url=server.url).overview().selic.value == 15
        assert len(server.asked) == 3
    with StandIn(scripted(cut)) as server, pytest.raises(lastro.ConnectionFailedError, match="broke off"):
        lastro.Lastro(url=server.url, retries=1).overview()


def test_a_server_that_is_away_is_tried_again(quick: list[float]) -> None:
    with StandIn(scripted(Reply())) as server:
        gone = server.url
    with pytest.raises(lastro.ConnectionFailedError, match="cannot be reached"):
        lastro.Lastro(url=gone).overview()
    assert len(quick) == 3 and quick[0] < quick[-1] * 4


def test_slow_answers_end_in_time(quick: list[float]) -> None:
    slow = Reply(pause=lambda: time.sleep(0.5))
    with StandIn(scripted(slow)) as server, pytest.raises(lastro.ConnectionFailedError, match="in time"):
        lastro.Lastro(url=server.url, timeout=0.1, retries=0).overview()


def test_what_changes_something_is_sent_once(quick: list[float]) -> None:
    cut = Reply(b'{"api_key": "x"}', 201, cut=3)
    with StandIn(scripted(cut)) as server:
        with pytest.raises(lastro.ConnectionFailedError):
            lastro.Lastro(url=server.url).register("Ana", "ana@example.com")
        assert len(server.asked) == 1


def test_a_key_follows_no_redirect_elsewhere() -> None:
    with StandIn(scripted(of_json(OVERVIEW))) as other:
        with StandIn(scripted(Reply(b"", 302, {"Location": f"{other.url}/api/v1/market/overview"}))) as server:
            with pytest.raises(lastro.RedirectRefusedError, match="sends this call to http"):
                lastro.Lastro(KEY, server.url).overview()
            assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        assert other.asked == []


def test_redirects_within_the_service_are_followed() -> None:
    moved = Reply(b"", 308, {"Location": "/moved?x=1"})
    with StandIn(scripted(moved, of_json(OVERVIEW))) as server:
        assert lastro.Lastro(url=server.url).overview().selic.value == 15
        assert server.asked[1].path == "/moved"
    with StandIn(scripted(moved)) as server, pytest.raises(lastro.RedirectRefusedError, match="circles"):
        lastro.Lastro(url=server.url).overview()


def test_answers_of_something_else_are_told_apart(quick: list[float]) -> None:
    page = Reply(b"<html>log in</html>", 200, {"Content-Type": "text/html"})
    with StandIn(scripted(page)) as server, pytest.raises(lastro.InvalidAnswerError, match="text/html"):
        lastro.Lastro(url=server.url).overview()
    with StandIn(scripted(Reply(b"<h1>bad gateway</h1>", 502))) as server:
        with pytest.raises(lastro.LastroError, match="502"):
            lastro.Lastro(url=server.url, retries=2).overview()
        assert len(server.asked) == 3


def test_an_export_that_breaks_off_is_never_taken_for_whole(quick: list[float]) -> None:
    lines = b"".join(b'{"id":"%d"}\n' % number for number in range(100))
    short, whole, cut = of_lines(lines, 101), of_lines(lines, 100), of_lines(lines, 100, cut=20)
    for broken in (short, cut):
        with StandIn(scripted(broken)) as server, pytest.raises(lastro.IncompleteAnswerError):
            list(lastro.Lastro(url=server.url).export("filings"))
    with StandIn(scripted(cut, whole)) as server:
        assert len(lastro.Lastro(url=server.url).export("filings").list()) == 100


# Answers with status 200 that are no export: nothing at all, a page, a JSON of a proxy, lines of something else.
FOREIGN = (
    Reply(b""),
    Reply(b"", 200, {"Content-Type": "application/x-ndjson"}),
    Reply(b"", 200, {"Content-Type": "application/x-ndjson", "X-Total-Count": "?"}),
    Reply(b"<html>log in</html>\n", 200, {"Content-Type": "text/html", "X-Total-Count": "1"}),
    Reply(b'{"error":"none"}\n', 200, {"Content-Type": "application/json", "X-Total-Count": "1"}),
    Reply(b"", 204, {"Content-Type": "application/x-ndjson", "X-Total-Count": "0"}),
    of_lines(b"<html>\n", 1),
    of_lines(b"[1]\n", 1),
    of_lines(b'{"id":"1"}\n{"id":\n', 2),
    of_lines(b"\xff\n", 1),
)


@pytest.mark.parametrize("foreign", FOREIGN)
def test_an_export_of_something_else_is_an_error(foreign: Reply, tmp_path: Path) -> None:
    pytest.importorskip("polars")
    with StandIn(scripted(foreign)) as server:
        export = lastro.Lastro(url=server.url).export("filings")
        for read in (lambda: list(export), export.list, export.to_pandas, export.to_polars):
            with pytest.raises(lastro.InvalidAnswerError):
                read()
        with pytest.raises(lastro.InvalidAnswerError):
            lastro.Lastro(url=server.url).sync(tmp_path, datasets="filings")
        if "x-total-count" not in {name.lower() for name in foreign.headers}:
            with pytest.raises(lastro.InvalidAnswerError):
                export.total()
    assert lastro.Mirror(tmp_path).datasets() == []


@pytest.mark.parametrize("body", [b"", b"[]", b"17", b'"text"', b"null", b'{"date"', b"\xff"])
def test_a_body_that_is_no_object_is_an_error(body: bytes) -> None:
    with StandIn(scripted(Reply(body))) as server:
        client = lastro.Lastro(url=server.url)
        for read in (client.overview, client.filings().list, client.plans, client.series("ipca").checks):
            with pytest.raises(lastro.InvalidAnswerError):
                read()


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": [1]}, {"data": {"id": "1"}, "next": "c1"}])
def test_a_list_without_its_rows_is_an_error(body: object) -> None:
    with StandIn(scripted(of_json(body))) as server:
        client = lastro.Lastro(url=server.url)
        for read in (client.filings().list, lambda: list(client.filings()), client.changes("c0").list, client.plans):
            with pytest.raises(lastro.InvalidAnswerError):
                read()
    rows = of_json({"data": [{"id": "1"}], "next": "c2", "more": False})
    with StandIn(scripted(rows)) as server, pytest.raises(lastro.InvalidAnswerError, match="changes"):
        lastro.Lastro(url=server.url).changes("c0").list()


def test_only_a_whole_export_is_saved(quick: list[float], tmp_path: Path) -> None:
    lines = b"".join(b'{"id":"%d"}\n' % number for number in range(100))
    short, whole, cut = of_lines(lines, 101), of_lines(lines, 100), of_lines(lines, 100, cut=20)
    saved = tmp_path / "filings.ndjson"
    for broken in (short, cut, FOREIGN[0], FOREIGN[3]):
        with StandIn(scripted(broken)) as server:
            with pytest.raises((lastro.IncompleteAnswerError, lastro.InvalidAnswerError)):
                lastro.Lastro(url=server.url).export("filings").save(saved)
            assert list(tmp_path.iterdir()) == []
    with StandIn(scripted(short, cut, whole)) as server:
        assert lastro.Lastro(url=server.url).export("filings").save(saved) == len(lines)
    assert saved.read_bytes() == lines and list(tmp_path.iterdir()) == [saved]
    with StandIn(scripted(of_lines(lines[:-1], 100))) as server:
        assert lastro.Lastro(url=server.url).export("filings").save(saved) == len(lines) - 1
    table = Reply(b"PAR1\n\nPAR1", 200, {"Content-Type": "application/vnd.apache.parquet", "X-Total-Count": "7"})
    with StandIn(scripted(table)) as server:
        assert lastro.Lastro(url=server.url).export("filings", format="parquet").save(saved) == 10
        with pytest.raises(lastro.InvalidAnswerError, match="parquet"):
            lastro.Lastro(url=server.url).export("filings").save(saved)
    assert saved.read_bytes() == table.body


def page(ids: range, tag: str, total: int = 1005) -> Reply:
    return of_json({"data": [{"id": str(number)} for number in ids], "total": total}, ETag=tag)


def test_new_data_between_two_pages_is_read_again(quick: list[float]) -> None:
    first, second = range(1000), range(1000, 1005)
    with StandIn(scripted(page(first, "1"), page(second, "2"), page(first, "2"), page(second, "2"))) as server:
        assert len(lastro.Lastro(url=server.url).filings.list().list()) == 1005
        assert len(server.asked) == 4


def test_iterating_gives_every_row_once_while_data_changes() -> None:
    # Three filings arrive between the first page and the second: what is at its offsets was on the first page.
    before, after = page(range(10, 1010), "1"), [page(range(7, 1007), "2"), page(range(1007, 1015), "2")]
    with StandIn(scripted(before, after[1], *after)) as server:
        ids = [int(row.id) for row in lastro.Lastro(url=server.url).filings()]
        assert ids == [*range(10, 1010), 7, 8, 9, *range(1010, 1015)]
        assert [asked.params["offset"] for asked in server.asked] == ["0", "1000", "0", "1000"]
    with StandIn(scripted(before, after[1], *after)) as server:
        ids = [int(row.id) for row in lastro.Lastro(url=server.url).filings(limit=1002)]
        assert ids == [*range(10, 1010), 7, 8], "a limit is the number of rows that are given"


def test_data_that_never_stands_still_is_an_error() -> None:
    tags = iter(range(1000))

    def answer(asked: Asked) -> Reply:
        start = int(asked.params["offset"])
        return page(range(start, start + 1000), str(next(tags)), 9000)

    with StandIn(answer) as server:
        filings = lastro.Lastro(url=server.url).filings()
        for read in (filings.list, filings.to_pandas, lambda: list(filings)):
            with pytest.raises(lastro.IncompleteAnswerError, match="changed"):
                read()
        assert len(server.asked) == 3 * 2 * 6


def test_no_repr_and_no_traceback_shows_the_key(quick: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(error: BaseException) -> str:
        trace = traceback.TracebackException.from_exception(error, capture_locals=True)
        return "".join(trace.format()) + repr(error) + str(error)

    monkeypatch.setenv("LASTRO_API_KEY", KEY)
    refused = of_json({"error": "unauthorized", "message": "this API key is not valid"}, 401)
    broken = Reply(b"{}", cut=1)
    for reply in (refused, broken, limited("99")):
        with StandIn(scripted(reply)) as server:
            client = lastro.Lastro(url=server.url, retries=1, max_wait=0)
            assert SECRET not in repr(client) + repr(vars(client)) + repr(client.series) + repr(client.filings())
            try:
                client.filings.list().list()
            except lastro.LastroError as error:
                assert SECRET not in shown(error)
    try:
        lastro.Lastro(url="ftp://example.com")
    except ValueError as error:
        assert SECRET not in shown(error)


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}\r\n"])
def test_a_key_may_end_with_a_newline(key: str) -> None:
    with StandIn(scripted(of_json(OVERVIEW))) as server:
        assert lastro.Lastro(key, server.url).overview().selic.value == 15
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("place", ["argument", "environment"])
@pytest.mark.parametrize("character", ["\n", "\r\nX-Other: ", "\t", "\x7f", "ç"])
def test_a_key_that_no_header_can_carry_is_refused(place: str, character: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LASTRO_API_KEY", f"{KEY}{character}x")
    try:
        lastro.Lastro(f"{KEY}{character}x" if place == "argument" else None, "http://127.0.0.1:1")
    except ValueError as error:
        trace = traceback.TracebackException.from_exception(error, capture_locals=True)
        # What this test itself says is not the package's.
        assert SECRET not in "".join(trace.stack.format()[1:]) + str(error) and "key" in str(error)
    else:
        pytest.fail("it was taken")


def test_the_awaited_client_waits_and_retries_alike(quick: list[float]) -> None:
    async def ask(url: str) -> lastro.Record:
        async with lastro.AsyncLastro(url=url) as client:
            return await client.overview()

    with StandIn(scripted(limited("3"), Reply(b"{}", cut=1), of_json(OVERVIEW))) as server:
        assert asyncio.run(ask(server.url)).selic.value == 15
    assert quick[0] == 3.0 and len(quick) == 2


def test_the_awaited_client_saves_and_goes_on_alike(quick: list[float], tmp_path: Path) -> None:
    async def save(url: str) -> int:
        async with lastro.AsyncLastro(url=url) as client:
            return await client.export("filings").save(tmp_path / "filings.ndjson")

    async def ids(url: str) -> list[int]:
        async with lastro.AsyncLastro(url=url) as client:
            return [int(row.id) async for row in client.filings()]

    lines = b'{"id":"1"}\n{"id":"2"}\n'
    with StandIn(scripted(of_lines(lines, 3), of_lines(lines, 2))) as server:
        assert asyncio.run(save(server.url)) == len(lines) and len(server.asked) == 2
    changed = (page(range(1000), "1"), page(range(5), "2"), page(range(-1, 999), "2"), page(range(999, 1001), "2"))
    with StandIn(scripted(*changed)) as server:
        assert asyncio.run(ids(server.url)) == [*range(1000), -1, 1000]


def test_several_series_are_one_table() -> None:
    pd = pytest.importorskip("pandas")
    rows = [{"date": "2026-09-01", "ipca": 5.12, "usd-brl": 5}, {"date": "2026-08-01", "ipca": None, "usd-brl": 5.3571}]

    def answer(asked: Asked) -> Reply:
        assert asked.path == "/api/v1/series/observations"
        assert asked.params["ids"] == "ipca,usd-brl" and asked.params["units"] == "ipca:acc12"
        assert (asked.params["from"], asked.params["frequency"]) == ("1994-07", "monthly")
        return of_json({"data": rows, "total": 2, "limit": 10000, "offset": 0})

    with StandIn(answer) as server:
        client = lastro.Lastro(url=server.url)
        table = client.series(["ipca", "usd-brl"], start="1994-07", frequency="monthly", units={"ipca": "acc12"})
        first = table.first()
        assert first is not None and first["usd-brl"] == 5 and first.ipca == Decimal("5.12")
        frame = table.to_pandas(numbers="float")
    assert list(frame.columns) == ["ipca", "usd-brl"] and list(frame.index) == list(
        pd.to_datetime(["2026-08-01", "2026-09-01"])
    )
    assert frame["usd-brl"].tolist() == [5.3571, 5.0] and pd.isna(frame["ipca"].iloc[0])


def test_calls_have_the_names_of_the_api() -> None:
    def answer(asked: Asked) -> Reply:
        return of_json({"data": [], "total": 0, "to": "2026-06"})

    with StandIn(answer) as server:
        client = lastro.Lastro(url=server.url)
        client.filings.search(
            "dividendos", company=["PETR4", 4170], category="Fato Relevante", start="2026-01", end=datetime.date.max
        ).list()
        asked = server.asked[-1].params
        assert (asked["q"], asked["company_id"], asked["category"]) == ("dividendos", "PETR4,4170", "Fato Relevante")
        assert (asked["from"], asked["to"]) == ("2026-01", "9999-12-31")
        for name in ("end", "to"):
            client.calc.debt(**{name: datetime.date(2026, 6, 1), "instalments": []})
            assert json.loads(server.asked[-1].body) == {"to": "2026-06-01", "instalments": []}


def test_an_own_http_client_is_used() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == f"Bearer {KEY}"
        return httpx.Response(200, json=OVERVIEW)

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with lastro.Lastro(KEY, "https://lastro.example", http=http) as client:
        assert client.overview().selic.value == 15
