"""Load: 64 connections that repeat one request, and the measured results."""

import contextlib
import http.client
import re
import resource
import subprocess
import time
from dataclasses import dataclass

from .machine import LOAD_CORE, Unavailable, command

CONNECTIONS = 64
# Slower requests are sent one by one, because a round would hold too few responses. On one core the rate is the same.
SLOW_S = 0.02
# Requests a minute that Lastro admits without a key.
FREE_QUOTA = 30


@dataclass(frozen=True)
class Request:
    """An HTTP request."""

    url: str
    headers: tuple = ()
    # Makes it a POST, if not empty.
    body: str = ""
    refused: bool = False


@dataclass(frozen=True)
class Measured:
    per_second: float
    answered: int = 0
    # In microseconds; NaN if requests were sent one by one.
    p50: float = float("nan")
    p99: float = float("nan")
    # Microseconds of the server's processor for one request, and the kernel's share of them.
    cpu: float = float("nan")
    system_share: float = float("nan")
    # Microseconds of the load's own processor for one request: the load is no bottleneck if they are fewer than the server's.
    load_cpu: float = float("nan")


def measure(request, seconds, directory, connections=CONNECTIONS, delay_ms=0):
    """Measures a request under load. `delay_ms` is the pause of each connection between two requests."""
    arguments = ["taskset", "-c", str(LOAD_CORE), command("wrk", "wrk"), "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "30s"]
    for name, value in request.headers:
        arguments += ["-H", f"{name}: {value}"]
    script = lua(request, delay_ms)
    if script:
        (directory / "wrk.lua").write_text(script)
        arguments += ["-s", str(directory / "wrk.lua")]
    before = cpu_of_children()
    out = subprocess.run([*arguments, request.url], check=True, capture_output=True, text=True, timeout=seconds + 60).stdout
    load_cpu = cpu_of_children() - before
    wait_for_stragglers(request)
    check(out, request)
    per_second = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    return Measured(per_second, answered(out), micros(out, "50%"), micros(out, "99%"), load_cpu=load_cpu * 1e6 / max(1, answered(out)))


def cpu_of_children():
    """Seconds of processor time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answered(out):
    return int(re.search(r"(\d+) requests in", out)[1])


def lua(request, delay_ms):
    body = f"wrk.method = 'POST'\nwrk.body = [[{request.body}]]\n" if request.body else ""
    delay = f"function delay() return {delay_ms} end\n" if delay_ms else ""
    return body + delay


def check(out, request):
    """Raises `Unavailable` if responses under load differ from those of the check."""
    asked = answered(out)
    failures = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    failures = int(failures[1]) if failures else 0
    if request.refused and asked - failures > FREE_QUOTA:
        raise Unavailable(f"{asked - failures} of {asked} requests were not refused")
    if not request.refused and failures or "Socket errors" in out:
        raise Unavailable(f"errors under load: {failures} of {asked} requests failed")


def micros(out, percentile):
    value, unit = re.search(rf"{percentile}\s+([\d.]+)(us|ms|s|m)\b", out).groups()
    return float(value) * {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6}[unit]


def one_by_one(request, seconds):
    """Measures a slow request: at least once, and as often as the time allows."""
    with connected(request) as connection:
        began, asked = time.monotonic(), 0
        while asked == 0 or time.monotonic() - began < seconds:
            status = ask(connection, request)
            if status != 200:
                raise Unavailable(f"status {status} under load")
            asked += 1
        return Measured(asked / (time.monotonic() - began), asked)


def wait_for_stragglers(request):
    """Waits for up to 64 requests still in progress when wrk exits, by sending one more, which ends after them."""
    with connected(request) as connection:
        ask(connection, request)


def connected(request):
    host = re.match(r"http://([^/]+)", request.url)[1]
    return contextlib.closing(http.client.HTTPConnection(host, timeout=120))


def ask(connection, request):
    path = re.match(r"http://[^/]+(.*)", request.url)[1]
    connection.request("POST" if request.body else "GET", path, request.body or None, dict(request.headers))
    response = connection.getresponse()
    response.read()
    return response.status
