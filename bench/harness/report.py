"""Tables in Markdown, and `bench/results.md`, whose sections are written by different commands."""

import datetime
import re

from . import machine

RESULTS = machine.BENCH / "results.md"
PREAMBLE = """# Results

Written by `bench/run` and `bench/instructions`; how to read them is told in [README.md](README.md).
"""
ORDER = ["Contest", "Scaling", "Instruction counts"]


def table(head, rows):
    """The first column is text, the others are figures."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write(section, text):
    """Replaces one section and leaves the others as they are."""
    sections = dict(stored())
    sections[section] = text.strip()
    parts = [f"## {name}\n\n{sections[name]}\n" for name in ORDER if name in sections]
    RESULTS.write_text("\n".join([PREAMBLE, *parts]))


def stored():
    text = RESULTS.read_text() if RESULTS.exists() else ""
    return [(name, body.strip()) for name, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.M | re.S)]


def read(section):
    return dict(stored()).get(section, "")


def conditions():
    return f"{datetime.date.today().isoformat()}, {machine.description()}."


def rate(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def ratio(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def contest(contest, rounds, seconds):
    size = f"{contest.laboratory.filings:,} filings; median of {rounds} rounds of {seconds} s"
    settings = f"{conditions()} {size}; 64 connections; server on one core, load on the other."
    absent = [f"{name} does not take part: {reason}." for name, reason in contest.absent.items()]
    tables = ["Requests a second:", requests(contest), "Lastro as a multiple of each, and its latency:", ratios(contest)]
    return "\n\n".join([settings, *absent, *tables])


def requests(contest):
    everybody = contest.contestants()
    head = ["question", "bytes", *(contestant.name for contestant in everybody)]
    rows = []
    for question in contest.questions:
        figures = [shown(contest.entries[contestant, question], rate) for contestant in everybody]
        rows.append([question.title, contest.bare.lengths[question], *figures])
    return table(head, rows)


def ratios(contest):
    others = [contest.bare, *contest.peers]
    head = ["question", *(f"÷ {contestant.name}" for contestant in others), "÷ fastest peer", "p50 µs", "p99 µs"]
    rows = []
    for question in contest.questions:
        ours = contest.entries[contest.lastro, question]
        if ours.missing:
            rows.append([question.title, *[ours.missing] * (len(head) - 1)])
            continue
        against = {c: contest.entries[c, question] for c in others}
        figures = [shown(entry, lambda value: ratio(ours.per_second / value)) for entry in against.values()]
        timed = [entry.per_second for c, entry in against.items() if c is not contest.bare and not entry.missing]
        best = ratio(ours.per_second / max(timed)) if timed else "–"
        rows.append([question.title, *figures, best, rate(ours.percentile("p50")), rate(ours.percentile("p99"))])
    return table(head, rows)


def shown(entry, form):
    return entry.missing or form(entry.per_second)
