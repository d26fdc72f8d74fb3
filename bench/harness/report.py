"""Tables in Markdown, and `bench/results.md`, whose sections are written by different commands."""

import datetime
import math
import re
import statistics

from . import machine

RESULTS = machine.BENCH / "results.md"
PREAMBLE = """# Results

Written by `bench/run`, `bench/protocols`, `bench/instructions` and `bench/build`; [README.md](README.md) says how to read them.
"""
# Sections that are written by hand follow these.
ORDER = ["Contest", "Peers", "Protocols", "Scaling", "Fleet", "Instruction counts", "Build"]


def table(head, rows):
    """Formats a table. The first column is text, the others are figures."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write(section, text):
    """Replaces one section and keeps the others."""
    sections = dict(stored())
    sections[section] = text.strip()
    names = [name for name in ORDER if name in sections] + [name for name in sections if name not in ORDER]
    parts = [f"## {name}\n\n{sections[name]}\n" for name in names]
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


def spread(values, form=ratio):
    """Formats the median and the range of the middle half of the values."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return f"{form(middle)} ({form(low)}–{form(high)})"


def contest(contest, rounds, pairs, seconds):
    turns = f"{rounds} rounds, in each {pairs} turns of Lastro and of {len(contest.neighbours) - 1} others, one after the other, and one turn of each peer, {seconds} s a turn"
    size = f"{contest.laboratory.filings:,} filings; {turns}"
    settings = f"{conditions()} {size}; 64 connections; server on one core, load on the other."
    absent = [f"{name} does not take part: {reason}." for name, reason in contest.absent.items()]
    parts = [
        "Requests a second, medians:", by_contestant(contest, "per_second"),
        "Lastro and the limit: hyper with the same head and a body of the same length, and with one header. A ratio is the median of the ratios of "
        "turns right after each other, in brackets the middle half of them; CPU is the server's, for one request (in its own code + in the kernel), and "
        "its ratio is the limit's ÷ Lastro's:", limit(contest),
        "The load beside the leanest server: where it takes more of its core for a request than the server of its own, the load was the bottleneck, "
        "and the ratio by requests flatters Lastro:", bottleneck(contest),
    ]
    if contest.other:
        parts += ["Lastro and another version of it, as above; a ratio over 1 is a gain:", other_version(contest)]
    if contest.peers:
        parts += ["Microseconds of the server's CPU for one request, medians:", by_contestant(contest, "cpu")]
        parts += ["Lastro as a multiple of its peers, in the same round; the median of the rounds:", multiples(contest)]
    return "\n\n".join([settings, *absent, *parts])


def by_contestant(contest, what):
    everybody = contest.contestants()
    head = ["question", "bytes", *(contestant.name for contestant in everybody)]
    rows = []
    for question in contest.questions:
        figures = [shown(contest.entries[contestant, question], what) for contestant in everybody]
        rows.append([question.title, contest.bare.model[question].length, *figures])
    return table(head, rows)


def limit(contest):
    head = ["question", "÷ same head", "by CPU", "÷ leanest", "by CPU", "Lastro, CPU µs", "same head, CPU µs", "leanest, CPU µs", "p50 µs", "p99 µs"]
    rows = []
    for question in contest.questions:
        entries = [contest.entries[contestant, question] for contestant in (contest.lastro, contest.same_head, contest.bare)]
        missing = next((entry.missing for entry in entries if entry.missing), "")
        if missing:
            rows.append([question.title, *[missing] * (len(head) - 1)])
            continue
        ratios = [figure for place in (1, 2) for figure in beside(contest, question, place)]
        latencies = [rate(entries[0].median(what)) for what in ("p50", "p99")]
        rows.append([question.title, *ratios, *map(processor, entries), *latencies])
    return table(head, rows)


def beside(contest, question, place):
    """Formats the ratios of Lastro to one of its neighbours, by requests and by processor time."""
    pairs = [(turns[0], turns[place]) for turns in contest.turns[question] if turns[0] and turns[place]]
    by_requests = spread([ours.per_second / theirs.per_second for ours, theirs in pairs])
    return by_requests, spread([theirs.cpu / ours.cpu for ours, theirs in pairs])


def other_version(contest):
    name = contest.other.name
    head = ["question", f"÷ {name}", "by CPU", "Lastro, CPU µs", f"{name}, CPU µs"]
    rows = []
    for question in contest.questions:
        entries = [contest.entries[contestant, question] for contestant in (contest.lastro, contest.other)]
        missing = next((entry.missing for entry in entries if entry.missing), "")
        figures = [missing] * 4 if missing else [*beside(contest, question, 3), *map(processor, entries)]
        rows.append([question.title, *figures])
    return table(head, rows)


def bottleneck(contest):
    head = ["question", "load, CPU µs", "leanest, CPU µs", "load ÷ leanest", "bottleneck"]
    rows = []
    for question in contest.questions:
        turns = [turns[2] for turns in contest.turns[question] if turns[2] and not math.isnan(turns[2].load_cpu)]
        if not turns:
            continue
        share = statistics.median(turn.load_cpu / turn.cpu for turn in turns)
        figures = [statistics.median(getattr(turn, what) for turn in turns) for what in ("load_cpu", "cpu")]
        rows.append([question.title, *(f"{figure:.1f}" for figure in figures), ratio(share), "the load" if share >= 1 else "the server"])
    return table(head, rows)


def processor(entry):
    system = entry.median("cpu") * entry.median("system_share")
    return f"{entry.median('cpu'):.1f} ({entry.median('cpu') - system:.1f} + {system:.1f})"


def multiples(contest):
    plain = [peer for peer in contest.peers if not peer.has_duties]
    laden = [peer for peer in contest.peers if peer.has_duties]
    head = ["question", *(f"÷ {peer.name}" for peer in plain), "÷ fastest of these", *(f"÷ {peer.name}" for peer in laden)]
    rows = []
    for question in contest.questions:
        figures = [against(contest, question, [peer], lambda values: ratio(statistics.median(values))) for peer in plain]
        best = [against(contest, question, plain, spread)] + [against(contest, question, [peer], spread) for peer in laden]
        rows.append([question.title, *figures, *best])
    return table(head, rows)


def against(contest, question, peers, form):
    """Formats the ratio of Lastro to the fastest of these peers, by round, or the reason for its absence."""
    ours = contest.entries[contest.lastro, question]
    entries = [contest.entries[peer, question] for peer in peers]
    timed = [entry for entry in entries if not entry.missing]
    if ours.missing or not timed:
        return ours.missing or (entries[0].missing if len(entries) == 1 else "–")
    fastest = max(timed, key=lambda entry: entry.per_second)
    return form([ours.median("per_second", number) / fastest.median("per_second", number) for number in ours.rounds if number in fastest.rounds])


def shown(entry, what):
    """Formats a figure, which some contestants may not have."""
    value = None if entry.missing else entry.median(what)
    return entry.missing or ("–" if math.isnan(value) else rate(value))
