"""The honest client: a few questions a second, each answered in its time or not."""

import http.client
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field

# Where it comes from: nobody else does.
ADDRESS = "127.0.0.2"
QUESTIONS = (
    "/api/v1/market/overview", "/api/v1/market/selic/current", "/api/v1/companies?limit=20", "/api/v1/filings?limit=20", "/api/v1/search?q=energia",
    "/api/v1/plans/usage",
)
PATIENCE_S = 15
# A connection is used so often, so that new ones are part of the measure.
QUESTIONS_A_CONNECTION = 10


@dataclass
class Experience:
    """What it was like to be an honest client for a while."""

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
    """Asks at a steady pace. A wait counts from the moment when a question was due: one slow answer delays those behind it too."""
    experience, connection = Experience(), None
    start = time.monotonic()
    for number in range(int(seconds * per_second)):
        due = start + number / per_second
        time.sleep(max(0, due - time.monotonic()))
        # Whoever is this late has no time left to ask the rest.
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
