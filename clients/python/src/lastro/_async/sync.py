"""Keeping a local copy true: the export once, then the changes after it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lastro._async.rows import AsyncChanges
from lastro._async.transport import AsyncTransport
from lastro._wire import NDJSON, Call, params
from lastro.errors import CursorExpiredError, IncompleteAnswerError
from lastro.mirror import DatasetCopy, SyncResult
from lastro.record import row_of

# Rows that are written at once.
_BATCH = 2000


async def synchronise(transport: AsyncTransport, directory: Path, dataset: str) -> SyncResult:
    """Brings the copy of one data set up to date."""
    with DatasetCopy(directory, dataset) as copy:
        result = SyncResult(dataset)
        if copy.cursor is None:
            await _take_export(transport, copy, result)
        while copy.cursor is not None:
            try:
                await _follow(transport, copy, result)
                break
            except CursorExpiredError:
                await _take_export(transport, copy, result, forced=True)
        result.rows = copy.count()
        return result


async def _take_export(
    transport: AsyncTransport, copy: DatasetCopy, result: SyncResult, *, forced: bool = False
) -> None:
    """Replaces the copy by the export, in one transaction."""
    headers = {"Accept": NDJSON}
    # A server without changes is asked whether there is anything new at all.
    if copy.etag is not None and not forced:
        headers["If-None-Match"] = copy.etag
    call = Call(f"/api/v1/export/{copy.dataset}", headers=headers)
    for left in reversed(range(transport.policy.retries + 1)):
        try:
            await _load(transport, call, copy, result)
            return
        except IncompleteAnswerError:
            if left == 0:
                raise


async def _load(transport: AsyncTransport, call: Call, copy: DatasetCopy, result: SyncResult) -> None:
    async with transport.stream(call) as answer:
        if answer.status == 304:
            return
        with copy.replacing() as replacing:
            batch = []
            async for line in answer.lines():
                batch.append((row_of(line), line))
                if len(batch) >= _BATCH:
                    replacing.put(batch)
                    batch = []
            replacing.put(batch)
            replacing.finish(answer.headers.get("x-changes-cursor"), answer.headers.get("etag"))
    result.exported = True


async def _follow(transport: AsyncTransport, copy: DatasetCopy, result: SyncResult) -> None:
    """Applies the changes after the copy's cursor, a page in a transaction."""
    call = Call("/api/v1/changes", params(limit=1000, types=copy.types, series_ids=copy.series_ids))
    more = True
    while more:
        changes = AsyncChanges(transport, replace(call, params={**call.params, "after": copy.cursor or ""}))
        rows, more = await changes.page()
        replaced = any(copy.is_replaced_by(row) for row in rows)
        if replaced:
            await _take_export(transport, copy, result, forced=True)
            more = True
            continue
        copy.apply(rows, changes.cursor, result)
