"""Everybody answers the same questions: first checked, then timed in alternating rounds."""

import statistics
from dataclasses import dataclass, field

from . import machine
from .lastro import Bare, Lastro
from .load import SLOW_S
from .peers import Datasette, FastApi, Fastify, Roapi
from .postgresql import PostgreSql
from .questions import difference, questions

PEERS = {"fastify": Fastify, "fastapi": FastApi, "datasette": Datasette, "roapi": Roapi, "postgresql": PostgreSql}


@dataclass
class Entry:
    """One contestant on one question."""

    slow: bool = False
    rounds: list = field(default_factory=list)
    # Why it is not timed.
    missing: str = ""

    @property
    def per_second(self):
        return statistics.median(measured.per_second for measured in self.rounds)

    def percentile(self, name):
        return statistics.median(getattr(measured, name) for measured in self.rounds)


class Contest:
    def __init__(self, laboratory, peers):
        self.laboratory = laboratory
        self.questions = questions(laboratory.filings)
        self.lastro, self.bare = Lastro(laboratory), Bare(laboratory)
        laboratory.lastro = self.lastro
        self.peers = [PEERS[name](laboratory) for name in peers]
        self.absent = {}
        self.started = []
        self.entries = {}

    def run(self, rounds, seconds):
        try:
            self.open()
            for number in range(rounds):
                machine.say(f"round {number + 1} of {rounds}")
                self.round(seconds)
        finally:
            for contestant in self.started:
                contestant.stop()

    def open(self):
        self.enter(self.lastro)
        answers = self.answers_of_lastro()
        self.enter(self.bare)
        self.entries.update({(self.bare, question): Entry() for question in self.questions})
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
            # The thirty that are admitted come first.
            for _ in range(31 if question.refused else 1):
                try:
                    answers[question], _, length = self.lastro.ask(question)
                except machine.Unavailable as reason:
                    raise SystemExit(f"Lastro, {question.title}: {reason}")
            self.bare.lengths[question] = length
            self.entries[self.lastro, question] = Entry()
        return answers

    def check(self, peer, answers):
        """A wrong answer is not timed: its speed would mean nothing."""
        for question in self.questions:
            entry = self.entries[peer, question] = Entry()
            if peer.request(question) is None:
                entry.missing = "–"
                continue
            asked = [peer.ask(question) for _ in range(3)]
            answer = asked[-1][0]
            entry.slow = min(elapsed for _, elapsed, _ in asked) > SLOW_S
            reason = difference(question, answers[question], answer)
            if reason:
                machine.say(f"{peer.name}, {question.title}: {reason}")
                entry.missing = "other answer"

    def round(self, seconds):
        """Each question goes round all contestants; those whose turn it is not are stopped."""
        for contestant in self.contestants():
            contestant.pause()
        for question in self.questions:
            for contestant in self.contestants():
                entry = self.entries[contestant, question]
                if not entry.missing:
                    self.turn(contestant, question, entry, seconds)
        for contestant in self.contestants():
            contestant.resume()

    def turn(self, contestant, question, entry, seconds):
        contestant.resume()
        try:
            entry.rounds.append(contestant.measure(question, seconds, entry.slow))
        except machine.Unavailable as reason:
            machine.say(f"{contestant.name}, {question.title}: {reason}")
            entry.missing = "errors"
        finally:
            contestant.pause()

    def contestants(self):
        return [self.lastro, self.bare, *self.peers]
