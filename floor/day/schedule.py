"""Which anomalies are due at which round of a game: spread evenly over the simulation, in random order."""

from random import Random

from floor.faults.anomaly import Anomaly
from floor.table.table import Table

ROUNDS_FOR_ALL = 300
"""Rounds of a game after which every kind of fault is planted; a shorter day stays mostly plain."""


class Schedule:
    """The waiting anomalies, each with its first round. `most` is the largest number of rounds with anomalies."""

    def __init__(self, wanted: list[tuple[Anomaly, int]], rounds: int, random: Random, most: int) -> None:
        entries = [each for each, count in wanted for _ in range(count)]
        random.shuffle(entries)
        if len(entries) > most and rounds < ROUNDS_FOR_ALL:
            del entries[most:]
        elif len(entries) > most:  # each at least once, whatever share of the rounds that takes
            once = list({each.name: each for each in entries}.values())
            more = [each for at, each in enumerate(entries) if each in entries[:at]]
            entries = [*once, *more[: max(0, most - len(once))]]
            random.shuffle(entries)
        span = rounds * 0.9 / max(1, len(entries))
        self._waiting = [(at * span, each) for at, each in enumerate(entries)]
        self._turns = {each.name: random.randrange(60) for each, _ in wanted}

    def due(self, round_: int, table: Table) -> Anomaly | None:
        """Return the longest-waiting due anomaly that fits this table.

        After a round with lost messages, anomalies that act before the round are not due, since the log might not show that
        action missing.
        """
        for at, (when, anomaly) in enumerate(self._waiting):
            if when > round_:
                return None
            if anomaly.fits(table) and not (anomaly.before and table.lost):
                del self._waiting[at]
                return anomaly
        return None

    def take(self, name: str) -> Anomaly | None:
        """Return the first waiting anomaly of a kind, due or not."""
        for at, (_, anomaly) in enumerate(self._waiting):
            if anomaly.name == name:
                del self._waiting[at]
                return anomaly
        return None

    def again(self, anomaly: Anomaly, round_: int) -> None:
        """Keep an impossible anomaly for another round."""
        self._waiting.append((round_ + 1, anomaly))
        self._waiting.sort(key=lambda entry: entry[0])

    def turn(self, name: str) -> int:
        """Return a number that grows with each anomaly from a random start; variants depend on it."""
        return self._turns[name]

    def happened(self, name: str) -> None:
        """Count an anomaly as having happened."""
        self._turns[name] += 1
