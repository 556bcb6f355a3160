"""Streams in which much happens, for tests of the whole replay."""

from events.vocabulary import model
from replay.fold.device_reports import RECENT_ROUNDS
from tests.replay.tables import PAID, UNPAID, Table, filed

METER = "meter/m-1"


def paid(seat: int = 3, cents: int = 2500, source: str = "slip") -> model.WagerPaid:
    return model.WagerPaid(
        seat=seat, bettor=f"seat-{seat}", wager="base", number=None, stake_cents=2500, winnings_cents=cents, source=source
    )


def taken(cents: int = 1000, seat: int = 1) -> model.WagerTaken:
    return model.WagerTaken(seat=seat, bettor=f"seat-{seat}", wager="base", number=None, amount_cents=cents, reason="lost")


def fill(cents: int) -> model.FillReceived:
    return model.FillReceived(amount_cents=cents, slip="f-1", by="cage")


def eventful() -> Table:
    """A table with all that makes a replay look back: slips, gaps, refusals, corrections near and far, of every kind."""
    table = Table("table/fu-01")
    filled = table.say(fill(500_000))
    first = table.play(1, UNPAID)
    table.play(2, PAID.replace("close\n", ""))
    table.say(model.RoundClosed(by="d-7"), 2, source_seq=table.next() + 1)
    table.say(paid(), 1)  # a slip while nothing is open
    third = table.play(3, PAID)
    table.say(model.LightSeen(seat=3), 2, source_seq=third["round_opened"] - 4)  # fills the gap, or repeats a number
    table.correct(third["wager_paid"], paid(cents=2000, source="inventory"))
    table.correct(filled, fill(50_000))
    table.say(model.DropCounted(gaming_day="2026-02-28", box="b-1", amount_cents=900_000, by="count"))
    for number in range(4, 5 + RECENT_ROUNDS):
        table.play(number, UNPAID)
    table.say(paid(), 4)  # of a round that is not at hand any more
    wrong = table.correct(first["wager_taken"], taken(300))
    table.say(model.IntakeRefused(sha256="0" * 64, size=3, reason="not an event envelope"))
    table.play(9, UNPAID)
    table.correct(wrong, None)
    table.correct(2, filed("pa-688a max=20.00"))  # the rules that all rounds were judged by
    table.play(10, PAID.replace("close\n", ""))
    return table


def meter(name: str = METER) -> Table:
    """A meter of paytable 1 (28 % of each dollar; a straight flush of seven takes it whole) with one wrong advance."""
    made = Table(name)
    made.say(
        model.MeterSet(
            chapter="pa-688a",
            paytable="1",
            seed_cents=1_000_000,
            rate_bp=2800,
            reserve_rate_bp=0,
            value_centicents=100_000_000,
            reserve_centicents=0,
            reason="put into service",
        )
    )
    made.say(advanced(100_002_800))
    made.say(advanced(100_005_700, seat=4))  # a cent too much
    made.say(advanced(100_008_500, seat=5))
    return made


def advanced(value: int, seat: int = 3, reserve: int = 0) -> model.MeterAdvanced:
    return model.MeterAdvanced(
        table="fu-01", round_no=1, seat=seat, wager_cents=100, value_centicents=value, reserve_centicents=reserve
    )


def reset(share_bp: int, paid_centicents: int, value: int) -> model.MeterReset:
    return model.MeterReset(
        table="fu-01",
        round_no=1,
        seat=3,
        share_bp=share_bp,
        paid_centicents=paid_centicents,
        value_centicents=value,
        reserve_centicents=0,
    )
