"""The chips of simulated tables: whether what was counted at a day's end is what the day's events leave."""

from __future__ import annotations

from collections.abc import Mapping

from events import model
from events.envelope import Draft
from games.rulebook import parse_submission
from tests.floor.test_simulation import chips, corrected


def days_that_add_up(tables: Mapping[str, list[Draft]]) -> int:
    """Assert closer = opener + fills - credits - chips sold + taken - paid from the inventory (D27); return how many days."""
    days = 0
    for stream, drafts in tables.items():
        balance: int | None = None
        progressive_cents, day, filed = 0, "", dict[str, int]()
        for event in corrected(drafts):
            match event:
                case model.GamingDayOpened():
                    day = event.gaming_day
                case model.RulesFiled():
                    filed[event.effective_gaming_day] = parse_submission(event.toml).offers["progressive"].min_cents
                case model.TableOpened():
                    progressive_cents = filed[max(each for each in filed if each <= day)]
                case model.InventoryCounted(kind="opener"):
                    balance = event.amount_cents
                case model.InventoryCounted():
                    assert event.amount_cents == balance, stream
                    assert event.amount_cents > 0
                    days += 1
            if balance is not None:
                balance += chips(event, progressive_cents)
    return days
