"""Growth of Lastro's figures with its data: questions, memory, startup, and a rebuild under load."""

import contextlib
import os
import statistics
import tempfile
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from . import lastro, load, machine, report, searches
from .laboratory import Laboratory
from .questions import questions

BOTH_CORES = f"{machine.SERVER_CORE},{machine.LOAD_CORE}"
# A light load, to measure latency and not throughput.
CALM_CONNECTIONS, CALM_DELAY_MS = 16, 5
WINDOWS_BEFORE = 5
REBUILD_PATIENCE_S = 180
# Publications in sequence, each as soon as the previous one is served, because one rebuild takes less than a second.
PUBLICATIONS = 8
KEEPING_PATIENCE_S = 60


class Station(lastro.Lastro):
    """A Lastro over a data set of one size, with its admin listener on."""

    def __init__(self, laboratory):
        super().__init__(laboratory)
        self.admin = machine.free_address()

    def launch(self):
        return lastro.serve(self.laboratory, self.address, self.admin, stderr=self.log())

    def start(self):
        """Starts it. Returns the seconds until it is alive and until it is ready."""
        began = time.monotonic()
        self.process = self.launch()
        machine.wait_for(f"http://{self.admin}/livez", self.process)
        alive = time.monotonic() - began
        while not self.is_ready():
            time.sleep(0.01)
        return alive, time.monotonic() - began

    def is_ready(self):
        try:
            return urllib.request.urlopen(f"http://{self.admin}/readyz", timeout=10).status == 200
        except urllib.error.HTTPError:
            return False

    def wait_until_kept(self):
        """Waits for the saved index, which makes the next start quick and is written after this one is ready."""
        kept = self.laboratory.database_file.with_name(self.laboratory.database_file.name + ".index") / "filings"
        given_up = time.monotonic() + KEEPING_PATIENCE_S
        while not kept.exists() and time.monotonic() < given_up:
            time.sleep(0.1)

    def tag(self):
        """Returns the tag of a filing, which changes with the edition in service. The metrics have the edition too, but drawing
        them takes 4 ms of the one worker that answers requests: asked 20 times a second, they tripled the p99."""
        request = urllib.request.Request(self.url("/api/v1/filings?limit=1"), headers={"X-API-Key": self.key})
        return urllib.request.urlopen(request, timeout=30).headers["ETag"]

    def spread_over(self, cores):
        machine.quietly(["taskset", "-a", "-p", "-c", cores, str(self.process.pid)])


@dataclass
class Figures:
    filings: int
    first_ready: float = 0
    alive: float = 0
    ready: float = 0
    resident: float = 0
    database: float = 0
    beside: float = 0
    # By the question's index, one measurement for each round.
    measured: dict = field(default_factory=dict)
    rebuild: float = 0
    # One value per second, in microseconds.
    p99_before: list = field(default_factory=list)
    p99_during: list = field(default_factory=list)
    peak: float = 0

    def median(self, place, name):
        return statistics.median(getattr(measured, name) for measured in self.measured[place])


def run(sizes, rounds, seconds, searches_in_family):
    with contextlib.ExitStack() as clean_up:
        stations = [opened(size, clean_up) for size in sizes]
        ask_in_rounds(stations, rounds, seconds)
        hard = single_searches(stations[-1][0], searches_in_family)
        for station, figures in stations:
            station.resume()
            rebuild_under_load(station, figures)
            station.pause()
        return text([figures for _, figures in stations], hard, rounds, seconds)


def opened(size, clean_up):
    directory = clean_up.enter_context(tempfile.TemporaryDirectory(prefix="lastro-bench-"))
    laboratory = Laboratory(directory, size)
    laboratory.fill()
    station, figures = Station(laboratory), Figures(size)
    station.prepare()
    clean_up.callback(station.stop)
    _, figures.first_ready = station.start()
    station.wait_until_kept()
    station.stop()
    figures.alive, figures.ready = station.start()
    figures.resident = machine.megabytes(station.process.pid, "VmRSS")
    figures.database, figures.beside = sizes_on_disk(laboratory)
    station.pause()
    return station, figures


def sizes_on_disk(laboratory):
    """Returns the megabytes of the database, and of the files that the service keeps beside it."""
    files = [file for file in laboratory.directory.rglob("*") if file.is_file()]
    size = {file: file.stat().st_size / 1e6 for file in files}
    name = laboratory.database_file.name
    own = {name + file + ending for file in ("", ".accounts") for ending in ("", "-wal", "-shm")}
    database = sum(size[file] for file in files if file.name in own)
    return database, sum(size.values()) - database


