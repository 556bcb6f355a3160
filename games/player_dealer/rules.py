"""The player-dealer position of California: rotation, action button, piles, backline wagers, fees, order of settlement.

GEGR-002138; D3, D22, D28. The text has no section numbers: its headings are cited. It knows no irregularities that void a
round, so faults in the deal are found, and the wagers count as they lie.
"""

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from events.vocabulary import model
from games.player_dealer.settle import SEATS, action_seat, first_seat, from_action
from games.player_dealer.steps import PLAYED, PRECEDENCES, bank_seat, button
from replay.findings import name
from replay.fold.player_dealer_state import Offer
from replay.fold.player_dealer_wager import player_dealer_wager, player_dealers, possible_wagers
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import key_in
from replay.rules.game_rules import GameRules
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.hand_readings import dealer_readings, readings, set_again
from replay.settlement.payouts import first_moves, moves
from replay.settlement.settlement import dues
from replay.settlement.stakes import stakes
from replay.settlement.voids import first_position, start_of
from rulebook.cards.cards import TEXT
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import Bank, TableLayout
from rulebook.settlement.pai_gow import is_foul

COLLECTED = "gegr-002138.Collection procedures"
IN_TURN = ("base", "backline", "ace_high_bonus", "fortune_bonus", "fortune_envy")
"""The wagers of a seat in the order of settlement (Round of play)."""


def action_of(round_: Round) -> int | None:
    """Return who has the action: the seat that dice or number point at, else where the button lies; None if unknown."""
    bank, start = bank_seat(round_), start_of(round_)
    if bank is not None and start is not None and len(start.counts) == 1:
        return action_seat(start.counts[0], bank)
    placed = button(round_)
    return int(placed.payload.seat) if placed is not None else None


def bank_of(round_: Round) -> Bank | None:
    """Return the player-dealer. The wager is the original one: chips added after the first card do not count."""
    wager = player_dealer_wager(round_)
    if wager is None:
        return None
    return Bank(int(wager.payload.seat), int(wager.payload.amount_cents), action_of(round_), possible_wagers(round_))


def complete_layout(round_: Round, book: Rulebook, layout: TableLayout) -> TableLayout:
    """Put the player-dealer on the table that the round is settled from."""
    bank = bank_of(round_)
    return layout if bank is None else msgspec.structs.replace(layout, bank=bank)


