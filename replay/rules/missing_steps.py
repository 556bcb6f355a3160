"""Steps of a round that are not on record although the record covers them: the start, announcements, reveals, the activation.

58 Pa. Code §§ 645c.2(f), (g), 688a.5(i), 688a.8(c), 688a.11(e), and where the other texts have the same; Annex A,
§ 687a.11(d); GEGR-002138, Round of play. A step is missing only if the record covers its aspect (D26, D523).
Here too: a device that was not put right after its own alarm, and a deck with a foreign card (§ 688a.3(a), .13(k), (l)).
"""

from collections.abc import Iterator, Sequence

from events.vocabulary import model
from events.vocabulary.model import Aspect
from replay.findings import name
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.rules.dealing import CLOCKWISE_SECTION
from replay.rules.dice_wagers import PLAYER_SHAKER
from replay.rules.round_steps import is_push_for_all, settling_moves
from replay.rules.rule import Departure, Early, rule
from replay.settlement.hand_readings import dealer_position
from replay.settlement.stakes import stakes
from replay.settlement.voids import before_deal, is_void, start_of, was_voided
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position

START_SECTION = {"manual_shoe": "8(c)", "hand": "9(b)", "automated_shoe": "10(b)"}
"""The section by which the starting position is determined before the first card, by the way of dealing."""
PLAYED = "gegr-002138.Round of play"
WHOLE_ROUND: tuple[Aspect, ...] = ("wagering", "deal", "settlement")
"""The coverage of a record of the whole round. A transcript that leaves out undisputed parts covers less (D523)."""
NUMBER = "number"
"""How a drawn number is filed as the way to find the start (§ 688a.5(i)(2))."""


def covers_all(round_: Round, aspect: Aspect) -> bool:
    """Return whether the record covers the whole round and this aspect: then a step that is not on record was not made."""
    return all(map(round_.covers, (aspect, *WHOLE_ROUND)))


def start_section(book: Rulebook) -> str:
    """Return the section on the starting position before the deal; if it has no number of its own, that on the deal."""
    section = START_SECTION[book.deal_method]
    return section if book.has(section) else CLOCKWISE_SECTION[book.deal_method]


