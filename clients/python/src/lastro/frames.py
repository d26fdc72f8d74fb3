"""Rows as data frames: real dates, exact numbers, backed by Arrow where the library can."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from lastro.record import DECIMALS, is_instant, is_moment, loads, moment, row_of, rows_of
from lastro.shapes import Kind

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Numbers = Literal["decimal", "float"]
Columns = Mapping[str, Kind]
# Three hours behind UTC (the signs of these names are reversed), as the service writes the days of filings. The zone of
# São Paulo had summer time until 2019, which would make one o'clock of their midnights.
BRASILIA = "Etc/GMT+3"


def columns_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The rows by column. Columns that only some rows have are `None` in the others."""
    columns: dict[str, list[Any]] = {}
    for height, row in enumerate(rows):
        if row.keys() != columns.keys():
            for name in row:
                if name not in columns:
                    columns[name] = [None] * height
        for name, column in columns.items():
            column.append(row.get(name))
    return columns


_NO_SHAPE: Columns = {}


def expected(name: str, shape: Columns) -> Kind:
    """The kind of a column that has no value to tell it."""
    if name in shape:
        return shape[name]
    if is_moment(name):
        return "moment" if is_instant(name) else "day"
    return "number" if name in DECIMALS else "text"


class Column:
    """Values of one column, all of one type."""

    def __init__(
        self, name: str, values: list[Any], numbers: Numbers, *, every_number: bool = False, shape: Columns = _NO_SHAPE
    ) -> None:
        self.name = name
        self.values = values
        self.kind: str
        is_empty = all(value is None for value in values)
        if every_number and name != "date":
            self.kind = "number"
        else:
            self.kind = expected(name, shape) if is_empty else self._kind()
        if self.kind == "day" and not is_empty:
            moments = [None if value is None else moment(value) for value in values]
            kinds = {type(value) for value in moments if value is not None}
            self.kind = "day" if kinds == {datetime.date} else "moment" if kinds == {datetime.datetime} else "text"
            self.values = values if self.kind == "text" else moments
        elif self.kind == "number":
            as_number: Any = float if numbers == "float" else Decimal
            self.kind = "float" if numbers == "float" else "decimal"
            self.values = [None if value is None else as_number(value) for value in values]
        elif self.kind == "list":
            self.values = [
                None
                if value is None
                else json.dumps(value, ensure_ascii=False, default=str)
                if any(isinstance(item, dict | list) for item in value)
                else list(value)
                for value in values
            ]
        elif self.kind == "object":
            self.values = [
                None if value is None else json.dumps(value, ensure_ascii=False, default=str) for value in values
            ]
            self.kind = "text"

    def _kind(self) -> str:
        sample = next(value for value in self.values if value is not None)
        if isinstance(sample, str):
            return "day" if is_moment(self.name) else "text"
        if isinstance(sample, bool):
            return "flag"
        if isinstance(sample, Decimal) or (isinstance(sample, int) and self.name in DECIMALS):
            return "number"
        if isinstance(sample, int):
            return "number" if any(isinstance(value, Decimal) for value in self.values) else "count"
        if isinstance(sample, list):
            return "list"
        return "object" if isinstance(sample, dict) else "text"


def empty(shape: Columns) -> dict[str, list[Any]]:
    """The columns of no rows."""
    return {name: [] for name in shape}


def to_pandas(
    rows: Iterable[Mapping[str, Any]],
    *,
    index: str | None,
    numbers: Numbers = "decimal",
    every_number: bool = False,
    shape: Columns = _NO_SHAPE,
) -> pd.DataFrame:
    """A pandas frame. Rows of a time series are indexed by their date, oldest first."""
    pd = _library("pandas")
    arrow = find_spec("pyarrow") is not None
    data = {
        name: _pandas_values(pd, Column(name, values, numbers, every_number=every_number, shape=shape), arrow)
        for name, values in (columns_of(rows) or empty(shape)).items()
    }
    frame = pd.DataFrame(data)
    if index is not None and index in frame.columns:
        frame = frame.set_index(index).sort_index()
    return frame


