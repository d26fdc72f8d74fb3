"""The honest client: sends a few requests a second and records response times and failures."""

import http.client
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field

# Its own address, shared with no attacker.
ADDRESS = "127.0.0.2"
QUESTIONS = (
    "/api/v1/market/overview", "/api/v1/market/selic/current", "/api/v1/companies?limit=20", "/api/v1/filings?limit=20", "/api/v1/search?q=energia",
    "/api/v1/plans/usage",
)
PATIENCE_S = 15
# Requests per connection, so that opening connections is part of the measurement.
QUESTIONS_A_CONNECTION = 10


@dataclass
class Experience:
    """Response times and outcomes of the honest client."""

    milliseconds: list = field(default_factory=list)
    answers: Counter = field(default_factory=Counter)

    def quantile(self, share):
        ordered = sorted(self.milliseconds) or [float("inf")]
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    @property
    def p50(self):
        return statistics.median(self.milliseconds or [float("inf")])

    @property
    def p99(self):
        return self.quantile(0.99)


def ask(server, key, seconds, per_second):
    """Sends requests at a steady rate. Waits count from the due time, as a slow response delays later requests too."""
    experience, connection = Experience(), None
    start = time.monotonic()
    for number in range(int(seconds * per_second)):
        due = start + number / per_second
        time.sleep(max(0, due - time.monotonic()))
        # Too late to send the remaining requests.
        if time.monotonic() > start + seconds + PATIENCE_S:
            experience.answers["not asked"] += 1
            continue
        if number % QUESTIONS_A_CONNECTION == 0:
            connection = connection and connection.close()
        connection = connection or http.client.HTTPConnection(*server, timeout=PATIENCE_S, source_address=(ADDRESS, 0))
        outcome = answer_of(connection, QUESTIONS[number % len(QUESTIONS)], key)
        if outcome == "no answer":
            connection = connection.close()
        experience.answers[outcome] += 1
        experience.milliseconds.append((time.monotonic() - due) * 1000)
    connection and connection.close()
    return experience


def answer_of(connection, path, key):
    try:
        connection.request("GET", path, headers={"x-api-key": key})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return "no answer"
