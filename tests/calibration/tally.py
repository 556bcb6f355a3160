"""What honest rounds came to: of each round one bet on every wager and paytable, and what dice, numbers and cards showed.

One bet of a round, so that all bets of a count are independent: the boxes of a round share the dealer's hand and the dice.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from floor.day.gaming_day import simulate
from rulebook.settlement.wagers import Due, Outcome

ROUNDS_A_FLOOR = 5_000
WHOLE = {"over_under": ("ante", "over", "under"), "dj_wild": ("ante", "blind", "raise")}
"""The wagers that theory takes as one; elsewhere it is the base wager alone."""
NAMES = {"over_under": "base", "dj_wild": "ante_blind_raise"}
LINES = "progressive, by line"
DEUCES_WILD = ", deuces wild"
"""The reading of the Progressive at DJ Wild by which deuces are wild cards there too, if that is filed (D6)."""
UNSETTLED = (Outcome.VOID, Outcome.ABANDONED, Outcome.UNKNOWN, Outcome.UNCOVERED)

Key = tuple[str, str, str]
"""Chapter, wager, and paytable or variant."""
Counts = dict[Key, Counter[Any]]


def played(seed: int, game: str, rounds: int) -> Counts:
    """Play plain rounds by the house way and return what it came to; a function of its arguments."""
    found: Counts = {}

    def listen(play: Any) -> None:
        for key, value in _observed(play):
            found.setdefault(key, Counter())[value] += 1

    simulate(seed, rounds, plant=False, games=(game,), rare_every=0, house_way=True, listener=listen, anomalies=False)
    return found


def _observed(play: Any) -> Iterator[tuple[Key, Any]]:
    chapter = play.book.chapter.key
    seen: set[Key] = set()
    for key, units in (*_required(play), *_optional(play)):
        if key not in seen:
            seen.add(key)
            yield key, units
    yield from ((("fairness", family, chapter), value) for family, value in _devices(play))


def _required(play: Any) -> Iterator[tuple[Key, float]]:
    """What a box's required wagers win for the house, in units of the first of them."""
    game, book = play.book.game, play.book
    wagers = WHOLE.get(game, ("base",))
    for seat in sorted(play.plan.boxes):
        dues = [due for due in play.dues if due.seat == seat and due.wager in wagers]
        first = next((due for due in dues if due.wager == wagers[0]), None)
        if first is None or any(due.outcome in UNSETTLED or due.net_cents is None for due in dues):
            continue
        house = -sum(due.net_cents or 0 for due in dues)
        yield (book.chapter.key, NAMES.get(game, "base"), _variant(play, dues)), round(house / first.staked_cents, 6)


def _variant(play: Any, dues: list[Due]) -> str:
    settings = play.book.settings
    match play.book.game:
        case "pai_gow_poker":
            return "commission_free" if settings["commission_free"] else "vigorish"
        case "over_under":
            return "wrong_side_pushes" if settings["wrong_side"] == "pushes" else ""
        case "dj_wild":
            return next(due.paytable for due in dues if due.wager == "blind")
        case _:
            return ""


def _optional(play: Any) -> Iterator[tuple[Key, float]]:
    """What optional wagers win for the house, per stake; what the meter pays is no part of it."""
    required = WHOLE.get(play.book.game, ("base",))
    chapter = play.book.chapter.key
    for due in play.dues:
        if due.wager in (*required, "backline") or due.for_position is not None or not due.staked_cents:
            continue
        if due.outcome in UNSETTLED or due.net_cents is None:
            continue
        short = due.uncapped_cents - due.winnings_cents if due.capped else 0
        house = -(due.net_cents - due.slip_cents + short)
        wild = due.wager == "progressive" and play.book.settings.get("progressive_deuces") == "wild"
        name = f"{due.paytable}{DEUCES_WILD}" if wild else due.paytable
        yield (chapter, due.wager, name), round(house / due.staked_cents, 6)
        if due.wager == "progressive":
            yield (chapter, LINES, name), due.line or "none"


def _devices(play: Any) -> Iterator[tuple[str, Any]]:
    """What dice, number and cards show: of the cards the first that each position gets."""
    plan, spec = play.plan, play.table.spec
    if spec.has_dice:
        for number, value in enumerate(plan.dice):
            yield f"die {number + 1}", value
        yield "total", sum(plan.dice)
    elif spec.starting == "number":
        yield "number", plan.count
    for position, cards in plan.hands.items():
        yield f"first card of {position}", cards[0]
        if play.book.game != "over_under":
            yield f"joker at {position}", 52 in cards