def _pandas_values(pd: Any, column: Column, arrow: bool) -> Any:
    kind, values = column.kind, column.values
    if kind == "day":
        return pd.to_datetime(pd.Series(values, dtype="object")).astype("datetime64[us]")
    if kind == "moment":
        moments = pd.to_datetime(pd.Series(values, dtype="object"), utc=True)
        return moments.astype("datetime64[us, UTC]").dt.tz_convert(BRASILIA)
    if kind == "float":
        return pd.Series(values, dtype="float64")
    if kind == "count":
        return pd.Series(values, dtype="Int64" if None in values else "int64")
    if kind == "flag":
        return pd.Series(values, dtype="boolean" if None in values else "bool")
    if not arrow:
        return pd.Series(values, dtype="object")
    import pyarrow as pa  # noqa: PLC0415

    types = {"text": pa.string(), "list": pa.list_(pa.string())}
    if kind == "decimal":
        types["decimal"] = pa.decimal128(38, _scale(values))
    array = pa.array(values, type=types.get(kind))
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def pandas_of_lines(
    lines: bytes, *, index: str | None, numbers: Numbers = "decimal", shape: Columns = _NO_SHAPE
) -> pd.DataFrame:
    """A pandas frame of objects, one a line: by Arrow's own reader if there are no decimals, which it would round."""
    pd = _library("pandas")
    table = _arrow_table(lines) if find_spec("pyarrow") is not None else None
    if table is None:
        return to_pandas(rows_of(lines), index=index, numbers=numbers, shape=shape)
    columns = {name: _pandas_of_arrow(pd, name, table[name], shape) for name in table.column_names}
    frame = pd.DataFrame(columns, copy=False)
    return frame.set_index(index).sort_index() if index in frame.columns else frame


