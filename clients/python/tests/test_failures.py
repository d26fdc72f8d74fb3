"""The client against a server that fails on purpose."""

from __future__ import annotations

import asyncio
import datetime
import time
import traceback
from collections.abc import Callable
from decimal import Decimal

import httpx
import pytest
from standin import Asked, Reply, StandIn, of_json

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
    short = Reply(lines, 200, {"X-Total-Count": "101"})
    cut = Reply(lines, 200, {"X-Total-Count": "100"}, cut=20)
    whole = Reply(lines, 200, {"X-Total-Count": "100"})
    for broken in (short, cut):
        with StandIn(scripted(broken)) as server, pytest.raises(lastro.IncompleteAnswerError):
            list(lastro.Lastro(url=server.url).export("filings"))
    with StandIn(scripted(cut, whole)) as server:
        assert len(lastro.Lastro(url=server.url).export("filings").list()) == 100


def test_new_data_between_two_pages_is_read_again(quick: list[float]) -> None:
    def page(number: int, tag: str) -> Reply:
        rows = [{"id": str(number * 1000 + row)} for row in range(1000 if number == 0 else 5)]
        return of_json({"data": rows, "total": 1005, "limit": 1000, "offset": number * 1000}, ETag=tag)

    with StandIn(scripted(page(0, '"1"'), page(1, '"2"'), page(0, '"2"'), page(1, '"2"'))) as server:
        assert len(lastro.Lastro(url=server.url).filings.list().list()) == 1005
        assert len(server.asked) == 4


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


def test_the_awaited_client_waits_and_retries_alike(quick: list[float]) -> None:
    async def ask(url: str) -> lastro.Record:
        async with lastro.AsyncLastro(url=url) as client:
            return await client.overview()

    with StandIn(scripted(limited("3"), Reply(b"{}", cut=1), of_json(OVERVIEW))) as server:
        assert asyncio.run(ask(server.url)).selic.value == 15
    assert quick[0] == 3.0 and len(quick) == 2


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


def test_an_own_http_client_is_used() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == f"Bearer {KEY}"
        return httpx.Response(200, json=OVERVIEW)

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with lastro.Lastro(KEY, "https://lastro.example", http=http) as client:
        assert client.overview().selic.value == 15
