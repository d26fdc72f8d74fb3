"""A local copy against a server with changes, by section 18 of the contract."""

from __future__ import annotations

import datetime
import json
import os
import signal
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import pytest
from standin import Asked, Feed, Reply, StandIn, of_json, of_lines

import lastro


def filled() -> Feed:
    feed = Feed()
    for number in range(30):
        feed.put("filing", id=str(number), description=f"n.º {number}", version=1)
        feed.put("observation", series="ipca", date=f"2024-01-{number + 1:02}", value=number / 100)
    feed.put("observation", series="usd-brl", date="2024-01-02", value=4.9)
    return feed


def copied(directory: Path, dataset: str) -> list[dict[str, object]]:
    return sorted((dict(row.raw) for row in lastro.Mirror(directory).rows(dataset)), key=str)


def served(feed: Feed, dataset: str) -> list[dict[str, object]]:
    rows = lastro.record.loads(json.dumps(list(feed.rows[feed.EXPORTS[dataset]].values())))
    return sorted(rows, key=str)


def test_only_what_changed_is_fetched(tmp_path: Path) -> None:
    feed = filled()
    with StandIn(feed.answer) as server:
        client = lastro.Lastro(url=server.url)
        first = client.sync(tmp_path, datasets=["filings", "series"])
        assert first["filings"].exported and first["filings"].rows == 30
        feed.put("filing", id="30", description="new", version=1)
        feed.put("filing", id="7", description="changed", version=2)
        feed.remove("filing", "8")
        feed.put("observation", series="ipca", date="2024-01-03", value=0.77)
        feed.put("fx", pair="USD/BRL", date="2024-01-02", buy=5.0, sell=5.01)
        feed.put("fx", pair="EUR/BRL", date="2024-01-02", buy=6.0, sell=6.01)
        server.asked.clear()
        second = client.sync(tmp_path, datasets=["filings", "series"])
        assert (second["filings"].created, second["filings"].updated, second["filings"].removed) == (1, 1, 1)
        assert all(asked.path == "/api/v1/changes" for asked in server.asked)
        assert copied(tmp_path, "filings") == served(feed, "filings")
        rates = {row.series: row.value for row in lastro.Mirror(tmp_path).rows("series") if row.series != "ipca"}
        assert rates == {"usd-brl": Decimal("5.01")}
        third = client.sync(tmp_path, datasets="filings")
        assert (third["filings"].created, third["filings"].updated, third["filings"].exported) == (0, 0, False)


def test_many_changes_come_in_pages(tmp_path: Path) -> None:
    feed = filled()
    with StandIn(feed.answer) as server:
        client = lastro.Lastro(url=server.url)
        client.sync(tmp_path, datasets=["filings"])
        for number in range(2500):
            feed.put("filing", id=str(number % 40), description=f"again {number}", version=number)
        client.sync(tmp_path, datasets=["filings"])
        assert copied(tmp_path, "filings") == served(feed, "filings")


def test_an_old_copy_and_a_new_source_are_exported_again(tmp_path: Path) -> None:
    feed = filled()
    with StandIn(feed.answer) as server:
        client = lastro.Lastro(url=server.url)
        client.sync(tmp_path, datasets=["filings", "series"])
        feed.put("filing", id="77", description="late", version=1)
        feed.oldest = len(feed.changes)
        assert client.sync(tmp_path, datasets=["filings"])["filings"].exported
        assert copied(tmp_path, "filings") == served(feed, "filings")
        feed.rows["filing"].clear()
        feed.rows["filing"][("1",)] = {"id": "1", "description": "all new", "version": 1}
        feed.replace("filings")
        feed.put("filing", id="2", description="after it", version=1)
        assert client.sync(tmp_path, datasets=["filings"])["filings"].exported
        assert copied(tmp_path, "filings") == served(feed, "filings")