def _arrow_table(lines: bytes) -> Any:
    """The rows as Arrow has them; `None` if it cannot have them exactly."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import json as arrow_json  # noqa: PLC0415

    texts = [(name, pa.string()) for name in _texts_of(lines)]
    if not texts:
        return None
    try:
        table = arrow_json.read_json(
            pa.BufferReader(lines),
            read_options=arrow_json.ReadOptions(block_size=1 << 24),
            parse_options=arrow_json.ParseOptions(explicit_schema=pa.schema(texts)),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    exact = {pa.string(), pa.int64(), pa.bool_(), pa.list_(pa.string())}
    if not all(column.type in exact for column in table.columns) or not DECIMALS.isdisjoint(table.column_names):
        return None
    # Members that were guessed come last; the first row has the order.
    order = list(loads(lines.partition(b"\n")[0]))
    return table.select(sorted(table.column_names, key=lambda name: order.index(name) if name in order else len(order)))


def _texts_of(lines: bytes) -> list[str]:
    """The members that are texts in the first row: a reader that guesses would take some for dates.

    None if there are decimals among the others: those that happen to be whole would be taken for counts.
    """
    first = lines.partition(b"\n")[0]
    row = row_of(first) if first else {}
    if not DECIMALS.isdisjoint(row):
        return []
    return [name for name, value in row.items() if isinstance(value, str) or value is None]


def _pandas_of_arrow(pd: Any, name: str, column: Any, shape: Columns) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    if column.null_count == len(column):
        return _pandas_values(pd, Column(name, column.to_pylist(), "decimal", shape=shape), arrow=True)
    sample = next((value.as_py() for value in column if value.is_valid), None)
    if is_moment(name) and isinstance(sample, str):
        has_time = len(sample) > len("YYYY-MM-DD")
        try:
            moments = column.cast(pa.timestamp("us", "UTC" if has_time else None)).to_pandas()
            return moments.dt.tz_convert(BRASILIA) if has_time else moments
        except pa.ArrowInvalid:
            pass
    if isinstance(sample, bool | int) and column.null_count == 0:
        return column.to_pandas()
    if isinstance(sample, bool | int):
        return pd.Series(column.to_pylist(), dtype="boolean" if isinstance(sample, bool) else "Int64")
    return pd.Series(pd.arrays.ArrowExtensionArray(column))


def to_polars(
    rows: Iterable[Mapping[str, Any]],
    *,
    index: str | None,
    numbers: Numbers = "decimal",
    every_number: bool = False,
    shape: Columns = _NO_SHAPE,
) -> pl.DataFrame:
    """A polars frame. Rows of a time series are sorted by their date, oldest first."""
    pl = _library("polars")
    columns = [
        _polars_values(pl, Column(name, values, numbers, every_number=every_number, shape=shape))
        for name, values in (columns_of(rows) or empty(shape)).items()
    ]
    frame = pl.DataFrame(columns)
    return frame.sort(index) if index is not None and index in frame.columns else frame


def polars_of_lines(
    lines: bytes, *, index: str | None, numbers: Numbers = "decimal", shape: Columns = _NO_SHAPE
) -> pl.DataFrame:
    """A polars frame of objects, one a line: by its own reader if there are no decimals, which it would round."""
    pl = _library("polars")
    texts = dict.fromkeys(_texts_of(lines), pl.String)
    exact = {pl.String, pl.Int64, pl.Boolean, pl.List(pl.String)}
    try:
        frame = pl.read_ndjson(lines, schema_overrides=texts, infer_schema_length=None) if texts else None
    except pl.exceptions.PolarsError:
        frame = None
    if frame is None or not all(kind in exact for kind in frame.dtypes) or not DECIMALS.isdisjoint(frame.columns):
        return to_polars(rows_of(lines), index=index, numbers=numbers, shape=shape)
    frame = frame.with_columns([_polars_column(pl, frame[name], shape) for name in frame.columns])
    return frame.sort(index) if index in frame.columns else frame


def _polars_column(pl: Any, column: Any, shape: Columns) -> Any:
    if column.null_count() == len(column):
        return _polars_values(pl, Column(column.name, column.to_list(), "decimal", shape=shape))
    if not is_moment(column.name):
        return column
    sample = column.drop_nulls()[0]
    try:
        if len(sample) == len("YYYY-MM-DD"):
            return column.str.to_date("%Y-%m-%d")
        if len(sample) > len("YYYY-MM-DD"):
            return column.str.to_datetime("%+", time_unit="us", time_zone="UTC").dt.convert_time_zone(BRASILIA)
    except pl.exceptions.PolarsError:
        pass
    return column


def _polars_values(pl: Any, column: Column) -> Any:
    name, kind, values = column.name, column.kind, column.values
    if kind == "moment":
        in_utc = [None if value is None else value.astimezone(datetime.timezone.utc) for value in values]
        series = pl.Series(name, in_utc, dtype=pl.Datetime("us", "UTC"))
        return series.dt.convert_time_zone(BRASILIA)
    types = {
        "day": pl.Date,
        "float": pl.Float64,
        "count": pl.Int64,
        "flag": pl.Boolean,
        "text": pl.String,
        "list": pl.List(pl.String),
    }
    if kind == "decimal":
        return pl.Series(name, values, dtype=pl.Decimal(38, _scale(values)))
    return pl.Series(name, values, dtype=types[kind])


def _scale(values: Iterable[Decimal | None]) -> int:
    """The most digits after the point."""
    exponents = (value.as_tuple().exponent for value in values if value is not None)
    return max((-exponent for exponent in exponents if isinstance(exponent, int) and exponent < 0), default=0)


def _library(name: str) -> Any:
    if find_spec(name) is None:
        raise ModuleNotFoundError(f"this needs {name}: pip install 'lastro[{name}]'", name=name)
    return __import__(name)