@rule("DEAL-START", on=("8(d)", "9(c)", "10(c)"))
def start_before_the_deal(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Dice or a number find the starting position before the first card; a record that covers the start has them."""
    first = round_.first_card
    found = in_order([*round_.of(model.DiceRolled), *round_.of(model.NumberDrawn)])
    if first is None or was_voided(round_, book) or before_deal(round_, found):
        return
    if found or covers_all(round_, "start"):
        yield Departure(
            start_section(book),
            expected="the starting position found before the first card",
            observed="found after it" if found else "neither dice nor a number on record",
            evidence=(first, *found[:1]),
        )


@rule("DEAL-START", on=("5(i)(1)", "5(i)(2)", "gegr-002138.Round of play"))
def start_as_filed(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The start is found in the way that is filed: by dice, or by a number drawn (§ 688a.5(i)).

    A shaker that a player activates and that is not filed is found in `dice_wagers.py`. That a number was drawn if dice are
    filed is asked only of a record that covers the start: a transcript may say nothing of
    the filing.
    """
    rolls, drawn = before_deal(round_, round_.of(model.DiceRolled)), before_deal(round_, round_.of(model.NumberDrawn))
    by_number = book.starting == NUMBER
    wrong = rolls if by_number else drawn if covers_all(round_, "start") else []
    other_way = drawn if by_number else rolls
    if wrong and not other_way and not round_.of(model.ShakerActivated):
        yield Departure(
            PLAYED if book.has(PLAYED) else "5(i)",
            expected=f"by the rules in force, the start found by {'a number drawn' if by_number else 'dice'}",
            observed="found by dice" if by_number else "found by a number drawn",
            evidence=wrong[-1:],
        )


@rule("DEAL-TOTAL", on=("5(i)(1)(ii)",))
def total_announced(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer announces the total of the dice (§ 688a.5(i)(1)(ii))."""
    start = start_of(round_)
    if start is None or not start.counts or start.announced is not None or was_voided(round_, book):
        return
    if covers_all(round_, "start") and round_.first_card is not None and before_deal(round_, round_.of(model.DiceRolled)):
        yield Departure(
            "5(i)(1)(ii)",
            expected=f"the total {start.count_in_words} announced",
            observed="not announced",
            evidence=(*start.evidence, round_.first_card),
        )


@rule("PAY-ANNOUNCED", on=("645c.2(g)",))
def dice_announced(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """If wagers on the dice are offered, the value of each die is announced (§ 645c.2(g))."""
    offered = any(rule_.closes == "activation" and wager in book.offers for wager, rule_ in book.chapter.wagers.items())
    rolls = before_deal(round_, [fact for fact in round_.of(model.DiceRolled) if fact.payload.lie == "flat"])
    first = round_.first_card
    if not offered or not rolls or first is None or not covers_all(round_, "start") or was_voided(round_, book):
        return
    if not any(fact.seq > rolls[-1].seq for fact in before_deal(round_, round_.of(model.DiceAnnounced))):
        yield Departure(
            "645c.2(g)",
            expected="the value of each die announced",
            observed="not announced before the cards",
            evidence=(rolls[-1], first),
        )


@rule("DEAL-SHAKE", on=("645c.2(f)(1)",))
def activated_before_the_dice(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """If players activate the shaker, one does so before the dice come to rest (§ 645c.2(f)(1))."""
    if book.starting != PLAYER_SHAKER:
        return
    rolls, activations = round_.of(model.DiceRolled), round_.of(model.ShakerActivated)
    if not rolls or any(fact.seq < rolls[-1].seq for fact in activations):
        return
    if activations or (covers_all(round_, "start") and is_electronic(round_)):
        yield Departure(
            "645c.2(f)(1)",
            expected="the shaker activated by a player before the dice come to rest",
            observed="activated after it" if activations else "not activated",
            evidence=(rolls[-1], *activations[:1]),
        )


def is_electronic(round_: Round) -> bool:
    """Return whether the shaker is certainly an electronic one: it shook for a time, and no one counted shakes (§ 645c.2(b))."""
    shakes = round_.of(model.ShakerShaken)
    return bool(shakes) and all(fact.payload.duration_ms for fact in shakes)


PLAYERS_SHOWN = ("11(e)", "687a.11(e)", PLAYED)
"""The sections by which a player's hand is revealed before it is compared."""
DEALER_SHOWN = ("645c.1(d)", "659a.11(c)", "687a.11(d)", PLAYED)
"""The sections by which the dealer's cards are turned over; the dealer's of 688a are dealt face up."""


@rule("PAY-REVEAL", on=("11(e)", "645c.1(d)", "659a.11(c)", "687a.11(d)", "687a.11(e)", "gegr-002138.Round of play"))
def hands_revealed(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer reveals each player's hands before comparing them (§ 688a.11(e)), and his own if it is dealt face down.

    A stake that goes back because the dealer's hand pushes all needs no hand of a player. The dealer's cards are turned over to
    be set, whether or not the record says so.
    """
    is_shown = bool(round_.of(model.HandRevealed)) and all(map(round_.covers, WHOLE_ROUND))
    if not _is_wholly_settled(round_, book, is_shown=is_shown):
        return
    revealed = {fact.payload.position for fact in round_.of(model.HandRevealed)}
    revealed |= {fact.payload.position for fact in round_.of(model.HandSet) if fact.payload.position == "dealer"}
    for position, evidence in _to_be_revealed(round_, book).items():
        if position not in revealed:
            yield Departure(
                _section(PLAYERS_SHOWN if isinstance(position, int) else DEALER_SHOWN, book),
                expected=f"the hand of {name(position)} revealed",
                observed="not revealed",
                evidence=(evidence,),
                seat=position if isinstance(position, int) else None,
            )


def _to_be_revealed(round_: Round, book: Rulebook) -> dict[Position, RecordedEvent]:
    """Return the positions whose hands decide a wager that was settled at its usual time, each with the first such settlement."""
    compared: dict[Position, RecordedEvent] = {}
    base = book.chapter.base
    own = dealer_position(round_) if _section(DEALER_SHOWN, book) else None
    if own == "dealer" and book.chapter.deals_to == "seats":
        own = None  # whose hand is the player-dealer's is not on record
    forfeits = {fact.payload.seat for fact in round_.of(model.DecisionMade) if fact.payload.decision == "fold"}
    raised = {stake.seat for stake in stakes(round_, book).values() if stake.wager == "raise" and stake.in_time_cents > 0}
    for act in settling_moves(round_, book):
        if act.wager != base or act.seat is None or act.seat in forfeits:
            continue
        if own is not None:
            compared.setdefault(own, act.fact)
        is_compared = act.seat in raised if "raise" in book.offers else not is_push_for_all(round_, book, act)
        if is_compared:
            compared.setdefault(act.seat, act.fact)
    return compared


def _section(sections: Sequence[str], book: Rulebook) -> str:
    """Return the first of these sections that the chapter has, or `None`."""
    return next((section for section in sections if book.has(section)), "")


@rule("PAY-ANNOUNCED", on=("11(e)",))
def results_announced(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer announces of each base wager whether it wins, loses or is a tie (§ 688a.11(e))."""
    if not _is_wholly_settled(round_, book):
        return
    base = book.chapter.base
    announced = {fact.payload.seat for fact in round_.of(model.ResultAnnounced) if fact.payload.wager == base}
    for act in settling_moves(round_, book):
        if act.wager == base and act.seat not in announced:
            announced.add(act.seat)
            yield Departure(
                "11(e)",
                expected="the result announced",
                observed="not announced",
                evidence=(act.fact,),
                seat=act.seat,
                wager=base,
            )


def _is_wholly_settled(round_: Round, book: Rulebook, *, is_shown: bool = False) -> bool:
    """Return whether the record covers how hands were shown and wagers settled, to the end of a round that is not void.

    `is_shown`: the facts on record show it, whether or not the record claims the aspect.
    """
    return (is_shown or covers_all(round_, "setting")) and round_.closed is not None and not is_void(round_, book)


@rule("DEAL-DEVICE", on=("13(k)", "13(l)"))
def dealt_after_its_alarm(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A shuffler or shoe that signals a fault is put right before cards are dealt: it may have failed (D753)."""
    if was_voided(round_, book) or not round_.order_seen:
        return
    for device, section in (("shuffler", "13(k)"), ("shoe", "13(l)")):
        alarm = _alarm_at_the_deal(round_, device) if book.has(section) else None
        if alarm is not None:
            yield Departure(
                section,
                expected=f"no card dealt before the alarm of the {device} was attended to",
                observed="dealt after its alarm",
                evidence=alarm,
            )


def _if_known(seq: int | None) -> int | None:
    """Return the number of an event before the round, None if what was lost since may say otherwise."""
    return seq if seq is not None and seq > 0 else None


def _alarm_at_the_deal(round_: Round, device: str) -> tuple[int, int] | None:
    """Return a device's alarm and the card dealt after it with nothing done; a shuffler's is of the deck shuffled last."""
    before = round_.before
    alarm = _if_known(before.alarms.get(device))
    is_of_deck = device != "shuffler" or before.last_shuffled in ("", round_.deck)
    for fact in round_.facts:
        match fact.payload:
            case model.DeviceAlarmed(device=name) if name == device:
                alarm = fact.seq if device == "shoe" or round_.first_card is None or fact.seq < round_.first_card.seq else alarm
            case model.DeviceRestored(device=name) | model.DeviceCovered(device=name) if name == device:
                alarm = None
            case model.CardsShuffled() if device == "shuffler":
                alarm = None
            case model.CardsDealt() if alarm is not None and is_of_deck:
                return alarm, fact.seq
    return None


@rule("DEAL-DECK", on=("3(a)",), early=Early("a card that is not of the deck was found in it"))
def foreign_card(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A deck's cards are identical in appearance, and no card is in it that is not its own (§ 688a.3(a), D754)."""
    first = round_.first_card
    if first is None:
        return
    removed = [fact.seq for fact in round_.of(model.DeckRemoved) if fact.payload.deck == round_.deck]
    if removed and removed[0] < first.seq:
        return
    known = _if_known(round_.before.foreign.get(round_.deck))
    if known is not None:
        yield Departure(
            "3(a)",
            expected="the deck removed in which a foreign card was found",
            observed="dealt from it",
            evidence=(known, first),
        )
    for fact in round_.of(model.ForeignCardFound):
        event = fact.payload
        if event.deck == round_.deck:
            card = event.card or "a card"
            yield Departure(
                "3(a)",
                expected="one deck of cards that are identical in appearance",
                observed=f"{card} with a {event.back_colour} back"
                if event.back_colour
                else f"{card}, which the deck does not have",
                evidence=(fact, first),
                seat=event.found if isinstance(event.found, int) else None,
            )
