"""The client: every endpoint as a method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from lastro import frames, mirror, shapes
from lastro._async.resources import (
    AsyncCalculations,
    AsyncCalendar,
    AsyncCompanies,
    AsyncFilings,
    AsyncFx,
    AsyncSeriesCatalogue,
)
from lastro._async.rows import AsyncChanges, AsyncExport
from lastro._async.sync import synchronise
from lastro._async.transport import AsyncTransport
from lastro._wire import NDJSON, Call, Moment, Policy, Secret, base_url, params, rows_in
from lastro.record import Record, records_of


class AsyncLastro:
    """A client of one service.

    `key` and `url` also come from `LASTRO_API_KEY` and `LASTRO_URL`. `timeout` is for one attempt; reads that fail to
    connect are tried again `retries` times; where the service says to wait (429, 503) a call waits up to `max_wait`
    seconds in all. `numbers="float"` makes frames of floats instead of exact decimals.
    """

    def __init__(
        self,
        key: str | None = None,
        url: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        max_wait: float = 120.0,
        numbers: frames.Numbers = "decimal",
        http: httpx.AsyncClient | None = None,
    ) -> None:
        secret = Secret.of(key)
        del key
        self.url = ""
        secret.check()
        self.url = base_url(url)
        self._transport = AsyncTransport(self.url, secret, Policy(retries, max_wait), timeout, http)
        self._numbers = numbers
        self.series = AsyncSeriesCatalogue(self._transport, numbers)
        self.companies = AsyncCompanies(self._transport, numbers)
        self.filings = AsyncFilings(self._transport, numbers)
        self.calc = AsyncCalculations(self._transport)
        self.calendar = AsyncCalendar(self._transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(url={self.url!r})"

    async def __aenter__(self) -> AsyncLastro:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._transport.aclose()

    def fx(
        self,
        pair: str = "USD/BRL",
        start: Moment | None = None,
        end: Moment | None = None,
        limit: int | None = None,
    ) -> AsyncFx:
        """Exchange rates of a pair by day, newest first; `current()` is the newest one."""
        call = Call("/api/v1/market/fx", params(pair=pair, start=start, end=end))
        return AsyncFx(
            self._transport,
            call,
            page_size=10_000,
            limit=limit,
            index="date",
            numbers=self._numbers,
            paging="day",
            shape=shapes.RATE,
        )

    async def overview(self) -> Record:
        """The newest Selic, CDI, IPCA and US dollar."""
        return await self._record("/api/v1/market/overview")

    async def search(self, q: str, limit: int = 20) -> Record:
        """Companies and filings with these words: `companies` and `filings`."""
        return await self._record("/api/v1/search", q=q, limit=limit)

    async def suggest(self, q: str, limit: int = 10) -> list[Record]:
        """Companies and categories for a search box."""
        answer = await self._transport.send(Call("/api/v1/search/suggest", params(q=q, limit=limit)))
        return records_of(rows_in(answer))

    def export(self, dataset: str, **filters: object) -> AsyncExport:
        """A whole data set: `companies`, `filings`, `series`, `fx`, `selic`, `cdi` or `ipca`."""
        index = "date" if dataset in ("selic", "cdi", "ipca") else None
        call = Call(f"/api/v1/export/{dataset}", params(**filters), headers={"Accept": NDJSON})
        shape = shapes.DATASETS.get(dataset, shapes.ANY)
        return AsyncExport(self._transport, call, index=index, numbers=self._numbers, shape=shape)

    def changes(
        self,
        after: str | None = None,
        *,
        types: Iterable[str] | str | None = None,
        company_ids: Iterable[str] | str | None = None,
        categories: Iterable[str] | str | None = None,
        series_ids: Iterable[str] | str | None = None,
        limit: int = 1000,
        wait: int = 0,
        follow: bool = False,
    ) -> AsyncChanges:
        """Changes after a cursor, that of an export or of a change before; `after="oldest"` for all that are kept."""
        given = params(
            after=after,
            types=types,
            company_ids=company_ids,
            categories=categories,
            series_ids=series_ids,
            limit=limit,
        )
        return AsyncChanges(self._transport, Call("/api/v1/changes", given), wait=wait, follow=follow)

    async def sync(
        self,
        directory: str | Path,
        datasets: Iterable[str] | str = mirror.DATASETS,
    ) -> Mapping[str, mirror.SyncResult]:
        """Brings a local copy up to date: the export once, then only what changed. `lastro.Mirror` reads it.

        The copy of each data set is always whole: killed at any moment, the next call goes on where this one was.
        """
        names = [datasets] if isinstance(datasets, str) else list(datasets)
        return {name: await synchronise(self._transport, Path(directory), name) for name in names}

    async def plans(self) -> list[Record]:
        """The plans with their prices, limits and features."""
        return records_of(rows_in(await self._transport.send(Call("/api/v1/plans")), "plans"))

    async def usage(self, start: Moment | None = None, end: Moment | None = None) -> Record:
        """Requests made with this key, by day and endpoint."""
        return await self._record("/api/v1/plans/usage", start=start, end=end)

    async def key(self) -> Record:
        """The key that this client uses, without its secret."""
        return await self._record("/api/v1/keys/current")

    async def health(self) -> Record:
        """Whether the service is well, and how fresh its data is."""
        return await self._record("/health")

    async def register(self, name: str, email: str) -> Record:
        """A new key of the Free plan, in `api_key`. It is shown only this once."""
        call = Call("/api/v1/plans/register", method="POST", body={"name": name, "email": email}, repeatable=False)
        return Record((await self._transport.send(call)).body)

    async def get(self, path: str, **given: object) -> Any:
        """Any other endpoint: its parsed answer, such as `client.get("/api/v1/series/ipca/checks")`."""
        return (await self._transport.send(Call(path, params(**given)))).body

    async def _record(self, path: str, **given: object) -> Record:
        return Record((await self._transport.send(Call(path, params(**given)))).body)
