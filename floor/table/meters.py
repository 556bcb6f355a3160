"""The controllers of progressive meters: each keeps a stream of its own (§ 688a.12(d), D18)."""

from random import Random
from typing import TypeVar

from events.vocabulary.envelope import Draft
from events.vocabulary.model import GamingDayOpened, MeterAdvanced, MeterReset, MeterSet, fact
from floor.table.streams import Stream
from rulebook.chapters.paytables import Paytable
from rulebook.settlement.progressive import after_winner, contribution, share_cents

CONTROLLER = "controller"
Moved = TypeVar("Moved", MeterAdvanced, MeterReset)


class Meter:
    """A meter in its controller's record, in hundredths of a cent, and the number of its last event."""

    def __init__(self, meter: str, chapter: str, paytable: Paytable, random: Random) -> None:
        self.id, self.chapter = meter, chapter
        self.paytable = paytable
        self.stream = Stream(f"meter/{meter}", random)
        self.value = paytable.seed_cents * 100 + random.randrange(400_000) * 100
        self.reserve = 0
        self.seq = 0
        self.now_us = 0
        self.in_service = False
        self.running = False
        """Whether a wager was accepted: from then on readings follow from readings."""

    def open_day(self, gaming_day: str, at_us: int) -> list[Draft]:
        """Open a gaming day; on the first the meter is put into service."""
        self.now_us = max(self.now_us, at_us)
        drafts = [self.stream.draft(CONTROLLER, GamingDayOpened(gaming_day=gaming_day), self.now_us, None)]
        if not self.in_service:
            self.in_service = True
            self.now_us += 1_000_000
            drafts.append(self.stream.draft(CONTROLLER, self._put_into_service(), self.now_us, None))
        self.seq = self.stream.seq
        return drafts

    def _put_into_service(self) -> MeterSet:
        return MeterSet(
            chapter=self.chapter,
            paytable=self.paytable.name,
            seed_cents=self.paytable.seed_cents,
            rate_bp=self.paytable.rate_bp,
            reserve_rate_bp=self.paytable.reserve_rate_bp,
            value_centicents=self.value,
            reserve_centicents=self.reserve,
            reason="put into service",
        )

    def advance(self, table: str, round_no: int, seat: int, wager_cents: int, error_centicents: int = 0) -> MeterAdvanced:
        """Accept a wager: the meter and its reserve rise by their rates (and by an error, if one is planted)."""
        self.running = True
        self.value += contribution(wager_cents, self.paytable.rate_bp) + error_centicents
        self.reserve += contribution(wager_cents, self.paytable.reserve_rate_bp)
        self.seq += 1
        return self._place(MeterAdvanced, table, round_no, seat, wager_cents=wager_cents)

    def win(self, table: str, round_no: int, seat: int, share_bp: int, error_centicents: int = 0) -> MeterReset:
        """Pay a winner a share; the whole meter resets it to its seed."""
        paid = share_cents(self.value, share_bp) * 100
        self.value = after_winner(self.value, share_bp, self.paytable.seed_cents) + error_centicents
        self.seq += 1
        return self._place(MeterReset, table, round_no, seat, share_bp=share_bp, paid_centicents=paid)

    def _place(self, type_: type[Moved], table: str, round_no: int, seat: int, **moved: int) -> Moved:
        """Return a seat's effect on the meter in a table's round, with the new readings of meter and reserve."""
        readings = {"value_centicents": self.value, "reserve_centicents": self.reserve}
        return fact(type_, table=table, round_no=round_no, seat=seat, **moved, **readings)
