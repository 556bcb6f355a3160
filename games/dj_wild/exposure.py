"""DJ Wild Stud Poker: cards exposed before the raises, for which all hands are void (Annex A, rulemaking 125-223).

§ 687a.13(d): a card of a hand in play that was exposed, hands dealt face up or turned over, the dealer's hand turned over.
"""

from collections.abc import Iterator, Sequence

from events.vocabulary import model
from games.dj_wild.decisions import Decided, in_play, of_players, turned
from replay.findings import name
from replay.fold.all_wagers_returned import is_returned_as_void
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import ASIDE, Round
from replay.settlement.stakes import stakes
from replay.settlement.void_ground import VoidGround
from replay.settlement.voids import left_standing, positions
from rulebook.cards.cards import CODE
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position

WHOSE = "a card of the stack was exposed, and a card that was not read leaves open whether it came into a hand"
BOX = "a card was exposed at a box of which the record has neither a wager nor cards"
PLACE = "a card was exposed at a box without a wager, and by the record that card lies in a hand in play"
OWN = "a player exposed a card of the stack, and whether it was his own is not on record"
DEALER_OPEN = "the clocks contradict the order of the last decision and the dealer's turning over"


def exposure_grounds(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """A card of a hand in play that is revealed before the raises voids all hands, unless a player shows his own (D28)."""
    exposures: set[tuple[object, ...]] = set()
    for fact in round_.of(model.CardExposed):
        exposed = fact.payload
        exposure = exposed.whose, exposed.card, exposed.by == "player"
        if exposed.card is not None and exposure in exposures:
            continue  # said again (D333)
        exposures.add(exposure)
        doubt = _doubt_of_hand(round_, book, fact)
        if doubt is None:
            continue
        before = _before_raises(round_, book, fact)
        if before is not False:
            by = "a player" if exposed.by == "player" else f"the {exposed.by}"
            yield VoidGround(
                "exposed_card",
                "DEAL-EXPOSED",
                "687a.13(d)",
                "with a card exposed before the raises, all hands void",
                f"{exposed.card or 'a card'} of {name(exposed.whose)} was exposed by {by}; the round was not voided",
                (fact.seq,),
                exposed.whose if isinstance(exposed.whose, int) else None,
                doubt=doubt if before else _why_open(round_, book),
            )
    yield from _hands_shown(round_, book)
    dealer = turned(round_)
    may_tell = round_.voided is not None or bool(of_players(round_, book))
    before = _before_raises(round_, book, dealer) if dealer is not None and may_tell else False
    if dealer is not None and before is not False:
        yield VoidGround(
            "exposed_dealer",
            "DEAL-EXPOSED",
            "687a.13(d)",
            "the dealer's hand turned over after the raises, or all hands void",
            "turned over before a raise; the round was not voided",
            (dealer.seq,),
            doubt="" if before else DEALER_OPEN,
        )


def _hands_shown(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """Hands that were dealt face up (§ 687a.8(d)), and players' hands that were turned over, before the raises."""
    dealt = [fact for fact in round_.of(model.CardsDealt) if fact.payload.face_up and fact.payload.to not in ASIDE]
    turned_over = [fact for fact in round_.of(model.HandRevealed) if fact.payload.position != "dealer"]
    undecided = not of_players(round_, book)
    for how, facts in (("dealt face up", dealt), ("turned over", turned_over)):
        in_play = [fact for fact in facts if _doubt_at_box(round_, book, _position(fact)) is not None]
        when = [(fact, _before_raises(round_, book, fact)) for fact in in_play]
        early = [fact for fact, before in when if before or (undecided and facts is dealt)]
        shown = early or [fact for fact, before in when if before is None and not undecided]
        if shown:
            whose = _position(shown[0])
            yield VoidGround(
                "exposed_card" if isinstance(whose, int) else "exposed_dealer",
                "DEAL-EXPOSED",
                "687a.13(d)",
                "with cards exposed before the raises, all hands void",
                f"the hand of {name(whose)} was {how}; the round was not voided",
                tuple(fact.seq for fact in shown),
                whose if isinstance(whose, int) else None,
                doubt=(_doubt_at_box(round_, book, whose) or "") if early else _why_open(round_, book),
            )


def _position(shown: RecordedEvent) -> Position:
    """Return the position whose hand was dealt face up or turned over."""
    position: Position = shown.payload.to if shown.payload.KIND is model.CardsDealt else shown.payload.position
    return position


def _why_open(round_: Round, book: Rulebook) -> str:
    """Return why it cannot be told whether a card was exposed before the raises."""
    if of_players(round_, book):
        return "the clocks contradict the order of an exposed card and the raises"
    return "a card was exposed, and whether before the raises is not on record"


def _doubt_of_hand(round_: Round, book: Rulebook, exposed: RecordedEvent) -> str | None:
    """Say why it is open whether an exposed card was of a hand in play: empty if it was; None if it was not, or was the player's
    own.

    A player may show cards of his own hand (D28), not the dealer's; the record does not say who showed a card of the stack that
    became a player's.
    """
    whose, card, by_player = exposed.payload.whose, exposed.payload.card, exposed.payload.by == "player"
    if whose != "stack":
        return None if by_player and whose != "dealer" else _doubt_at_box(round_, book, whose, card)
    doubt = _doubt_of_stack(round_, book, exposed)
    is_dealers = card is not None and CODE[card] in round_.hands().get("dealer", ())
    return OWN if by_player and doubt == "" and not is_dealers else doubt


def _doubt_at_box(round_: Round, book: Rulebook, position: Position, card: str | None = None) -> str | None:
    """Return why it is open whether a position is in play; empty if it is, None if it is not (D365).

    A box without an ante that was dealt nothing may have an ante that is not on record; and if the card lies in a hand in play,
    the box or the card may be wrong.
    """
    playing = positions(round_, book)
    if position in playing:
        return ""
    base = book.chapter.base
    withdrawn = any((stake.seat, stake.wager) == (position, base) for stake in stakes(round_, book).values())
    if not (withdrawn or round_.covers("wagering")):
        return BOX
    held = (round_.hands().get(each, ()) for each in playing)
    return PLACE if card is not None and any(CODE[card] in cards for cards in held) else None


def _doubt_of_stack(round_: Round, book: Rulebook, exposed: RecordedEvent) -> str | None:
    """Return why it is open whether a card of the stack came into a hand in play: empty if it did, None if it did not (D367).

    It did not if it went aside or to a box not in play, if all hands had their cards by the order of the deal, or if all hands
    are on record without it. It is open if this card, or a card of a hand, was not read (D533).
    """
    card, playing = exposed.payload.card, positions(round_, book)
    went = {fact.payload.to for fact in round_.of(model.CardsDealt) if card is not None and card in fact.payload.cards}
    if went:
        return "" if went & {*playing} else None
    hands, must = round_.hands(), book.chapter.numbers["cards_per_hand"]
    if not all(len(hands.get(each, ())) == must for each in playing):
        return ""
    last = round_.last_card
    if round_.covers("deal") and last is not None and round_.certainly_before(last, exposed):
        return None
    if card is None:
        return WHOSE
    if not round_.covers("wagering") or round_.lost:
        return ""
    return WHOSE if any(None in cards for cards in hands.values()) else None


def _before_raises(round_: Round, book: Rulebook, exposed: RecordedEvent) -> bool | None:
    """Whether a card was exposed before the raises: a raise was placed after it, or no one had decided yet.

    If some had decided and only folds came after it, it may be read either way: the floor's decision to void holds. None if the
    clocks contradict an order that it depends on, or no decision is on record. But it came before the decisions if the record
    covers them, has none, and shows that everything a void gives back went back as void (D861).
    """
    made = of_players(round_, book)
    if not round_.order_seen and exposed.payload.KIND is model.HandRevealed:
        standing = left_standing(book, ("exposed_card", "exposed_dealer"))
        return None if is_returned_as_void(round_, but=standing) else False
    if not made and round_.voided is None:
        return True if _is_given_back_for(round_, book, exposed) else None
    order = [(each, round_.certainly_before(exposed, each.moment)) for each in made]
    readings = {
        _was_before_raises(
            round_,
            book,
            exposed,
            before=[each for each, later in order if not (later or (later is None and open_later))],
            after=[each for each, later in order if later or (later is None and open_later)],
        )
        for open_later in (True, False)
    }
    return readings.pop() if len(readings) == 1 else None


def _is_given_back_for(round_: Round, book: Rulebook, exposed: RecordedEvent) -> bool:
    """Say whether all that a void for an exposed card gives back went back as void after it, in a record that covers wagers."""
    standing = left_standing(book, ("exposed_card", "exposed_dealer"))
    returned = [fact for fact in round_.of(model.WagerReturned) if fact.payload.reason == "void"]
    return (
        round_.covers("wagering")
        and is_returned_as_void(round_, but=standing)
        and all(round_.certainly_before(exposed, each) for each in returned)
    )


def _was_before_raises(
    round_: Round, book: Rulebook, exposed: RecordedEvent, before: Sequence[Decided], after: Sequence[Decided]
) -> bool:
    """Whether a card was exposed before the raises, given the decisions before it and after it."""
    if any(each.decision == "raise" for each in after):
        return True
    undecided = set(in_play(round_, book)) - {
        each.fact.payload.seat
        for each in before
        if each.decision == "fold" or each.placed is not None or not round_.covers("wagering")
    }
    voided = round_.voided
    if voided is not None:
        for_exposure = voided.payload.reason in ("exposed_card", "exposed_dealer")
        return bool(undecided) and (for_exposure or exposed.payload.KIND is model.CardExposed)
    return bool(after) and not before


def groundless(round_: Round, book: Rulebook) -> str | None:
    """Say of a round that was voided for an exposed card why the record shows no ground, if it has such a card."""
    seen = [fact for fact in round_.of(model.CardExposed) if _doubt_of_hand(round_, book, fact) is not None]
    reason = round_.voided.payload.reason if round_.voided is not None else ""
    if reason not in ("exposed_card", "exposed_dealer") or not (seen or turned(round_)):
        return None
    if round_.covers("wagering"):
        return f"the round was voided ({reason}), and every player had decided when the card was exposed, by the record"
    return f"the round was voided ({reason}), and whether the raises were placed before the card was exposed is not on record"
