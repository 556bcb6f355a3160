"""What rounds are made fit for: the conditions and preparations that planters and legitimate irregularities share.

A preparation changes the plan of a round (deals again, stacks a hand, adds a wager) and says whether it came to that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from floor.dj_wild.plan import Plan, VoidReason
from floor.face_up_pai_gow.preparing import by_card
from floor.table.table import Table
from games.cards import TEXT


def one_box_seat(plan: Plan) -> bool:
    """Prepare a round in which some patron has one box only."""
    plan.chosen = next(iter(plan.single_boxes()), 0)
    return bool(plan.chosen)


def raised_seat(plan: Plan) -> bool:
    """Prepare a round in which a patron with one box raises."""
    if not plan.single_boxes() or not plan.deal_until(lambda p: any(p.raises(seat) for seat in p.single_boxes())):
        return False
    plan.chosen = next(seat for seat in plan.single_boxes() if plan.raises(seat))
    return True


def folded_seat(plan: Plan) -> bool:
    """Prepare a round in which a patron with one box folds."""
    return one_box_seat(plan) and plan.deal_until(lambda p: not p.raises(p.chosen))


def ends(compared: int) -> Callable[[Plan], bool]:
    """Prepare a hand that is raised and ends higher (1), equal (0) or lower (-1) than the dealer's."""

    def prepare(plan: Plan) -> bool:
        if not one_box_seat(plan):
            return False
        if compared == 0:
            return equal_hands(plan)
        return plan.deal_until(lambda p: p.raises(p.chosen) and p.higher(p.chosen) == compared)

    return prepare


def equal_hands(plan: Plan) -> bool:
    """Let the dealer's hand be that of the chosen seat in other suits."""
    for _ in range(200):
        plan.deal({})
        hand = plan.hands[plan.chosen]
        if 52 in hand or any(card < 4 for card in hand):
            continue
        taken = {card for position, cards in plan.hands.items() if position != "dealer" for card in cards}
        mirrored = [card - card % 4 + (card + 1) % 4 for card in hand]
        if taken.intersection(mirrored):
            continue
        rest = [card for card in range(53) if card not in taken and card not in mirrored]
        plan.random.shuffle(rest)
        plan.hands["dealer"], plan.side, plan.stub = mirrored, rest[0], rest[1:]
        plan.boxes[plan.chosen].decision = "raise"
        if plan.higher(plan.chosen) == 0:
            return True
    return False


def with_hand(wager: str, *targets: str) -> Callable[[Plan], bool]:
    """Prepare a seat with a wager and a hand made to order."""

    def prepare(plan: Plan) -> bool:
        if not one_box_seat(plan):
            return False
        plan.bet(plan.chosen, wager, plan.book.offers["progressive"].min_cents if wager == "progressive" else 500)
        return plan.deal({plan.chosen: plan.random.choice(targets)})

    return prepare


def progressive_wager(plan: Plan) -> bool:
    """Let a patron with one box place a progressive wager."""
    if not one_box_seat(plan):
        return False
    plan.bet(plan.chosen, "progressive", plan.book.offers["progressive"].min_cents)
    return True


def wins_share(plan: Plan) -> bool:
    """Prepare a winner of a tenth of the meter who raises, alone at the table's Progressive."""
    if not one_box_seat(plan):
        return False
    plan.without("progressive")
    plan.bet(plan.chosen, "progressive", plan.book.offers["progressive"].min_cents)
    if not plan.deal({plan.chosen: "natural_straight_flush"}):
        return False
    plan.boxes[plan.chosen].decision = "raise"
    return True


def several(boxes: int) -> Callable[[Plan], bool]:
    """Prepare a round in which so many boxes play."""
    return lambda plan: len(plan.playing) >= boxes


def prepare_void(plan: Plan) -> bool:
    """Prepare a round that must be void, on a ground that fits the table, and that is voided."""
    grounds: list[VoidReason] = ["wrong_count", "stub_count", "face_up_cards", "exposed_card", "exposed_dealer"]
    grounds += [] if by_card(plan.table) else ["device_failed"]
    plan.void = grounds[plan.turn % len(grounds)]
    whole = len(plan.order) * (5 if by_card(plan.table) else 1)
    some = plan.random.randrange(1, whole)
    match plan.void:
        case "wrong_count":
            misdeal(plan)
        case "stub_count":
            plan.short_stub = plan.random.choice((-1, 1))
        case "face_up_cards":
            plan.void_after = max(2, some)
            two_face_up(plan)
        case "device_failed":
            plan.void_after = some
        case _:
            pass
    return True


def misdeal(plan: Plan) -> None:
    """Let a player, or the dealer, get a card too many or one too few."""
    plan.misdealt = (plan.random.choice(plan.order), plan.random.choice((-1, 1)))


def two_face_up(plan: Plan) -> None:
    """Let two cards be found face up and set aside."""
    plan.face_up, plan.stub = plan.stub[:2], plan.stub[2:]


def has_start_game(table: Table) -> bool:
    """The way of dealing has the dealer press Start Game and collect the Progressive wagers (§ 687a.8(c), .9(b))."""
    return by_card(table)


def text_of(plan: Plan, position: Any) -> Any:
    """Return one of a position's cards as text."""
    return TEXT[plan.random.choice(plan.hands[position])]
