"""The service under test: `LASTRO_URL`, with keys in `LASTRO_GOLD_KEY`, `LASTRO_PLATINUM_KEY` and `LASTRO_SCARCE_KEY`
(three requests a minute). The gate of scripts/test starts it; without it those tests are skipped."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import lastro


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LASTRO_API_KEY", raising=False)


@pytest.fixture
def url() -> str:
    address = os.environ.get("LASTRO_URL")
    if address is None:
        pytest.skip("LASTRO_URL names no service")
    return address


@pytest.fixture
def gold_key() -> str:
    return os.environ["LASTRO_GOLD_KEY"]


@pytest.fixture
def gold(url: str, gold_key: str) -> Iterator[lastro.Lastro]:
    with lastro.Lastro(gold_key, url) as client:
        yield client


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waits that take no time, and what was waited."""
    waited: list[float] = []
    monkeypatch.setattr("lastro._sync.transport.sleep", waited.append)

    async def async_sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("lastro._async.transport.async_sleep", async_sleep)
    return waited
