"""The start, the deal and the stub: where the first card goes, who gets how many, and what makes a round void.

58 Pa. Code §§ 688a.5(i), 688a.8 to 688a.10, 688a.13. `void_grounds` says why a round must be void. The rules below find rounds
that were not voided, and faults that do not void a round.
"""

from collections.abc import Iterator

from events.vocabulary import model
from replay.findings import name
from replay.fold.recorded_event import RecordedEvent, distinct_by
from replay.fold.round import ASIDE, Round
from replay.rules.round_steps import STUB_SECTION
from replay.rules.rule import EVERY_CHAPTER, Departure, Early, Indeterminate, rule
from replay.settlement.round_readings import round_readings
from replay.settlement.stakes import bets_close_with_the_dice, stakes
from replay.settlement.surrenders import surrenders
from replay.settlement.voids import (
    MISDEAL_SECTION,
    after_the_deal,
    before_deal,
    face_up_dealt,
    first_position,
    is_void,
    open_grounds,
    positions,
    start_of,
    void_grounds,
    was_voided,
    went_on,
)
from rulebook.cards.cards import READ
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position, clockwise_from

LEAVES_A_STACK = (model.CardsDealt, model.HandExamined, model.HandSet)
"""Until one of these comes, a stack set down wrongly is moved as if it had been set down where it is moved to (D755)."""
CLOCKWISE_SECTION = {"manual_shoe": "8(d)", "hand": "9(c)", "automated_shoe": "10(c)"}


