"""The chips of simulated tables: whether what was counted at a day's end is what the day's events leave."""

from collections.abc import Mapping

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from rulebook.chapters.rulebook import parse_submission


def corrected(drafts: list[Draft]) -> list[model.Event]:
    """The events of a stream as they count: corrections applied; they name number and id of what they supersede."""
    payloads = [draft.payload for draft in drafts]
    for draft in drafts:
        correction = draft.payload
        if isinstance(correction, model.EventCorrected):
            wrong = drafts[correction.supersedes_seq - 1]
            if correction.replacement is None:  # a planted fault
                assert wrong.event_id != correction.supersedes_event_id
                continue
            assert wrong.event_id == correction.supersedes_event_id
            assert (wrong.payload.TYPE, wrong.round_no) == (correction.replacement.type, correction.replacement.round_no)
            payloads[correction.supersedes_seq - 1] = msgspec.convert(correction.replacement.payload, type(wrong.payload))
    return payloads


def chips(event: model.Event, progressive_cents: int) -> int:
    """What an event adds to a table's inventory; progressive chips go into it when they are collected."""
    match event:
        case model.FillReceived() | model.WagerTaken() | model.VigorishTaken():
            return event.amount_cents
        case model.CreditSent() | model.BuyIn() | model.EnvyPaid() | model.WagerReturned(wager="progressive"):
            return -event.amount_cents
        case model.ProgressiveLocked():
            return event.collected * progressive_cents
        case model.WagerPaid():
            stake = event.stake_cents if event.wager == "progressive" else 0
            return -stake - (event.winnings_cents if event.source == "inventory" else 0)
        case _:
            return 0


def days_that_add_up(tables: Mapping[str, list[Draft]]) -> int:
    """Assert closer = opener + fills - credits - chips sold + taken - paid from the inventory (D27); return how many days.

    The next opener is the last closer, and the drop is what was sold.
    """
    days = 0
    for stream, drafts in tables.items():
        balance: int | None = None
        sold = progressive_cents = 0
        day, filed = "", dict[str, int]()
        for event in corrected(drafts):
            match event:
                case model.GamingDayOpened():
                    day = event.gaming_day
                case model.RulesFiled():
                    progressive = parse_submission(event.toml).offers.get("progressive")
                    filed[event.effective_gaming_day] = progressive.min_cents if progressive is not None else 0
                case model.TableOpened():
                    progressive_cents = filed[max(each for each in filed if each <= day)]
                case model.InventoryCounted(kind="opener"):
                    assert balance in (None, event.amount_cents)
                    balance = event.amount_cents
                case model.InventoryCounted():
                    assert event.amount_cents == balance, stream
                    assert event.amount_cents > 0
                    days += 1
                case model.DropCounted():
                    assert event.amount_cents == sold
                    sold = 0
                case model.BuyIn():
                    sold += event.amount_cents
            if balance is not None:
                balance += chips(event, progressive_cents)
    return days
