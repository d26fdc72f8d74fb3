"""Waiting, in both ways."""

import time


async def async_sleep(seconds: float) -> None:
    # Here, because it takes longer to import than all of this package, and those who wait have no use for it.
    import asyncio  # noqa: PLC0415

    await asyncio.sleep(seconds)


def sleep(seconds: float) -> None:
    time.sleep(seconds)