@rule(
    "DEAL-START",
    "DEAL-COUNT",
    "DEAL-STUB",
    "DEAL-FACEUP",
    "DEAL-EXPOSED",
    "DEAL-DEVICE",
    on=EVERY_CHAPTER,
    early=Early(
        "a ground for a void stays one, and the round can be declared void until its end",
        remedies=(model.StubCounted, model.CardsDealt, model.CardExposed),
    ),
)
def not_voided(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A round that must be void is declared void; if it is not, the ground, with its section, is the finding."""
    if was_voided(round_, book):
        return
    for ground in void_grounds(round_, book):
        yield Departure(
            ground.section,
            code=ground.code,
            expected=ground.expected,
            observed=ground.observed,
            evidence=ground.evidence,
            seat=ground.seat,
        )


@rule("DEAL-START", "DEAL-FACEUP", "DEAL-EXPOSED", on=EVERY_CHAPTER, over_readings=True)
def doubtful_void(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """Return why the record leaves open whether a round must be void; each reading is judged (D500).

    Nothing is open of a round that is void in every reading: it was declared so and that holds, or has another ground (D660).
    """
    if all(is_void(reading, book) for reading in round_readings(round_, book)):
        return
    for ground in open_grounds(round_, book):
        yield Indeterminate(ground.doubt)


@rule("DEAL-TOTAL", on=("5(i)(1)(ii)",), early=Early("what was announced stands when the first card falls"))
def announced_total(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer totals the dice and announces the total; a wrong word corrected before the first card is no fault."""
    start = start_of(round_)
    if start is None or not start.is_wrongly_announced or was_voided(round_, book):
        return
    if round_.first_card is not None:
        yield Departure(
            "5(i)(1)(ii)",
            expected=f"the total {start.count_in_words}",
            observed=f"{start.announced} announced and not corrected before the first card",
            evidence=start.evidence,
        )


@rule(
    "DEAL-START",
    on=("8(d)", "9(c)", "10(c)"),
    early=Early(
        "the first card goes to one position, once; its stack that is moved late is another finding",
        remedies=(model.StackMoved,),
        stands_at=LEAVES_A_STACK,
    ),
)
def counted_start(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """With the right total the first card goes to the position counted to; a miscount is the floor's to remedy (D23)."""
    start, dealt_to = start_of(round_), first_position(round_)
    if start is None or not start.counts or was_voided(round_, book):
        return
    if book.chapter.deals_to == "seats":
        return  # the count is another one (GEGR-002138)
    if dealt_to is None:
        announced = before_deal(round_, list(round_.of(model.StartAnnounced)))
        if announced and round_.first_card is not None and announced[-1].payload.position not in start.positions:
            yield Indeterminate(
                f"the deal was said to start at {name(announced[-1].payload.position)}, and {start.count_in_words} counts to "
                f"{start.positions_in_words}; where the first card went is not on record"
            )
        return
    if start.is_wrongly_announced:
        return
    if dealt_to not in start.positions:
        first = round_.first_card
        yield Departure(
            CLOCKWISE_SECTION[book.deal_method],
            expected=f"{start.count_in_words} starts at {start.positions_in_words}",
            observed=f"the first card went to {name(dealt_to)}",
            evidence=(*start.evidence, *((first,) if first else ())),
        )


@rule("DEAL-NOROLL", on=("13(a)", "13(b)"), early=Early("the roll before the first card counts"))
def valid_roll(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Dice that did not land flat, or fell out, are a "no roll" and are shaken again."""
    start = start_of(round_)
    if start is None or start.valid or round_.first_card is None or was_voided(round_, book):
        return
    roll = before_deal(round_, round_.rolls)[-1]
    section = "13(b)" if roll.payload.lie == "fell_out" else "13(a)"
    yield Departure(
        section,
        expected="a no roll, and the dice shaken again",
        observed="the cards were dealt on an invalid roll",
        evidence=(roll, round_.first_card),
    )


@rule("DEAL-SHAKE", on=("5(i)(1)(i)", "5(i)(1)(iv)"))
def shaking(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Three shakes before each roll; after the deal the cover goes on and the shaker is shaken once."""
    if not round_.covers("start") or not round_.order_seen:
        return
    yield from _shaken_too_seldom(round_, book)
    if not _is_electronic(round_, book):
        yield from _not_covered_after_the_deal(round_, book)


def _is_electronic(round_: Round, book: Rulebook) -> bool:
    """Return whether the shaker is an electronic one, which has no cover that goes on after the deal (§ 645c.2(b))."""
    shakes = round_.of(model.ShakerShaken)
    shaken_by_itself = bool(round_.of(model.ShakerActivated)) or any(fact.payload.duration_ms for fact in shakes)
    return shaken_by_itself and book.has("645c.2(b)")


def _shaken_too_seldom(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer shakes three times before each roll (§ 688a.5(i)(1)(i); with wagers on the dice § 645c.2(f)(2))."""
    must, since = book.chapter.numbers["shakes"], 0
    section = "645c.2(f)(2)" if bets_close_with_the_dice(round_, book) else "5(i)(1)(i)"
    for roll in round_.rolls:
        made = [fact for fact in round_.of(model.ShakerShaken) if since < fact.seq < roll.seq]
        times = sum(fact.payload.times or 0 for fact in made)
        activated = [fact for fact in round_.of(model.ShakerActivated) if since < fact.seq < roll.seq]
        since = roll.seq
        if times < must and not activated and not any(fact.payload.duration_ms for fact in made):
            yield Departure(
                section, expected=f"at least {must} shakes before the roll", observed=f"{times}", evidence=(*made, roll)
            )


def _not_covered_after_the_deal(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After the deal the cover goes on and the shaker is shaken once (§ 688a.5(i)(1)(iv)).

    The rule needs a record that covers the deal and the rack, or contains the cover. A record that covers only the dice and the
    order of the stacks says nothing about the steps after the deal (D862, D952).
    """
    last = round_.last_card
    if not round_.of(model.DiceRolled) or last is None or was_voided(round_, book) or not went_on(round_):
        return
    cover = next((fact for fact in round_.of(model.ShakerCovered) if fact.seq > last.seq), None)
    shaken = cover is not None and any(fact.seq > cover.seq and fact.payload.times for fact in round_.of(model.ShakerShaken))
    if not shaken and (cover is not None or (round_.covers("deal") and round_.covers("collection"))):
        yield Departure(
            "5(i)(1)(iv)",
            expected="the shaker covered and shaken once after the deal",
            observed="not covered" if cover is None else "covered and not shaken",
            evidence=(last,),
        )


@rule(
    "DEAL-ORDER",
    on=("8(d)", "9(c)", "10(c)"),
    early=Early("a card dealt out of turn was dealt out of turn", stands_at=LEAVES_A_STACK),
)
def clockwise(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """From the first position on, cards or stacks go clockwise to every position, wager or not."""
    first = round_.first_card
    if first is None or "deal" not in round_.opened.payload.observed or was_voided(round_, book):
        return
    order = clockwise_from(first.payload.to, positions(round_, book))
    dealt = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to not in ASIDE]
    for turn, fact in enumerate(dealt):
        if fact.payload.to != order[turn % len(order)]:
            yield Departure(
                CLOCKWISE_SECTION[book.deal_method],
                expected=f"{name(order[turn % len(order)])} next",
                observed=f"dealt to {name(fact.payload.to)}",
                evidence=(dealt[turn - 1], fact),
            )
            return


@rule("DEAL-STUB", on=("8(e)", "8(f)", "9(d)", "9(e)", "10(d)", "10(e)"))
def stub_counted(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The stub is counted each round (or once in several); a deck with right hands and a wrong stub leaves the table."""
    last, method = round_.last_card, book.deal_method
    counted = round_.last(model.StubCounted)
    each_round = book.chapter.numbers.get("stub_count_rounds", 1) == 1
    if each_round and last is not None and counted is None and not was_voided(round_, book) and round_.covers("stub"):
        yield Departure(
            STUB_SECTION[method], expected="the stub spread and counted after the deal", observed="not counted", evidence=(last,)
        )
    deck = round_.before.decks.get(round_.deck)
    if deck is not None and deck.banned_by and last is not None:
        yield Departure(
            MISDEAL_SECTION[method],
            expected=f"deck {round_.deck} removed from the table after its wrong stub",
            observed="dealt again",
            evidence=(deck.banned_by, round_.opened),
        )


@rule("DEAL-STUBSEEN", on=("8(e)", "9(d)", "10(d)"))
def stub_unseen(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The remaining cards may not be exposed to anyone; after the deal they are all the cards in the stack (D384)."""
    seen = [(fact, fact.payload.exposed) for fact in round_.of(model.StubCounted) if fact.payload.exposed]
    if not seen:
        exposed = distinct_by(round_.of(model.CardExposed), "whose", "card", "by")
        of_stack = [fact for fact in exposed if fact.payload.whose == "stack"]
        seen = [(fact, 1) for fact in of_stack if after_the_deal(round_, book, fact)]
    for fact, count in seen:
        yield Departure(
            STUB_SECTION[book.deal_method], expected="no card of the stub exposed", observed=f"{count} exposed", evidence=(fact,)
        )


@rule("DEAL-DECK", on=("3(a)",))
def one_deck(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """One deck with one joker: no card twice, and no deck that is not in play. (Cards of several decks: `shoe_procedure.py`.)"""
    seen: dict[str, RecordedEvent] = {}
    for fact in round_.of(model.CardsDealt) if book.chapter.numbers.get("copies", 1) == 1 else ():
        if str(fact.payload.to).startswith("pile"):
            continue
        for card in fact.payload.cards:
            if card is None:
                continue
            if card in seen:
                yield Departure(
                    "3(a)", expected=f"{card} once in the deck", observed=f"{card} dealt twice", evidence=(seen[card], fact)
                )
            seen[card] = fact
    if not (round_.covers("equipment") and round_.before.equipment_known):
        return
    deck = round_.before.decks.get(round_.deck)
    if deck is None or deck.in_play_us is None:
        yield Departure(
            "3(a)", expected="a deck that is in play", observed=f"deck {round_.deck} is not", evidence=(round_.opened,)
        )
    last = round_.last_card
    removed = next((fact for fact in round_.of(model.DeckRemoved) if fact.payload.deck == round_.deck), None)
    if last is not None and removed is not None and removed.seq < last.seq:
        yield Departure(
            "3(a)",
            expected="a deck that is in play",
            observed="dealt after it was removed from the table",
            evidence=(removed, last),
        )


@rule("DEAL-FACEUP", on=("13(e)",), early=Early("a card that was dealt was used"))
def face_up_card_unused(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A card found face up is not used in that round."""
    if was_voided(round_, book):
        return
    for found, fact in face_up_dealt(round_):
        yield Departure(
            "13(e)",
            expected=f"{found.payload.card} set aside in the discard rack",
            observed=f"dealt to {name(fact.payload.to)}",
            evidence=(found, fact),
        )


@rule("DEAL-FACEUP", on=("13(e)",), early=Early("a card that was set aside was not used"))
def boxed_card_used(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Only a card found face up is set aside: one that lies the wrong way, its face unseen, is dealt as the next (D757)."""
    if was_voided(round_, book):
        return
    for fact in round_.boxed_aside:
        yield Departure(
            "13(e)",
            expected="a card that was not face up dealt as the next card",
            observed=f"{fact.payload.card or 'a card'} set aside",
            evidence=(fact,),
        )


MOVED_LATE = Early("a stack that was moved late was moved late")


@rule("DEAL-ORDER", on=("8(d)", "9(c)", "10(c)"), early=MOVED_LATE)
def moved_at_once(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A stack that was set down wrongly is moved before the next one is dealt and before anyone looks at it (D755)."""
    yield from moved_late(round_, book, CLOCKWISE_SECTION[book.deal_method])


def moved_late(round_: Round, book: Rulebook, section: str) -> Iterator[Departure | Indeterminate]:
    """Find the stacks that were moved when other cards had been dealt, looked at or set, by the section on the deal's order."""
    for moved in round_.of(model.StackMoved):
        dealt = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == moved.payload.to and fact.seq < moved.seq]
        if not dealt:
            yield Indeterminate(f"what lay at {name(moved.payload.at)} and was moved is not on record")
            continue
        between = [fact for fact in round_.in_order(*LEAVES_A_STACK) if dealt[-1].seq < fact.seq < moved.seq]
        if between and not was_voided(round_, book):
            yield Departure(
                section,
                expected=f"the stack of {name(moved.payload.to)} set down there, or moved there at once",
                observed=f"set down at {name(moved.payload.at)}, and moved after other cards were dealt or looked at",
                evidence=(dealt[-1], between[0], moved),
            )


@rule("DEAL-DRAWN", on=("13(f)",))
def drawn_card_next(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A card drawn in error without its face exposed is used as the next card from the shoe."""
    if was_voided(round_, book):
        return
    for drawn in round_.of(model.CardDrawnInError):
        following = next((fact for fact in round_.of(model.CardsDealt) if fact.seq > drawn.seq), None)
        if following is None and not round_.covers("deal"):
            continue
        card, used = drawn.payload.card, following.payload.cards[0] if following is not None else None
        if card is None or (following is not None and used is None):
            yield Indeterminate("a card drawn in error, or the card dealt after it, was not read")
        elif card != used and not round_.covers("deal"):
            yield Indeterminate(
                f"whether {card}, drawn in error, was used as the next card: the order of the deal is not on record"
            )
        elif card != used:
            yield Departure(
                "13(f)",
                expected=f"{card} used as the next card",
                observed=f"{used} dealt next" if used else "no card dealt after it",
                evidence=(drawn, *((following,) if following else ())),
            )


def stakes_at(round_: Round, book: Rulebook) -> frozenset[int]:
    """The seats at which a wager lay: not those whose wagers were withdrawn or refused."""
    return frozenset(stake.seat for stake in stakes(round_, book).values() if stake.on_layout_cents > 0)


@rule(
    "DEAL-NOBETS",
    on=("8(b)", "9(a)(3)", "10(a)(2)"),
    early=Early("what must come before the first card is missing when it falls"),
)
def no_more_bets(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The dealer announces "no more bets" before dealing any card."""
    first = round_.first_card
    if first is None or not round_.covers("wagering"):
        return
    announced = round_.first(model.NoMoreBets)
    before = round_.certainly_before(announced, first) if announced is not None else False
    if before is None:
        yield Indeterminate('the clocks contradict the order of "no more bets" and the first card')
    elif not before:
        section = {"manual_shoe": "8(b)", "hand": "9(a)(3)", "automated_shoe": "10(a)(2)"}[book.deal_method]
        yield Departure(
            section,
            expected='"no more bets" before the first card',
            observed="announced after it" if announced is not None else "not announced",
            evidence=(first, *((announced,) if announced else ())),
        )


@rule("DEAL-RACK", on=("3(b)(4)", "11(d)", "11(j)"))
def discard_rack(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """All cards go to the discard rack; a surrendered hand is counted to seven; a single deck goes in whole.

    From a shoe these are the cards dealt; those burnt or found face up went there before, and may be counted with them.
    """
    collected = round_.collections
    complete = round_.closed is not None or any(fact.payload.of == "all" for fact in collected)
    if not round_.covers("collection") or not complete or round_.first_card is None:
        return
    total, (least, most) = sum(fact.payload.count for fact in collected), _cards_to_collect(round_, book)
    if not least <= total <= most and not was_voided(round_, book):
        yield Departure(
            "11(j)", expected=f"{least} cards collected", observed=f"{total}", evidence=collected or round_.facts[-1:]
        )
    for fact in collected:
        if fact.payload.deck != round_.deck:
            yield Departure(
                "3(b)(4)",
                expected=f"cards of deck {round_.deck} only in the rack",
                observed=f"cards of deck {fact.payload.deck}",
                evidence=(round_.opened, fact),
            )
    if book.has("11(d)"):
        yield from _surrendered_hand_not_counted(round_, book)


def _cards_to_collect(round_: Round, book: Rulebook) -> tuple[int, int]:
    """Return the least and the most cards that go to the rack: the deck; of a shoe those dealt, perhaps with those put aside."""
    if book.chapter.numbers.get("copies", 1) == 1:
        return book.chapter.numbers["deck_size"], book.chapter.numbers["deck_size"]
    least = sum(len(cards) for cards in round_.hands().values())
    dealt = sum(len(fact.payload.cards) for fact in round_.of(model.CardsDealt))
    return least, dealt + len(round_.of(model.CardBurned)) + len(round_.of(model.CardFoundFaceUp))


def _surrendered_hand_not_counted(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The cards of a surrendered hand are counted face down (§ 688a.11(d))."""
    must = book.chapter.numbers["cards_per_hand"]
    for fact in surrenders(round_, book):
        seat = fact.payload.seat
        hand = [collected for collected in round_.of(model.CardsCollected) if collected.payload.of == seat]
        counts = [collected.payload.counted for collected in hand]
        if must not in counts:
            yield Departure(
                "11(d)",
                expected=f"{must} cards of the surrendered hand counted face down",
                observed="another count" if any(counts) else "not counted",
                evidence=(fact, *hand),
                seat=seat,
            )


RACKED = {"all": "that remained", "aside": "put aside"}
"""The words for collected cards that have no position's name."""


@rule("DEAL-RACK", on=("11(j)",))
def hands_in_the_rack(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Every dealt card of each hand is collected, once, and every remaining card of the stub (D508).

    No more cards are collected from aside than were put there; if all remaining cards are collected at once, no hand is left on
    the table.
    """
    collected = round_.collections
    if not collected or not (round_.covers("collection") and round_.covers("deal")) or was_voided(round_, book):
        return
    least, most = _cards_to_collect(round_, book)
    if not least <= sum(fact.payload.count for fact in collected) <= most:
        return  # of the total `discard_rack` speaks
    hands = round_.hands()
    left: dict[Position | str, int] = {position: len(cards) for position, cards in hands.items()}
    aside = sum(len(fact.payload.cards) for fact in round_.of(model.CardsDealt) if fact.payload.to in ASIDE)
    copies = book.chapter.numbers.get("copies", 1)
    if copies == 1:
        dealt = {card for cards in hands.values() for card in cards if card is not None}
        unused = [fact for fact in round_.found_face_up if READ[fact.payload.card] not in dealt]
        gone = sum(left.values()) + aside + len(unused) + len(round_.boxed_aside)
        left["stub"] = book.chapter.numbers["deck_size"] - gone
    aside += len(round_.found_face_up) + len(round_.boxed_aside) + len(round_.of(model.CardBurned))
    is_whole = True
    for fact in collected:
        of, count = fact.payload.of, fact.payload.count
        match of:
            case "all":
                of_hands = sum(cards for position, cards in left.items() if position != "stub")
                due = max(count, of_hands if is_whole else 0)
                left.clear()
            case "aside":
                due = min(count, aside)
                aside -= due
            case _:
                due = left.pop(of, 0)
                burnt = min(aside, count - due) if copies > 1 and count > due else 0
                due, aside = due + burnt, aside - burnt  # burnt cards may be counted with a hand
        if count != due:
            is_whole = False
            yield Departure(
                "11(j)",
                expected=f"{due} cards {RACKED.get(of) or f'of {name(of)}'} collected",
                observed=f"{count}",
                evidence=(fact,),
                seat=of if isinstance(of, int) else None,
            )
