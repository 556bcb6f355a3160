"""What the devices of a small floor say, and how a bad network brings it: from one source of randomness.

The lines come in one order, whatever happens to those who take them in: each is delivered late, twice, out of turn, or once
more after it was lost; a few are smudged on the way.
"""

import random

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from intake.lines import line_of
from tests.replay.streams import advanced, meter, paid
from tests.replay.tables import PAID, UNPAID, Table

DAY_US = 86_400_000_000
ROUNDS = (PAID, UNPAID, PAID.replace("close\n", ""), PAID.replace("pay     seat=3 base 25.00", "pay     seat=3 base 20.00"))


def deliveries(rng: random.Random) -> list[bytes]:
    """Return the lines in the order in which they reach the intake."""
    said = [table for number in range(1, rng.randint(2, 3)) for table in [_table(rng, f"table/fu-{number:02d}")]]
    said.append(_table(rng, "table/fu-09"))
    if rng.random() < 0.5:
        said.append(meter())
        said[-1].say(advanced(100_008_500 + rng.randint(0, 1) * 2800, seat=2))
    network = _Network(rng)
    for table in said:
        network.send(table.stream, table.drafts)
    return network.arrived()


def _table(rng: random.Random, name: str) -> Table:
    table = Table(name)
    for number in range(1, rng.randint(2, 4)):
        table.play(number, rng.choice(ROUNDS))
        if number > 1 and rng.random() < 0.2:
            table.say(paid(), number - 1)  # a slip of the round before
        if rng.random() < 0.1:
            table.correct(rng.randint(3, table.last), None)
        if rng.random() < 0.1:
            table.say(model.LightSeen(seat=3), number, source_seq=table.next() + 1)
    if rng.random() < 0.3:
        table.say(model.GamingDayOpened(gaming_day="2026-03-02"), source="pit")
    return table


class _Network:
    """Brings lines at the moments that chance gives them; within a quiet one, each stream's in their order."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._arrivals: list[tuple[float, int, bytes]] = []
        self._reorders = rng.random() < 0.5
        self._clock_off_us = rng.choice((0, 0, 3 * DAY_US, -3 * DAY_US))

    def send(self, stream: str, drafts: list[Draft]) -> None:
        rng, at = self._rng, self._rng.uniform(0, 20)
        for number, draft in enumerate(drafts):
            at += rng.uniform(0, 1)
            line = line_of(stream, self._clocked(draft, number))
            if number and rng.random() < 0.02:
                self._arrive(at, self._smudged(line))
            late = rng.expovariate(0.5) if self._reorders and number > 2 and rng.random() < 0.15 else 0.0
            self._arrive(at + late, line)
            if rng.random() < 0.1:
                self._arrive(at + late + rng.uniform(0, 8), line)

    def arrived(self) -> list[bytes]:
        return [line for _, _, line in sorted(self._arrivals)]

    def _arrive(self, at: float, line: bytes) -> None:
        self._arrivals.append((at, len(self._arrivals), line))

    def _clocked(self, draft: Draft, number: int) -> Draft:
        """A clock that is three days off, or runs back at times."""
        back = self._clock_off_us if self._clock_off_us < 0 and number % 7 == 3 else max(0, self._clock_off_us)
        return msgspec.structs.replace(draft, occurred_at_us=draft.occurred_at_us + back) if back else draft

    def _smudged(self, line: bytes) -> bytes:
        at = self._rng.randrange(len(line))
        return (line[:at] + bytes([line[at] ^ 1 << self._rng.randrange(8)]) + line[at + 1 :]).replace(b"\n", b" ")
