"""Drafts for tests of the log: each device counts on by itself, event ids are the running number."""

from typing import Any

from events.log.contract import EventLog
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, GamingDayOpened, PropertyConfigured, RoundClosed, RoundOpened, Surrendered, WagerPlaced

DAY = "2026-03-14"
TABLE = "table/fu-07"


class Drafts:
    """Makes drafts: `drafts(payload)`; `source_seq` and `event_id` count up unless given."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, payload: Event, *, round_no: int | None = None, **fields: Any) -> Draft:
        self.made += 1
        stated = {
            "event_id": f"{self.made:032x}",
            "source": "table-07",
            "source_seq": self.made,
            "occurred_at_us": 1_773_500_000_000_000 + self.made,
        }
        return Draft(**{**stated, **fields}, round_no=round_no, payload=payload)

    def day(self, day: str = DAY) -> Draft:
        return self(GamingDayOpened(gaming_day=day))

    def configured(self) -> Draft:
        """What the office says of the property."""
        said = {"name": "Bellwether", "time_zone": "America/New_York", "gaming_day_cutover": "06:00", "currency": "USD"}
        return self(PropertyConfigured(**said))

    def wager(self, seat: int = 3, amount_cents: int = 2500, **fields: Any) -> Draft:
        payload = WagerPlaced(seat=seat, bettor="p-9", wager="base", number=None, amount_cents=amount_cents, form="chips")
        return self(payload, round_no=7, **fields)

    def round(self, wagers: int = 3) -> list[Draft]:
        """A round with this many wagers and a surrender: `wagers` + 3 events."""
        opened = self(RoundOpened(deck="d-1", observed=["wagering"]), round_no=7)
        inside = [self.wager(seat) for seat in range(1, wagers + 1)]
        return [opened, *inside, self(Surrendered(seat=1), round_no=7), self(RoundClosed(by="dealer-2"), round_no=7)]


def group(drafts: Drafts, stream: str = TABLE) -> list[Draft]:
    """Return six events that may be in a stream: a round, or what the office says six times."""
    return [drafts.configured() for _ in range(6)] if stream.startswith("property/") else drafts.round()


def fill(log: EventLog, drafts: Drafts, stream: str = TABLE, rounds: int = 2) -> int:
    """Append a day and some rounds (to the property's: as many events of its own) to an empty stream; return its last
    number (1 + 6 × rounds).
    """
    log.append(stream, 1, [drafts.day()])
    for _ in range(rounds):
        log.append(stream, log.head(stream).seq + 1, group(drafts, stream))
    return log.head(stream).seq
