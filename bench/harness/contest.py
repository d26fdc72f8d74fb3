"""The contest: all contestants get the same questions, first checked, then timed in alternating turns."""

import statistics
from dataclasses import dataclass, field

from . import machine
from .lastro import Bare, Lastro, SameHead
from .load import FREE_QUOTA, SLOW_S
from .other_version import OtherVersion
from .peers import Datasette, FastApi, Fastify, FastifyWithDuties, Roapi
from .postgresql import PostgreSql
from .questions import compressed_questions, difference, questions

PEERS = {
    "fastify": Fastify, "fastify-with-duties": FastifyWithDuties, "fastapi": FastApi, "datasette": Datasette, "roapi": Roapi, "postgresql": PostgreSql,
}
# Warm-up before timing, for contestants with a just-in-time compiler.
WARM_UP_S = 1


@dataclass
class Entry:
    """One contestant on one question."""

    slow: bool = False
    # Measurements by round: one turn of a peer, several of all others.
    rounds: dict = field(default_factory=dict)
    # The reason for not timing it.
    missing: str = ""

    def add(self, number, measured):
        self.rounds.setdefault(number, []).append(measured)

    def median(self, what, number=None):
        """Returns the median of all rounds, or of one."""
        turns = [turn for turns in self.rounds.values() for turn in turns] if number is None else self.rounds[number]
        return statistics.median(getattr(turn, what) for turn in turns)

    @property
    def per_second(self):
        return self.median("per_second")


class Contest:
    def __init__(self, laboratory, peers, beside=None):
        self.laboratory = laboratory
        self.questions = questions(laboratory.filings) + compressed_questions()
        self.lastro, self.same_head, self.bare = Lastro(laboratory), SameHead(laboratory), Bare(laboratory)
        laboratory.lastro = self.lastro
        other = laboratory.directory / "other-version"
        self.other = OtherVersion(beside, other, laboratory.filings) if beside else None
        # These are measured right after each other, in this order or the reverse.
        self.neighbours = [self.lastro, self.same_head, self.bare] + ([self.other] if beside else [])
        self.peers = [PEERS[name](laboratory) for name in peers]
        self.absent = {}
        self.started = []
        self.entries = {}
        # By question: the measurements of all neighbours, in their order.
        self.turns = {question: [] for question in self.questions}

    def run(self, rounds, pairs, seconds):
        try:
            self.open()
            for number in range(rounds):
                machine.say(f"round {number + 1} of {rounds}")
                self.round(number, pairs, seconds)
        finally:
            for contestant in self.started:
                contestant.stop()

    def open(self):
        self.enter(self.lastro)
        answers = self.answers_of_lastro()
        for limit in (self.same_head, self.bare):
            self.enter(limit)
            self.entries.update({(limit, question): Entry() for question in self.questions})
        if self.other:
            self.enter(self.other)
            for question in self.questions:
                self.entries[self.other, question] = Entry(missing=self.fault(self.other, question, answers))
        for peer in list(self.peers):
            try:
                self.enter(peer)
                self.check(peer, answers)
            except machine.Unavailable as reason:
                machine.say(f"{peer.name} does not take part: {reason}")
                self.absent[peer.name] = str(reason)
                self.peers.remove(peer)

    def enter(self, contestant):
        contestant.prepare()
        self.started.append(contestant)
        contestant.start()

    def answers_of_lastro(self):
        answers = {}
        for question in self.questions:
            try:
                asked = self.answers(self.lastro, question)[-1]
            except machine.Unavailable as reason:
                raise SystemExit(f"Lastro, {question.title}: {reason}")
            answers[question] = asked.answer
            self.bare.model[question] = self.same_head.model[question] = asked
            self.entries[self.lastro, question] = Entry()
        return answers

    def answers(self, contestant, question):
        # The quota is used up first, so that the last response is a rejection.
        return [contestant.ask(question) for _ in range(FREE_QUOTA + 1 if question.refused else 3)]

    def check(self, peer, answers):
        """Compares a peer's answers with Lastro's. A wrong answer is not timed: its speed would mean nothing."""
        for question in self.questions:
            entry = self.entries[peer, question] = Entry()
            if question.coding or peer.request(question) is None:
                entry.missing = "–"
                continue
            asked = self.answers(peer, question)
            entry.slow = min(response.elapsed for response in asked) > SLOW_S
            reason = difference(question, answers[question], asked[-1].answer)
            if reason:
                machine.say(f"{peer.name}, {question.title}: {reason}")
                entry.missing = "other answer"
            elif not entry.slow:
                self.measure(peer, question, WARM_UP_S)

    def fault(self, other, question, answers):
        """Asks another version, whose rows may have other fields, and returns the reason for not timing it, or nothing."""
        answer, ours = self.answers(other, question)[-1].answer, answers[question]
        return "" if (answer.total, len(answer.rows)) == (ours.total, len(ours.rows)) else "other answer"

    def round(self, number, pairs, seconds):
        """Times each question for all contestants in turn; the others are paused."""
        for contestant in self.contestants():
            contestant.pause()
        for question in self.questions:
            for pair in range(pairs):
                self.turn_each(number, question, seconds, reverse=pair % 2 == 1)
            for peer in self.peers:
                self.turn(number, peer, question, seconds)
        for contestant in self.contestants():
            contestant.resume()

    def turn_each(self, number, question, seconds, reverse):
        """Times all neighbours in turn, in alternating order, so that disturbances of the machine affect all."""
        order = self.neighbours[::-1] if reverse else self.neighbours
        measured = {contestant: self.turn(number, contestant, question, seconds) for contestant in order}
        self.turns[question].append([measured[contestant] for contestant in self.neighbours])

    def turn(self, number, contestant, question, seconds):
        entry = self.entries[contestant, question]
        if entry.missing:
            return None
        contestant.resume()
        measured = self.measure(contestant, question, seconds)
        contestant.pause()
        if measured:
            entry.add(number, measured)
        return measured

    def measure(self, contestant, question, seconds):
        entry = self.entries[contestant, question]
        try:
            return contestant.measure(question, seconds, entry.slow)
        except machine.Unavailable as reason:
            machine.say(f"{contestant.name}, {question.title}: {reason}")
            entry.missing = "errors"
            return None

    def contestants(self):
        return [*self.neighbours, *self.peers]
