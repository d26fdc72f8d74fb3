"""The questions to all contestants, and the comparison of their answers."""

import re
import unicodedata
import urllib.parse
from dataclasses import dataclass, field
from typing import Optional

LASTRO_PATHS = {
    "selic_current": "/api/v1/market/selic/current",
    "selic": "/api/v1/market/selic",
    "company": "/api/v1/companies/{id}",
    "filings": "/api/v1/filings",
    "search": "/api/v1/filings/search",
}


@dataclass(frozen=True, eq=False)
class Question:
    title: str
    subject: str
    parameters: dict = field(default_factory=dict)
    # Without a key Lastro rejects after thirty a minute; the other contestants have no limit.
    refused: bool = False
    # The requested content coding. No peer compresses, so only Lastro and the bare server are measured.
    coding: str = ""

    @property
    def path(self):
        """The path on Lastro, and on the peers with routes of our own."""
        rest = dict(self.parameters)
        path = LASTRO_PATHS[self.subject]
        if "{id}" in path:
            path = path.format(id=rest.pop("id"))
        return path + ("?" + urllib.parse.urlencode(rest, quote_via=urllib.parse.quote) if rest else "")


@dataclass
class Answer:
    rows: list
    total: Optional[int] = None


def questions(filings):
    """Returns the questions. Offsets are for two million filings and scale with the set."""
    far_in_category, far = 200_000 * filings // 2_000_000, 500_000 * filings // 2_000_000
    # The largest category: an eighth of all filings.
    category = {"category": "Comunicado ao Mercado", "from": "2020-01-01", "to": "2026-06-30"}
    days = {"from": "2019-01-01", "to": "2026-06-30"}
    return [
        Question("current Selic", "selic_current"),
        Question("current Selic without a key: refused (429)", "selic_current", refused=True),
        Question("20 Selic points between two days", "selic", {"from": "2024-01-01", "to": "2026-06-30"}),
        Question("company by id", "company", {"id": "91234"}),
        Question("20 filings by category and days, counted", "filings", {**category, "offset": 0}),
        Question(f"the same at offset {far_in_category:,}", "filings", {**category, "offset": far_in_category}),
        Question("20 filings by days, counted", "filings", {**days, "offset": 0}),
        Question(f"the same at offset {far:,}", "filings", {**days, "offset": far}),
        Question("search, a rare word, counted", "search", {"q": "Abanepeva"}),
        Question("search, a medium word, counted", "search", {"q": "saneamento"}),
        Question("search, the commonest word, counted", "search", {"q": "administração"}),
    ]


def compressed_questions():
    """Questions with the content codings that browsers and most libraries request."""
    days = {"from": "2019-01-01", "to": "2026-06-30", "offset": 0}
    return [Question(f"20 filings by days, counted, in {coding}", "filings", days, coding=coding) for coding in ("gzip", "zstd", "br")]


def difference(question, ours, theirs):
    """Returns the difference between two answers, or None. Only the fields of `ours`, Lastro's, are compared."""
    if question.refused:
        # The status was checked on receipt, and the text of a rejection is different for each contestant.
        return None
    if ours.total != theirs.total:
        return f"total {theirs.total}, not {ours.total}"
    if len(ours.rows) != len(theirs.rows):
        return f"{len(theirs.rows)} rows, not {len(ours.rows)}"
    if question.subject == "search":
        return stray_hit(question.parameters["q"], theirs.rows)
    for place, (our, their) in enumerate(zip(ours.rows, theirs.rows)):
        for name, value in our.items():
            if their.get(name) != value:
                return f"row {place}: {name} is {their.get(name)!r}, not {value!r}"
    return None


def stray_hit(word, rows):
    """Checks that every hit has the word. The order is not compared, because each search engine ranks differently."""
    if len({row["id"] for row in rows}) != len(rows):
        return "a row is there twice"
    for row in rows:
        text = " ".join(row.get(name) or "" for name in ("company_name", "category", "type", "description"))
        if folded(word) not in re.findall(r"\w+", folded(text)):
            return f"filing {row['id']} does not have the word"
    return None


def folded(text):
    return "".join(letter for letter in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(letter))
