"""The result of testing a promise, and observations that several promises use."""

import json
import time
from dataclasses import dataclass

from .clients import CURRENT_SELIC, Client

# Requests a minute: of anybody, of a Bronze key, and of a key whose limit is never reached here.
FREE, BRONZE = 30, 100
AMPLE = 1_000_000


@dataclass(frozen=True)
class Observed:
    text: str
    # None if it could not be tested here; the text has the reason.
    kept: bool | None


def skipped(reason):
    return Observed(reason, None)


def usage(fleet, key):
    """The usage reported by the service, after all replicas have flushed their counts."""
    time.sleep(3)
    report = json.loads(Client(fleet.balancer.port, key).ask("/api/v1/plans/usage").body)
    return sum(endpoint["requests"] for endpoint in report["endpoints"] if endpoint["endpoint"].endswith(CURRENT_SELIC))