def open_reason(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """Return why the covered part of a wager is unknown although the hands are known."""
    if round_.voided is not None:
        return "the round was voided, and the text knows no void"
    if bank_seat(round_) is None:
        return _player_dealer_open(round_)
    if seat == bank_seat(round_) and wager in ("base", "backline"):
        return "the player-dealer's hand plays against the other seats and not against itself"
    if wager == "backline" and not any(key[:2] == (seat, "base") for key in stakes(round_, book)):
        return "nobody plays the hand that it was bet behind"
    hands, by_hands = (readings(round_, book, seat), dealer_readings(round_, book)), wager in ("base", "backline")
    if any(len(each) > 1 or each[0].cards is None or (by_hands and each[0].high is None) for each in hands):
        return None
    held = dealer_readings(round_, book)
    if by_hands and any(hand.high and hand.low and is_foul(hand.high, hand.low) for hand in held):
        return "the player-dealer's hands are foul, for which the text has no rule"
    bank = bank_of(round_)
    if bank is not None and bank.or_cents:
        return f"several patrons put down a player-dealer's wager at seat {bank.seat}, and whose counts is not on record"
    if bank is None or bank.action is None:
        return "whom the player-dealer's wager serves first is not on record, and it does not cover all wagers"
    open_seats = [due.seat for due in dues(round_, book) if due.net_cents is None and due.seat != seat]
    before = sorted(open_seats, key=lambda each: from_action(each, bank.action or 0))
    return f"what is left of the player-dealer's wager depends on seat {before[0]}" if before else LEFT_OPEN


def _player_dealer_open(round_: Round) -> str:
    """Say that no wager of a player-dealer is on record, or that it is open which of several is the player-dealer's (D546)."""
    seats = player_dealers(round_)
    if not seats:
        return "the player-dealer's wager is not on record"
    return f"which of {' and '.join(map(name, seats))} is the player-dealer's is not on record"


LEFT_OPEN = "what is left of the player-dealer's wager is not on record"


# --------------------------------------------------------------------------------------------------------- the position


@rule("CA-ROTATE", on=("gegr-002138.Collection procedures",))
def rotation(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After two rounds the position is offered clockwise; who accepts first gets it. A third round is right if all declined."""
    taken, before = player_dealer_wager(round_), round_.before.position
    if taken is None or not round_.covers("rotation"):
        return
    seat, offers = int(taken.payload.seat), offers_before(round_, taken)
    wrong = _wrongly_rotated(round_, book, seat, str(taken.payload.bettor), offers)
    if wrong is not None:
        expected, observed = wrong
        held = f" after {before.rounds} rounds of seat {before.seat}" if before.seat else ""
        yield Departure(
            COLLECTED, expected=expected + held, observed=observed, evidence=(taken, *(offer.seq for offer in offers))
        )


def offers_before(round_: Round, taken: RecordedEvent) -> list[Offer]:
    """Return the offers of the position that led to this round: since the last player-dealer took it."""
    seated = tuple(sorted(round_.before.patrons))
    inside = [fact for fact in round_.of(model.PlayerDealerOffered) if fact.seq < taken.seq]
    return [
        *round_.before.position.offers,
        *(Offer(int(fact.payload.seat), fact.payload.accepted, fact.seq, seated) for fact in inside),
    ]


def _wrongly_rotated(round_: Round, book: Rulebook, seat: int, holder: str, offers: Sequence[Offer]) -> tuple[str, str] | None:
    """Return the expected and the recorded rotation if they differ, or None."""
    before = round_.before.position
    accepted = next((offer.seat for offer in offers if offer.accepted), None)
    if accepted is not None and accepted != seat:
        return f"seat {accepted}, which accepted, as player-dealer", f"seat {seat}"
    if not before.holder:
        return None
    stays = holder == before.holder
    must = before.rounds >= book.chapter.numbers["rounds_as_player_dealer"]
    asked = list(dict.fromkeys(offer.seat for offer in offers if offer.seat != before.seat))
    if stays and not must:
        return None
    to_ask = sorted({*asked, *must_be_asked(round_, book, offers)}, key=lambda each: from_action(each, before.seat))
    if asked == to_ask and _all_declined(offers, asked):
        return None
    if not stays:
        if accepted is None:
            return ("the position offered before another takes it", f"seat {seat} took it, and no acceptance is on record")
        to_ask = to_ask[: to_ask.index(seat) + 1] if asked[-1:] == [seat] and seat in to_ask else to_ask
    if asked == to_ask:
        return None
    expected = "the position offered clockwise to " + ", ".join(f"seat {each}" for each in to_ask)
    return expected, "offered to " + ", ".join(f"seat {each}" for each in asked) if asked else "not offered"


def _all_declined(offers: Sequence[Offer], asked: Sequence[int]) -> bool:
    """Return whether all who were asked declined at first: then a patron who takes the position passes no one over (D528)."""
    first = {offer.seat: offer.accepted for offer in reversed(offers)}
    return not any(first[seat] for seat in asked)


def must_be_asked(round_: Round, book: Rulebook, offers: Sequence[Offer]) -> set[int]:
    """Return the seats to be offered the position: those taken since the offers began; without offers, those that wager."""
    before = round_.before
    if not before.patrons_known:
        staked = stakes(round_, book).values()
        found = {stake.seat for stake in staked if stake.wager == "base" and stake.on_layout_cents > 0}
    else:
        found = set(before.patrons) & set(offers[0].seated) if offers else set(before.patrons)
    return found - {before.position.seat}


# ----------------------------------------------------------------------------------------------------- the start, the deal


@rule("CA-BUTTON", on=("gegr-002138.Round of play",))
def action_button(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The button goes to the seat that dice or number point at, at 1, 8 and 15 to the left of the player-dealer."""
    bank, start = bank_seat(round_), start_of(round_)
    placed = button(round_)
    if bank is None or start is None or not start.counts:
        return
    right = sorted({action_seat(count, bank) for count in start.counts})
    buttons = [placed] if placed is not None and round_.order_seen else round_.of(model.ActionButtonPlaced)
    if any(fact.payload.seat in right for fact in buttons):
        return
    if placed is None and not (round_.covers("start") and round_.first_card is not None):
        return
    yield Departure(
        PLAYED,
        expected=f"{start.count_in_words} puts the action button at {' or '.join(map(name, right))}",
        observed=f"at seat {placed.payload.seat}" if placed is not None else "not placed",
        evidence=(*start.evidence, *((placed,) if placed is not None else ())),
    )


@rule("DEAL-START", on=("gegr-002138.Round of play",))
def first_hand(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The first hand goes to the seat counted to: where the action button is, at 1, 8 and 15 to the player-dealer."""
    bank, start, dealt_to = bank_seat(round_), start_of(round_), first_position(round_)
    placed = button(round_)
    if bank is None or dealt_to is None:
        return
    if start is not None and start.counts:
        right = {first_seat(count, bank) for count in start.counts}
    elif placed is not None:
        right = {int(placed.payload.seat)}
        right |= {bank} if placed.payload.seat == bank % SEATS + 1 else set()
    else:
        return
    if dealt_to not in right:
        first = round_.first_card
        yield Departure(
            PLAYED,
            expected="the first hand to " + " or ".join(map(name, sorted(right))),
            observed=f"to {name(dealt_to)}",
            evidence=(*(start.evidence if start else ()), *(fact for fact in (placed, first) if fact is not None)),
        )


@rule("DEAL-COUNT", "DEAL-STUB", on=("gegr-002138.Round of play",))
def seven_each(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Seven cards go to each of the seven seats, and the four that remain are spread and counted."""
    last, numbers = round_.last_card, book.chapter.numbers
    if last is None or round_.voided is not None:
        return
    complete = round_.covers("deal") and round_.closed is not None
    hands, must = round_.hands(), numbers["cards_per_hand"]
    for seat in book.chapter.seats:
        count = len(hands.get(seat, ()))
        if count != must and (count or complete):
            deals = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == seat]
            yield Departure(
                PLAYED,
                code="DEAL-COUNT",
                expected=f"{must} cards to seat {seat}",
                observed=f"{count} cards",
                evidence=deals or (last,),
                seat=seat,
            )
    counted, must = round_.last(model.StubCounted), numbers["stub_cards"]
    if counted is None and round_.covers("stub"):
        yield Departure(
            PLAYED, code="DEAL-STUB", expected="the remaining cards spread and counted", observed="not counted", evidence=(last,)
        )
    elif counted is not None and counted.payload.count != must:
        yield Departure(
            PLAYED,
            code="DEAL-STUB",
            expected=f"{must} cards left",
            observed=f"{counted.payload.count} cards left",
            evidence=(counted,),
        )


@rule("CA-PILE", on=("gegr-002138.Round of play",))
def piles(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Dealt by hand, seven piles are dealt to and fro; the player-dealer picks the one that is given out first."""
    dealt = [fact for fact in round_.of(model.CardsDealt) if str(fact.payload.to).startswith("pile")]
    if not dealt:
        return
    wrong = _out_of_turn(dealt)
    if wrong is not None:
        yield Departure(
            PLAYED,
            expected="one card to each pile from left to right, then from right to left",
            observed=f"dealt to {wrong.payload.to} out of turn",
            evidence=(wrong,),
        )
    first, picked = round_.first_card, round_.last(model.PileSelected)
    if first is None:
        return
    by_pile: dict[str, list[str | None]] = {}
    for fact in dealt:
        by_pile.setdefault(fact.payload.to, []).extend(fact.payload.cards)
    if picked is None:
        if round_.covers("deal"):
            yield Departure(PLAYED, expected="a pile selected by the player-dealer", observed="none selected", evidence=(first,))
        return
    hands = {to: [TEXT[card] if card is not None else None for card in cards] for to, cards in round_.hands().items()}
    if not _may_be(hands[first.payload.to], by_pile.get(picked.payload.pile, [])):
        yield Departure(
            PLAYED,
            expected=f"{picked.payload.pile} given out first",
            observed=f"{name(first.payload.to)} got other cards first",
            evidence=(picked, first),
        )
    mixed = next((to for to, cards in hands.items() if not any(_may_be(cards, pile) for pile in by_pile.values())), None)
    if mixed is not None:
        yield Departure(
            PLAYED,
            expected="each pile given out as it lies",
            observed=f"the cards of {name(mixed)} are none of the piles",
            evidence=[fact for fact in round_.of(model.CardsDealt) if fact.payload.to == mixed],
        )


def _out_of_turn(dealt: Sequence[RecordedEvent]) -> RecordedEvent | None:
    """The first card that did not go to the pile whose turn it was; whole piles do not show the turns."""
    if any(len(fact.payload.cards) > 1 for fact in dealt):
        return None
    there = [f"pile-{number}" for number in range(1, SEATS + 1)]
    turns = itertools.cycle((*there, *reversed(there)))
    return next((fact for fact, pile in zip(dealt, turns, strict=False) if fact.payload.to != pile), None)


def _may_be(hand: Sequence[str | None], pile: Sequence[str | None]) -> bool:
    """Whether two readings can be of the same cards; an unread card may be any."""
    only_hand = [card for card in hand if card is not None and card not in pile]
    only_pile = [card for card in pile if card is not None and card not in hand]
    return len(hand) == len(pile) and len(only_hand) <= pile.count(None) and len(only_pile) <= hand.count(None)


@rule("SET-EARLY", on=("gegr-002138.Round of play",))
def player_dealer_first(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The player-dealer's hand is exposed and set before the players set theirs."""
    bank = bank_seat(round_)
    first = next((fact for fact in round_.of(model.HandSet) if fact.payload.position == bank), None)
    if first is None or not round_.covers("setting"):
        return
    early = [fact for fact in round_.of(model.HandSet) if fact.seq < first.seq]
    for seat in dict.fromkeys(fact.payload.position for fact in early):
        fact = next(each for each in early if each.payload.position == seat)
        if round_.certainly_before(fact, first) is None:
            yield Indeterminate(f"seat {seat}: the clocks contradict the order of the player's setting and the player-dealer's")
            continue
        yield Departure(
            PLAYED, expected="the player-dealer's hand set first", observed="set before it", evidence=(fact, first), seat=seat
        )


@rule("SET-CHANGED", on=("gegr-002138.Round of play",))
def player_dealer_unchanged(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The player-dealer's hand is set before the players set theirs, and not again when one of them has (D548)."""
    again = set_again(round_)
    if again:
        yield Departure(
            PLAYED,
            expected="the player-dealer's hands as set before the players set theirs",
            observed="set again",
            evidence=again,
            seat=bank_seat(round_),
        )


# ------------------------------------------------------------------------------------------------------- wagers, fees, order


@rule("CA-BACKLINE", on=("gegr-002138.Round of play",))
def backline(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Betting behind a seat is for the base wager of a player there, and for nothing else."""
    if round_.lost:
        return
    bank, placed = bank_seat(round_), stakes(round_, book).values()
    players = {stake.seat: stake.bettor for stake in placed if stake.wager == "base" and stake.on_layout_cents > 0}
    for stake in placed:
        if stake.on_layout_cents <= 0 or stake.wager == "base":
            continue
        others = [
            fact
            for fact in stake.facts
            if fact.payload.bettor != players.get(stake.seat) and stake.cents_by_patron[fact.payload.bettor] > 0
        ]
        if stake.wager == "backline":
            if stake.seat in players and stake.seat != bank:
                continue
            observed = "behind the player-dealer" if stake.seat == bank else "nobody has a base wager there"
        elif stake.seat in players and others:
            observed = f"{stake.wager} of a patron who stands behind the seat"
        else:
            continue
        yield Departure(
            PLAYED,
            expected="backline betting on a player's base wager only",
            observed=observed,
            evidence=others or stake.facts,
            seat=stake.seat,
            wager=stake.wager,
        )


@rule("CA-FEE", on=("gegr-002138.Collection procedures",))
def collection_fees(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """One flat fee for each seat with a base wager, as filed; a patron who bets behind or deals pays that or nothing.

    If several rates are filed, any one of them may be due: the record does not say which (D554).
    """
    rates = filed_rates(book)
    staked = [stake for stake in stakes(round_, book).values() if stake.on_layout_cents > 0]
    players = {(stake.seat, stake.bettor) for stake in staked if stake.wager == "base"}
    others = {(stake.seat, stake.bettor) for stake in staked if stake.wager == "backline"}
    others |= {(fact.payload.seat, fact.payload.bettor) for fact in round_.of(model.PlayerDealerWagered)}
    taken: dict[tuple[int, str], list[RecordedEvent]] = {}
    for fact in round_.of(model.CollectionTaken):
        taken.setdefault((fact.payload.seat, fact.payload.bettor), []).append(fact)
    complete = round_.covers("fees") and round_.closed is not None
    for who in sorted({*taken, *(players if complete else ())}):
        facts = taken.get(who, [])
        cents = sum(fact.payload.amount_cents for fact in facts)
        owes = bool(rates) and (who in players or (who in others and cents > 0))
        if cents not in (rates if owes else (0,)):
            due = rates[0] if len(rates) == 1 and owes else 0
            is_one_of_several = owes and len(rates) > 1
            yield Departure(
                COLLECTED,
                expected=_filed_fee(rates) if owes else "no fee",
                observed=f"{show_money(cents)} taken" if cents else "no fee taken",
                evidence=facts or ((round_.closed,) if round_.closed else ()),
                seat=who[0],
                difference_cents=None if is_one_of_several else due - cents,
            )


RATES = ("collection", "collection_2", "collection_3", "collection_4", "collection_5")
"""The settings that file collection rates: no more than five (GEGR-002138, Collection procedures)."""


def filed_rates(book: Rulebook) -> tuple[int, ...]:
    """Return the collection rates that are filed, in cents, the smallest first; none if no fee is collected."""
    return tuple(sorted({int(book.settings[name]) for name in RATES} - {0}))


def _filed_fee(rates: Sequence[int]) -> str:
    amounts = [show_money(rate) for rate in rates]
    return f"a flat fee of {amounts[0]}" if len(amounts) == 1 else f"a filed fee: {', '.join(amounts[:-1])} or {amounts[-1]}"


@rule("PAY-ORDER", on=("gegr-002138.Round of play",))
def settled_in_turn(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """If the player-dealer's wager does not cover all, it serves the seats clockwise from the action."""
    action = action_of(round_)
    if action is None or not round_.covers("settlement") or not any(due.uncovered_cents for due in dues(round_, book)):
        return
    settled = [(fact, fact.payload.wager) for fact in first_settled(round_, book)]
    settled += [(fact, f"{fact.payload.wager}".replace("_bonus", "_envy")) for fact in round_.of(model.EnvyPaid)]
    settled = sorted((each for each in settled if each[1] in IN_TURN), key=lambda each: each[0].seq)
    for (before, one), (after, other) in itertools.pairwise(settled):
        seats = from_action(before.payload.seat, action), from_action(after.payload.seat, action)
        if (seats[0], IN_TURN.index(one)) <= (seats[1], IN_TURN.index(other)):
            continue
        if not round_.certainly_before(before, after):
            yield Indeterminate("the clocks contradict the order in which wagers were settled")
            return
        yield Departure(
            PLAYED,
            expected=f"seat {after.payload.seat} {other} before seat "
            f"{before.payload.seat} {one}: the player-dealer's wager does not cover all",
            observed="settled after it",
            evidence=(before, after),
            seat=after.payload.seat,
        )
        return


def first_settled(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return the fact that first took or paid each wager, not a later correction (D325).

    A part of a stake that was returned as uncovered settles nothing yet: the rest is taken in its turn.
    """
    staked = {key: stake.on_layout_cents for key, stake in stakes(round_, book).items()}
    settling = [
        fact
        for fact in moves(round_)
        if getattr(fact.payload, "reason", "") != "uncovered" or fact.payload.amount_cents >= staked.get(key_in(fact.payload), 0)
    ]
    return [fact for fact in first_moves(settling) if not isinstance(fact.payload, model.WagerReturned)]


GAME_RULES = GameRules(
    game="player_dealer",
    complete_layout=complete_layout,
    open_reason=open_reason,
    rules={
        "paying": (
            rotation,
            action_button,
            first_hand,
            seven_each,
            piles,
            player_dealer_first,
            player_dealer_unchanged,
            backline,
            collection_fees,
            settled_in_turn,
        )
    },
    precedences=PRECEDENCES,
)
