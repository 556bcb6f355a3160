"""What was done with the wagers of a round: taken, paid, returned, and what the patron had in the end (D22, D245)."""

from __future__ import annotations

import msgspec

from events import model
from games.money import show_money
from replay.rounds import Round
from replay.table_state import Fact
from replay.wagering import Key, key_of


class Flow(msgspec.Struct):
    """What the dealer did with one wager: cents taken, winnings paid, stake returned; by slip; and the facts."""

    taken_cents: int = 0
    winnings_cents: int = 0
    stake_back_cents: int = 0
    by_slip_cents: int = 0
    facts: list[Fact] = []


def flows(round_: Round) -> dict[Key, Flow]:
    """Return what was done with each wager, by its key."""
    if "flows" in round_.memo:
        known: dict[Key, Flow] = round_.memo["flows"]
        return known
    found: dict[Key, Flow] = {}
    for type_ in (model.WagerTaken, model.WagerPaid, model.WagerReturned):
        for fact in round_.of(type_):
            event = fact.payload
            flow = found.setdefault(key_of(event.seat, event.wager, event.number, event.bettor), Flow())
            flow.facts.append(fact)
            match event:
                case model.WagerTaken():
                    flow.taken_cents += event.amount_cents
                case model.WagerPaid():
                    flow.winnings_cents += event.winnings_cents
                    flow.stake_back_cents += event.stake_cents
                    flow.by_slip_cents += event.winnings_cents if event.source == "slip" else 0
                case model.WagerReturned():
                    flow.stake_back_cents += event.amount_cents if event.reason != "late" else 0
    round_.memo["flows"] = found
    return found


def net_done(stake_cents: int, wager: str, flow: Flow) -> int:
    """Return the patron's net by what was done: all that came back less the stake.

    A wager that nobody paid or gave back lies with the patron but for what was taken; so does what lies beside a part that
    was returned as uncovered. A progressive wager was collected before the deal.
    """
    if wager == "progressive" or any(_gave(fact.payload) for fact in flow.facts):
        return flow.winnings_cents + flow.stake_back_cents - stake_cents
    return -flow.taken_cents


def _gave(event: model.WagerTaken | model.WagerPaid | model.WagerReturned) -> bool:
    """Whether a move ends a wager by giving the patron money: it was paid, or returned otherwise than as late or uncovered."""
    match event:
        case model.WagerTaken():
            return False
        case model.WagerPaid():
            return True
        case model.WagerReturned():
            return event.reason not in ("late", "uncovered")


def shown(flow: Flow, stake_cents: int) -> str:
    """Return in words what was done with a wager; `stake_cents` is what should have gone back with winnings, 0 if nothing."""
    said = []
    if flow.winnings_cents:
        said.append(f"{show_money(flow.winnings_cents)} paid")
    if flow.taken_cents:
        said.append(f"{show_money(flow.taken_cents)} collected")
    if flow.stake_back_cents and not flow.winnings_cents:
        said.append(f"{show_money(flow.stake_back_cents)} returned")
    elif flow.winnings_cents and flow.stake_back_cents != stake_cents:
        of = f" of {show_money(stake_cents)}" if stake_cents else ""
        said.append(f"{show_money(flow.stake_back_cents)} of the stake{of} returned")
    return ", ".join(said) if said else "nothing paid and nothing collected"