@pytest.mark.parametrize("killed_in", ["export", "changes"])
def test_killed_and_started_again_it_goes_on(tmp_path: Path, killed_in: str) -> None:
    feed, reached, go_on = filled(), threading.Event(), threading.Event()
    armed = threading.Event()

    def answer(asked: Asked) -> Reply:
        reply = feed.answer(asked)
        # Half of the answer arrives, then nothing until the process is dead.
        if armed.is_set() and killed_in in asked.path and (killed_in == "export" or asked.params["after"] != first):
            reached.set()
            go_on.wait(20)
            reply.cut = len(reply.body) // 2
        return reply

    script = "import sys, lastro; lastro.Lastro(url=sys.argv[1]).sync(sys.argv[2], datasets=['filings'])"
    with StandIn(answer) as server:
        client = lastro.Lastro(url=server.url)
        first = ""
        if killed_in == "changes":
            client.sync(tmp_path, datasets=["filings"])
            first = lastro.Mirror(tmp_path).cursor("filings") or ""
            for number in range(1500):
                feed.put("filing", id=str(number % 50), description=f"v{number}", version=number)
        armed.set()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen([sys.executable, "-c", script, server.url, str(tmp_path)], env=environment)
        assert reached.wait(20)
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        go_on.set()
        armed.clear()
        mirror = lastro.Mirror(tmp_path)
        if killed_in == "export":
            assert (tmp_path / "filings.db").exists() and mirror.datasets() == []
            for read in (mirror.count, mirror.cursor, mirror.to_pandas, lambda name: list(mirror.rows(name))):
                with pytest.raises(lastro.LastroError, match="no complete copy"):
                    read("filings")
        else:
            # The first page is there as a whole, and the second is not.
            assert mirror.datasets() == ["filings"]
            assert max(int(str(row["version"])) for row in copied(tmp_path, "filings")) == 999
        client.sync(tmp_path, datasets=["filings"])
        assert copied(tmp_path, "filings") == served(feed, "filings")


def test_a_broken_export_leaves_the_copy_as_it_was(tmp_path: Path, quick: list[float]) -> None:
    feed, broken = filled(), threading.Event()

    def answer(asked: Asked) -> Reply:
        reply = feed.answer(asked)
        reply.cut = 40 if broken.is_set() and "export" in asked.path else 0
        return reply

    with StandIn(answer) as server:
        client = lastro.Lastro(url=server.url)
        client.sync(tmp_path, datasets=["filings"])
        before = copied(tmp_path, "filings")
        feed.replace("filings")
        broken.set()
        with pytest.raises(lastro.IncompleteAnswerError):
            client.sync(tmp_path, datasets=["filings"])
        assert copied(tmp_path, "filings") == before
        broken.clear()
        assert client.sync(tmp_path, datasets=["filings"])["filings"].exported


@pytest.mark.parametrize("foreign", [Reply(b""), Reply(b"<html>"), of_lines(b'{"name":"x"}\n', 1), of_lines(b"{}", 1)])
def test_something_else_than_an_export_leaves_the_copy_as_it_was(tmp_path: Path, foreign: Reply) -> None:
    feed, is_foreign = filled(), threading.Event()

    def answer(asked: Asked) -> Reply:
        return foreign if is_foreign.is_set() and "export" in asked.path else feed.answer(asked)

    with StandIn(answer) as server:
        client = lastro.Lastro(url=server.url)
        client.sync(tmp_path, datasets=["filings"])
        before = copied(tmp_path, "filings")
        feed.replace("filings")
        is_foreign.set()
        with pytest.raises(lastro.InvalidAnswerError):
            client.sync(tmp_path, datasets=["filings"])
        assert copied(tmp_path, "filings") == before != []


def test_changes_are_followed_from_a_cursor() -> None:
    feed = filled()
    with StandIn(feed.answer) as server:
        client = lastro.Lastro(url=server.url)
        changes = client.changes(after="oldest", types=["filing.created"], limit=7)
        rows = []
        for change in changes:
            rows.append(change)
            if len(rows) == 10:
                break
        resumed = client.changes(after=changes.cursor, types=["filing.created"]).list()
        assert [row["item"].id for row in rows + resumed] == [str(number) for number in range(30)]
        frame = client.changes(after="oldest").to_pandas()
        assert list(frame.columns) == ["cursor", "type", "at", "edition", "item"] and len(frame) == len(feed.changes)
        assert str(frame["at"].dtype) == "datetime64[us, Etc/GMT+3]"
        assert rows[0].at == datetime.datetime(2026, 11, 17, 12, tzinfo=datetime.timezone.utc)
        assert client.changes(after="oldest").to_polars().height == len(frame)
        now = client.changes()
        assert now.list() == [] and now.cursor == f"c{len(feed.changes)}"
        feed.oldest = 5
        with pytest.raises(lastro.CursorExpiredError) as caught:
            client.changes(after="c1").list()
        assert caught.value.oldest == "c5"


def test_waiting_for_changes_is_asked_of_the_server() -> None:
    def answer(asked: Asked) -> Reply:
        assert asked.params["wait"] == "20"
        return of_json({"data": [], "next": "c1", "more": False})

    with StandIn(answer) as server:
        assert lastro.Lastro(url=server.url).changes(after="c0", wait=20).list() == []


def test_unknown_data_sets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="companies, filings"):
        lastro.Lastro(url="http://127.0.0.1:1").sync(tmp_path, datasets=["dividends"])
    with pytest.raises(lastro.LastroError, match="no copy of fx"):
        lastro.Mirror(tmp_path).count("fx")
