"""Planted faults of the settlement that every game can have: winners short or over, losers paid, wagers wrongly taken.

Each changes what the dealer did with one wager and leaves the rest as it is. The plan of a game says what its wagers are:
`base`, `by_hand` (those taken and paid at the box), `prepared` (the one that its preparation goes for), `ties`, `surrendered`;
and its play whose `chips` they are.
"""

from __future__ import annotations

from typing import Any

from events import model
from events.model import fact
from floor.faults.labels import Spot
from floor.table.facts import paid, returned, taken
from floor.table.script import Script, Step, changed
from games.wagers import PUSHES, Due, Outcome


def pick(play: Any, *outcomes: Outcome, wagers: tuple[str, ...] = ()) -> Due | None:
    """Return a wager that ended so, those first that a planter prepared for (the rarer)."""
    wagers = wagers or play.plan.by_hand
    dues: list[Due] = play.dues
    found = [
        due for due in dues
        if due.outcome in outcomes and due.wager in wagers and not due.capped and not due.uncovered_cents
        and due.seat not in play.plan.surrendered and (due.wager, due.seat) in play.script.settled
    ]  # fmt: skip
    if not found:
        return None
    play.plan.random.shuffle(found)
    wanted = play.plan.prepared
    return max(found, key=lambda due: due.wager == wanted)


def settled(play: Any, due: Due) -> Step:
    """Return the step that settled a wager."""
    script: Script = play.script
    step = script.settling(due.seat, due.wager)
    assert step is not None
    return step


def misread(play: Any, due: Due, result: str) -> tuple[str, ...]:
    """Every other time the dealer also announces what was wrongly done; return what follows from that."""
    said = play.script.first(model.ResultAnnounced, seat=due.seat)
    if due.wager != play.plan.base or said is None or play.plan.turn % 2 or said.payload.result == result:
        return ()
    changed(said, result=result)
    return ("PAY-ANNOUNCED",)


def pay_over(play: Any) -> Spot | None:
    """A winner is handed too much, or a tied base wager is paid as if it had won."""
    random = play.plan.random
    tie = pick(play, Outcome.TIE, wagers=(play.plan.base,)) if play.plan.turn % 4 == 3 else None
    if tie is not None:
        follows = misread(play, tie, "win")
        settled(play, tie).payload = paid(tie, tie.staked_cents, tie.staked_cents, play.chips)
        return Spot(tie.seat, tie.wager, follows)
    due = pick(play, Outcome.WIN)
    if due is None:
        return None
    changed(settled(play, due), winnings_cents=due.winnings_cents + 500 * random.randrange(1, 20))
    return Spot(due.seat, due.wager)


def pay_under(play: Any) -> Spot | None:
    """A winner is handed something, but too little."""
    due = pick(play, Outcome.WIN)
    if due is None or due.winnings_cents < 200:
        return None
    short = max(100, due.winnings_cents * play.plan.random.randrange(10, 60) // 100 // 100 * 100)
    changed(settled(play, due), winnings_cents=due.winnings_cents - short)
    return Spot(due.seat, due.wager)


def pay_missed(play: Any) -> Spot | None:
    """A winner gets the stake back only, or is passed over."""
    return _as_a_tie_or_not_at_all(play, pick(play, Outcome.WIN))


def pay_loser(play: Any) -> Spot | None:
    """A loser is paid."""
    due = pick(play, Outcome.LOSE)
    if due is None:
        return None
    odds = 1 if due.wager == play.plan.base else play.plan.random.choice((2, 3, 5))
    follows = misread(play, due, "win")
    settled(play, due).payload = paid(due, due.staked_cents, due.staked_cents * odds, play.chips)
    return Spot(due.seat, due.wager, follows)


def pay_taken(play: Any) -> Spot | None:
    """A winning or tied wager is collected."""
    tied = play.plan.ties and play.plan.turn % 4 == 3
    due = pick(play, *PUSHES, wagers=(play.plan.base,)) if tied else pick(play, Outcome.WIN)
    if due is None:
        return None
    follows = misread(play, due, "lose")
    settled(play, due).payload = taken(due.seat, due.bettor, due.wager, due.staked_cents, "lost")
    return Spot(due.seat, due.wager, follows)


def pay_not_taken(play: Any) -> Spot | None:
    """A losing wager is pushed back, or left where it lies."""
    return _as_a_tie_or_not_at_all(play, pick(play, Outcome.LOSE))


def _as_a_tie_or_not_at_all(play: Any, due: Due | None) -> Spot | None:
    """Settle a wager as if it had tied, or every other time not at all."""
    if due is None:
        return None
    step = settled(play, due)
    if play.plan.turn % 2:
        play.script.drop(step)
        return Spot(due.seat, due.wager)
    follows = misread(play, due, "tie")
    step.payload = returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
    return Spot(due.seat, due.wager, follows)


def pay_vig(play: Any) -> Spot | None:
    """Five percent is charged on a winning base wager."""
    due = pick(play, Outcome.WIN, wagers=(play.plan.base,))
    if due is None:
        return None
    amount = max(25, due.winnings_cents // 20 // 25 * 25)
    play.script.behind(
        settled(play, due), fact(model.VigorishTaken, seat=due.seat, bettor=due.bettor, amount_cents=amount)
    )  # fmt: skip
    return Spot(due.seat, play.plan.base)