def ask_in_rounds(stations, rounds, seconds):
    for number in range(rounds):
        machine.say(f"round {number + 1} of {rounds}")
        for place in range(len(questions(1))):
            for station, figures in stations:
                request = station.request(questions(figures.filings)[place])
                station.resume()
                figures.measured.setdefault(place, []).append(load.measure(request, seconds, station.laboratory.directory))
                station.pause()


def single_searches(station, size):
    """Measures single searches on the largest set, where they take longest."""
    machine.say("single searches")
    station.resume()
    table = searches.table(searches.run(station, size))
    station.pause()
    return table


def rebuild_under_load(station, figures):
    """Publishes a few new filings repeatedly, and measures requests in windows of one second until all are served."""
    station.spread_over(BOTH_CORES)
    figures.p99_before = [calm_window(station, figures) for _ in range(WINDOWS_BEFORE)]
    with ThreadPoolExecutor() as aside:
        rebuilt = aside.submit(publish_all, station)
        while not rebuilt.done():
            figures.p99_during.append(calm_window(station, figures))
        figures.rebuild = statistics.median(rebuilt.result())
    figures.peak = machine.megabytes(station.process.pid, "VmHWM")


def publish_all(station):
    """Publishes at idle priority, so that only the rebuild is measured, and not the publishing or waiting process."""
    # Applies only to the calling thread and its children.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    return [publish_and_wait(station, number) for number in range(PUBLICATIONS)]


def publish_and_wait(station, number):
    """Returns the seconds from the end of the publication until the filings are served."""
    publish = [machine.binary("lastro-bench-publish"), station.laboratory.database, str(number)]
    before = station.tag()
    machine.quietly(publish)
    began = time.monotonic()
    while station.tag() == before:
        if time.monotonic() - began > REBUILD_PATIENCE_S:
            raise SystemExit("the new edition did not come into service")
        time.sleep(0.05)
    return time.monotonic() - began


def calm_window(station, figures):
    question = next(question for question in questions(figures.filings) if question.subject == "filings")
    request = station.request(question)
    return load.measure(request, 1, station.laboratory.directory, CALM_CONNECTIONS, delay_ms=CALM_DELAY_MS).p99


def text(all_figures, hard, rounds, seconds):
    largest = all_figures[-1]
    head = ["", *(f"{figures.filings:,}" for figures in all_figures), "last ÷ first"]
    rows = [[name, *(form(getattr(figures, what)) for figures in all_figures)] for name, what, form in ROWS]
    asked = []
    for place, question in enumerate(questions(largest.filings)):
        rates = [figures.median(place, "per_second") for figures in all_figures]
        cells = [f"{rate:,.0f} ({figures.median(place, 'p99') / 1e3:.2f})" for rate, figures in zip(rates, all_figures)]
        asked.append([question.title, *cells, report.ratio(rates[-1] / rates[0])])
    intro = f"{report.conditions()} Lastro alone, over sets of three sizes in alternating rounds; offsets shrink with the set."
    asked_title = f"Requests a second, and p99 in milliseconds, with 64 connections; median of {rounds} rounds of {seconds} s:"
    hard_title = f"Single searches that are meant to hurt, over {largest.filings:,} filings, one after the other. {searches.EXPLANATION}"
    calm = f"{CALM_CONNECTIONS} connections that rest {CALM_DELAY_MS} ms between requests"
    rows_title = f"Start, memory, and rebuilds for ten new filings, {PUBLICATIONS} times in a row, with the server on both cores and {calm}:"
    return "\n\n".join([intro, asked_title, report.table(head, asked), rows_title, report.table(head[:-1], rows), hard_title, hard])


def seconds_form(value):
    return f"{value:.2f} s"


def megabytes_form(value):
    return f"{value:,.1f} MB"


def milliseconds_form(value):
    return f"{value / 1e3:.2f} ms"


def windows_form(windows):
    return f"{milliseconds_form(statistics.median(windows))}, {milliseconds_form(max(windows))}"


ROWS = [
    ("first start: ready after", "first_ready", seconds_form),
    ("restart: process answers after", "alive", seconds_form),
    ("restart: ready after", "ready", seconds_form),
    ("resident when ready", "resident", megabytes_form),
    ("database on disk", "database", megabytes_form),
    ("kept beside it on disk", "beside", megabytes_form),
    ("new filings in service after", "rebuild", seconds_form),
    ("p99 of a filings page before: median second, worst second", "p99_before", windows_form),
    ("p99 of a filings page meanwhile: median second, worst second", "p99_during", windows_form),
    ("resident at most, rebuild included", "peak", megabytes_form),
]
