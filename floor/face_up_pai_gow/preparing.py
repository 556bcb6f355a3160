"""What rounds are made fit for: the conditions and preparations that planters and legitimate irregularities share.

A preparation changes the plan of a round (deals again, stacks a hand, adds a wager) and says whether it came to that.
"""

from __future__ import annotations

from collections.abc import Callable

from floor.face_up_pai_gow.plan import Plan, VoidReason, Way, hand_of
from floor.table.table import Table
from games.chapters import ANY_SEVEN_CARD_STRAIGHT_FLUSH
from games.filed_way import is_set_by
from games.wagers import Outcome


def by_card(table: Table) -> bool:
    """Cards are dealt one at a time."""
    return table.spec.deal_method != "automated_shoe"


def by_stack(table: Table) -> bool:
    """The automated shoe deals stacks."""
    return table.spec.deal_method == "automated_shoe"


def with_dice(table: Table) -> bool:
    """The start is found with dice."""
    return table.spec.has_dice


def with_dealers_shaker(table: Table) -> bool:
    """The start is found with dice that the dealer shakes and covers."""
    return table.spec.starting == "shaker"


def shuffled_by_hand(table: Table) -> bool:
    """The next round's cards are shuffled by hand and cut."""
    return table.deck.dirty and (table.spec.shuffler == "none" or table.shuffler_out)


def machine_works(table: Table) -> bool:
    """There is a shuffler, and it works."""
    return table.spec.shuffler != "none" and not table.shuffler_out


def wrong_total(plan: Plan) -> int:
    """Return a total that is wrong by one or two, and points elsewhere."""
    return plan.count + plan.random.choice([d for d in (-2, -1, 1, 2) if 3 <= plan.count + d <= 18])


def prepare_void(plan: Plan) -> bool:
    """Prepare a round that must be void, on a ground that fits the table, and that is voided."""
    grounds: list[VoidReason] = ["wrong_count", "stub_count"]
    if plan.table.spec.has_dice:
        grounds.append("wrong_start")
    if plan.book.has("659a.13(e)"):
        grounds.append("exposed_dealer")
    elif by_stack(plan.table):
        grounds.append("exposed_stack")
    grounds.append("face_up_cards" if by_card(plan.table) else "device_failed")
    plan.void = grounds[plan.turn % len(grounds)]
    plan.clear()
    all_cards = 49 if by_card(plan.table) else 7
    some = plan.random.randrange(2, all_cards)
    match plan.void:
        case "wrong_start":
            total = wrong_total(plan)
            plan.announced = [total]
            plan.start_at(total)
            plan.void_after = plan.random.randrange(1, 4)
        case "exposed_dealer":
            plan.void_after = plan.random.randrange(plan.order.index("dealer") + 1, all_cards + 1)
        case "wrong_count":
            plan.void_after = all_cards
            return misdeal(plan)
        case "stub_count":
            plan.void_after = all_cards
            plan.short_stub = plan.random.choice((-1, 1))
        case "face_up_cards":
            plan.void_after = some
            plan.face_up = plan.stub[:2]
        case "exposed_stack" | "device_failed":
            plan.void_after = some
    return True


def misdeal(plan: Plan) -> bool:
    """Let one empty seat get a card too many and another one too few."""
    if not plan.make_empty(2):
        return False
    more, fewer = plan.random.sample(plan.empty, 2)
    plan.misdealt = (more, fewer)
    return True


def against_house_way(plan: Plan) -> list[Way]:
    """Return the settings of the dealer's cards that the house way does not accept and that are no foul."""
    cards = plan.hands["dealer"]
    return [way for way in plan.legal_ways(cards) if not is_set_by(plan.book.way, hand_of(tuple(cards), way))]


def one_box_seat(plan: Plan) -> bool:
    """Prepare a plain round in which some patron has one box only."""
    plan.clear()
    plan.chosen = next(iter(plan.single_boxes()), 0)
    return bool(plan.chosen)


def prepare_foul(plan: Plan) -> bool:
    """Let a player set a hand foul, against a dealer without ace high."""
    if not plan.deal_until(lambda p: not p.dealer_pushes):
        return False
    for seat in plan.single_boxes():
        ways = [way for way in plan.all_ways(plan.hands[seat]) if plan.is_foul(way)]
        if ways:
            plan.boxes[seat].way = plan.random.choice(ways)
            return True
    return False


def prepare_surrender(plan: Plan) -> bool:
    """Let a player without optional wagers surrender, against a dealer without ace high."""
    if not plan.deal_until(lambda p: not p.dealer_pushes):
        return False
    seats = plan.single_boxes()
    if not seats:
        return False
    plan.chosen = seats[0]
    plan.bet_only_base(plan.chosen)
    plan.surrendered = {plan.chosen}
    return True


def any_seat(plan: Plan) -> int:
    """Return a seat with a wager."""
    return plan.random.choice(sorted(plan.boxes))


def base_ends(*outcomes: Outcome) -> Callable[[Plan], bool]:
    """Say whether some base wager would end so."""
    return lambda plan: any(plan.outcome(seat) in outcomes for seat in plan.boxes)


def progressive_wager(plan: Plan) -> int | None:
    """Let a patron with one box place a progressive wager, and return the seat."""
    seats = plan.single_boxes()
    if not seats:
        return None
    plan.bet(seats[0], "progressive", plan.book.offers["progressive"].min_cents)
    return seats[0]


def some_progressive(plan: Plan) -> bool:
    """Prepare a round with a progressive wager."""
    return progressive_wager(plan) is not None


def wins_share(plan: Plan) -> bool:
    """Prepare a winner of a share of the meter, the smallest that the paytable has."""
    seat, paytable = progressive_wager(plan), plan.book.offers["progressive"].paytable
    if seat is None or paytable is None:
        return False
    plan.bet_only_base(seat)
    plan.bet(seat, "progressive", plan.book.offers["progressive"].min_cents)
    plan.without_envy({seat})
    line = min((line for line in paytable.lines if line.meter_bp), key=lambda line: line.meter_bp)
    hand = "seven_card_straight_flush" if line.hand == ANY_SEVEN_CARD_STRAIGHT_FLUSH else line.hand
    return plan.deal({seat: hand}) and plan.deal_until(lambda _: True)


def wins_amount(plan: Plan) -> bool:
    """Prepare a winner of a fixed amount."""
    seat = progressive_wager(plan)
    if seat is None:
        return False
    hand = plan.random.choice(("four_of_a_kind", "straight_flush"))
    return plan.deal({seat: hand}) and plan.deal_until(lambda _: True)
