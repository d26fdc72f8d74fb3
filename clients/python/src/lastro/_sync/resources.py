# Made by make_sync.py of the file of the same name in `_async`. Do not edit.
"""Groups of endpoints: series, companies, filings, calculations, the calendar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import quote

from lastro import frames, shapes
from lastro._sync.rows import LIST_PAGE, SERIES_PAGE, Rows, Records
from lastro._sync.transport import Transport
from lastro._wire import Call, Moment, Number, params, rows_in
from lastro.record import ALIASES, Record, records_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl


# Several ids; a text alone is one.
Ids = list[str] | tuple[str, ...]


class _Group:
    """Endpoints with the same connections."""

    def __init__(self, transport: Transport, numbers: frames.Numbers = "decimal") -> None:
        self._transport = transport
        self._numbers = numbers

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._transport.url}>"

    def _record(self, path: str, **given: object) -> Record:
        return Record((self._transport.send(Call(path, params(**given)))).body)

    def _rows(
        self,
        path: str,
        *,
        limit: int | None = None,
        page_size: int = LIST_PAGE,
        index: str | None = None,
        every_number: bool = False,
        paging: str = "offset",
        shape: shapes.Shape = shapes.ANY,
        **given: object,
    ) -> Rows:
        return Rows(
            self._transport,
            Call(path, params(**given)),
            page_size=page_size,
            limit=limit,
            index=index,
            every_number=every_number,
            numbers=self._numbers,
            paging=paging,
            shape=shape,
        )

    def _listed(self, path: str, **given: object) -> Records:
        """The rows of a list that comes whole."""
        return records_of(rows_in(self._transport.send(Call(path, params(**given)))))


class Fx(Rows):
    """Exchange rates of a pair by day."""

    def current(self) -> Record:
        """The newest rate."""
        pair = {"pair": self.call.params["pair"]}
        answer = self.transport.send(replace(self.call, path="/api/v1/market/fx/current", params=pair))
        return Record(answer.body)


class Series(_Group):
    """One series. Iterating over it gives its observations, as `observations()` does."""

    def __init__(
        self, transport: Transport, numbers: frames.Numbers, series: str, given: Mapping[str, Any]
    ) -> None:
        super().__init__(transport, numbers)
        self.id = series
        self._given = given
        self._path = f"/api/v1/series/{quote(series, safe='')}"

    def observations(
        self,
        start: Moment | None = None,
        end: Moment | None = None,
        units: str | None = None,
        frequency: str | None = None,
        aggregation: str | None = None,
        base: Moment | None = None,
        as_of: Moment | None = None,
        order: str | None = None,
        limit: int | None = None,
    ) -> Rows:
        """Values by date, newest first, as published or in other `units` such as `acc12`."""
        named = {
            "start": start,
            "end": end,
            "units": units,
            "frequency": frequency,
            "aggregation": aggregation,
            "base": base,
            "as_of": as_of,
            "order": order,
            "limit": limit,
        }
        given = {**self._given, **{name: value for name, value in named.items() if value is not None}}
        path = f"{self._path}/observations"
        return self._rows(path, page_size=SERIES_PAGE, index="date", shape=shapes.OBSERVATION, **given)

    def describe(self) -> Record:
        """Name, unit, kind, frequency, source, dates."""
        return self._record(self._path)

    def current(self) -> Record:
        """The newest value."""
        return self._record(f"{self._path}/current")

    def checks(self) -> Records:
        """The identities that its values satisfy."""
        return self._listed(f"{self._path}/checks")

    def revisions(self, limit: int | None = None) -> Rows:
        """Values that were changed after publication, newest first."""
        return self._rows(f"{self._path}/revisions", limit=limit, shape=shapes.REVISION)

    def __iter__(self) -> Iterator[Record]:
        return self.observations().__iter__()

    def answer(self) -> Record:
        """The members beside the rows, such as `unit` and `total`."""
        return self.observations().answer()

    def total(self) -> int:
        """The number of observations."""
        return self.observations().total()

    def first(self) -> Record | None:
        """The first observation."""
        return self.observations().first()

    def to_pandas(self, numbers: frames.Numbers | None = None) -> pd.DataFrame:
        """All observations as a pandas frame."""
        return self.observations().to_pandas(numbers)

    def to_polars(self, numbers: frames.Numbers | None = None) -> pl.DataFrame:
        """All observations as a polars frame."""
        return self.observations().to_polars(numbers)

    def list(self) -> Records:
        """All observations."""
        return self.observations().list()


class SeriesCatalogue(_Group):
    """All series: call it with an id for one, with several ids for a table of them."""

    @overload
    def __call__(
        self,
        series: str,
        start: Moment | None = ...,
        end: Moment | None = ...,
        *,
        units: str | None = ...,
        frequency: str | None = ...,
        aggregation: str | None = ...,
        base: Moment | None = ...,
        as_of: Moment | None = ...,
        order: str | None = ...,
        limit: int | None = ...,
    ) -> Series: ...

    @overload
    def __call__(
        self,
        series: Ids,
        start: Moment | None = ...,
        end: Moment | None = ...,
        *,
        units: str | Mapping[str, str] | None = ...,
        frequency: str | None = ...,
        aggregation: str | None = ...,
        base: Moment | None = ...,
        as_of: Moment | None = ...,
        order: str | None = ...,
        limit: int | None = ...,
    ) -> Rows: ...

    def __call__(
        self,
        series: str | Ids,
        start: Moment | None = None,
        end: Moment | None = None,
        *,
        units: str | Mapping[str, str] | None = None,
        frequency: str | None = None,
        aggregation: str | None = None,
        base: Moment | None = None,
        as_of: Moment | None = None,
        order: str | None = None,
        limit: int | None = None,
    ) -> Series | Rows:
        """One series by its id, or several as one table: a row for each date, a column for each id."""
        named: dict[str, Any] = {
            "start": start,
            "end": end,
            "units": units,
            "frequency": frequency,
            "aggregation": aggregation,
            "base": base,
            "as_of": as_of,
            "order": order,
            "limit": limit,
        }
        given = {name: value for name, value in named.items() if value is not None}
        if isinstance(series, str):
            return Series(self._transport, self._numbers, series, given)
        path = "/api/v1/series/observations"
        # What its columns are, the answer says; a row is told by its date.
        shape = shapes.Shape(key=("date",))
        return self._rows(
            path, page_size=SERIES_PAGE, index="date", every_number=True, shape=shape, ids=series, **given
        )

    def list(
        self,
        topic: str | None = None,
        frequency: str | None = None,
        q: str | None = None,
        limit: int | None = None,
    ) -> Rows:
        """The catalogue, also by topic, frequency or words."""
        shape = shapes.DESCRIPTION
        return self._rows("/api/v1/series", limit=limit, shape=shape, topic=topic, frequency=frequency, q=q)

    def search(self, q: str, limit: int | None = None) -> Rows:
        """Series with these words in their names, ids or codes."""
        return self.list(q=q, limit=limit)


class Companies(_Group):
    """Companies registered with the regulator. Calling it is `list`."""

    def __call__(
        self,
        status: str | None = None,
        sector: str | None = None,
        cnpj: str | None = None,
        withdrawn: str | None = None,
        limit: int | None = None,
    ) -> Rows:
        """All companies by name, or those of a status, sector or CNPJ."""
        return self._rows(
            "/api/v1/companies",
            limit=limit,
            shape=shapes.COMPANY,
            status=status,
            sector=sector,
            cnpj=cnpj,
            withdrawn=withdrawn,
        )

    list = __call__

    def search(self, q: str, limit: int | None = None) -> Rows:
        """Companies by name, brand, former name, ticker, CNPJ or code, the best first."""
        return self._rows("/api/v1/companies/search", limit=limit, shape=shapes.COMPANY, q=q)

    def get(self, company: str | int) -> Record:
        """One company by registry code, CNPJ or ticker."""
        return self._record(f"/api/v1/companies/{quote(str(company), safe='')}")

    def filings(
        self,
        company: str | int,
        category: str | None = None,
        start: Moment | None = None,
        end: Moment | None = None,
        limit: int | None = None,
    ) -> Rows:
        """Filings of a company, newest first."""
        path = f"/api/v1/companies/{quote(str(company), safe='')}/filings"
        return self._rows(path, limit=limit, shape=shapes.FILING, category=category, start=start, end=end)

    def sectors(self) -> Records:
        """Sectors with the number of their companies."""
        return self._listed("/api/v1/companies/sectors")


class Filings(_Group):
    """Documents filed with the regulator. Calling it is `list`."""

    def __call__(
        self,
        company: str | int | Iterable[str | int] | None = None,
        category: str | None = None,
        start: Moment | None = None,
        end: Moment | None = None,
        seen_from: Moment | None = None,
        withdrawn: str | None = None,
        limit: int | None = None,
    ) -> Rows:
        """Filings, newest first: of a company (code, CNPJ or ticker, or several), a category, some days."""
        return self._rows(
            "/api/v1/filings",
            limit=limit,
            shape=shapes.FILING,
            company=company,
            category=category,
            start=start,
            end=end,
            seen_from=seen_from,
            withdrawn=withdrawn,
        )

    list = __call__

    def search(
        self,
        q: str,
        company: str | int | Iterable[str | int] | None = None,
        limit: int | None = None,
        *,
        category: str | None = None,
        start: Moment | None = None,
        end: Moment | None = None,
    ) -> Rows:
        """Filings with these words, the best first: of a company (or several), a category, some days."""
        return self._rows(
            "/api/v1/filings/search",
            limit=limit,
            shape=shapes.FILING,
            q=q,
            company=company,
            category=category,
            start=start,
            end=end,
        )

    def recent(self, limit: int = 20) -> Rows:
        """The newest filings."""
        path = "/api/v1/filings/recent"
        return self._rows(path, limit=limit, page_size=limit, paging="limit", shape=shapes.FILING)

    def get(self, filing: str | int) -> Record:
        """One filing by its id."""
        return self._record(f"/api/v1/filings/{quote(str(filing), safe='')}")

    def categories(self) -> Records:
        """Categories with the number of their filings."""
        return self._listed("/api/v1/filings/categories")


class Calculations(_Group):
    """Exact calculations, each with its receipt."""

    def correction(self, index: str, start: Moment, end: Moment, amount: Number | None = None) -> Record:
        """An amount corrected by a price index between two months, `YYYY-MM`, both included."""
        return self._record(
            "/api/v1/calc/correction", index=index, start=_month(start), end=_month(end), amount=amount
        )

    def accumulation(
        self,
        rate: str,
        start: Moment,
        end: Moment,
        amount: Number | None = None,
        rate_percent: Number | None = None,
    ) -> Record:
        """CDI or Selic accumulated over days, the last one not included."""
        return self._record(
            "/api/v1/calc/accumulation",
            rate=rate,
            start=start,
            end=end,
            amount=amount,
            rate_percent=rate_percent,
        )

    def legal_interest(self, start: Moment, end: Moment, amount: Number | None = None) -> Record:
        """Legal interest of Lei 14.905/2024 between two days."""
        return self._record("/api/v1/calc/legal-interest", start=start, end=end, amount=amount)

    def savings(self, start: Moment, end: Moment, amount: Number | None = None) -> Record:
        """A deposit in a savings account between two days."""
        return self._record("/api/v1/calc/savings", start=start, end=end, amount=amount)

    def rent(
        self, index: str, month: Moment, amount: Number | None = None, negative: str | None = None
    ) -> Record:
        """A rent adjusted in a month by the twelve months before it."""
        return self._record(
            "/api/v1/calc/rent", index=index, month=_month(month), amount=amount, negative=negative
        )

    def minimum_wages(self, month: Moment, amount: Number | None = None, wages: Number | None = None) -> Record:
        """An amount in minimum wages of a month, or the reverse."""
        return self._record("/api/v1/calc/minimum-wages", month=_month(month), amount=amount, wages=wages)

    def debt(self, **body: Any) -> Record:
        """A debt of instalments, corrected, with interest, fine and fees; members as the API names them.

        As everywhere here, `end` is the API's `to`, which it takes too.
        """
        named = {ALIASES.get(name, name): value for name, value in body.items()}
        call = Call("/api/v1/calc/debt", method="POST", body=named)
        return Record((self._transport.send(call)).body)


class Calendar(_Group):
    """Business days of Brazilian banks."""

    def day(self, day: Moment) -> Record:
        """One day: whether it is a business day, its holiday, the business days around it."""
        return self._record(f"/api/v1/calendar/days/{quote(params(day=day)['day'], safe='')}")

    def business_days(self, start: Moment, end: Moment) -> Record:
        """The number of business days between two days."""
        return self._record("/api/v1/calendar/business-days", start=start, end=end)

    def shift(self, day: Moment, days: int) -> Record:
        """The n-th business day after or before a day."""
        return self._record("/api/v1/calendar/shift", date=day, days=days)

    def holidays(self, year: int) -> Records:
        """The holidays of a year."""
        return self._listed("/api/v1/calendar/holidays", year=year)


def _month(moment: Moment) -> str:
    """`YYYY-MM` of a month or a day."""
    return moment if isinstance(moment, str) else params(day=moment)["day"][:7]
