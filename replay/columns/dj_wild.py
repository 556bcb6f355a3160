"""A plain round of DJ Wild Stud Poker as a row: the deal to those who wager, the decisions, the settlement player by player."""

from __future__ import annotations

from typing import Final, get_args

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE
from games.rulebook.rulebook import Rulebook
from replay.columns import row_course as plain
from replay.columns.game_row_schemas import DJ_WILD, POSITIONS
from replay.columns.row_course import Row, must, position_of, seat_of
from replay.columns.row_schemas import DEALER, NO_CARD
from replay.fold.round import Round
from replay.fold.stub_counts import uncounted
from replay.rules.dj_wild import AS_PRINTED
from replay.rules.dj_wild_decisions import BASE, decisions, settling, turned
from replay.rules.equipment import preparations

ASPECTS: Final = frozenset(get_args(model.Aspect)) - {"mystery", "rotation", "fees", "start", "setting"}
"""What the record of a plain round covers."""

ORDINARY: Final[frozenset[type[Event]]] = plain.IN_EVERY_GAME | {model.DecisionMade, model.HandExamined}
AT_MOST_ONCE: Final[tuple[type[Event], ...]] = (model.NoMoreBets, model.ProgressiveLocked, model.StubCounted)


def dj_wild(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round of DJ Wild Stud Poker into an empty row. Raises `Aside` where the round is not plain."""
    plain.whole(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    _dealt(row, round_)
    plain.equipment(row, round_)
    _counted(row, round_)
    plain.stakes(row, round_, DJ_WILD)
    plain.meter(row, round_, round_.of(model.ProgressiveAccepted))
    plain.settled(row, round_, DJ_WILD)
    plain.envy(row, round_)
    _decided(row, round_, book)
    _in_turn(row, round_, book)
    shown = turned(round_)
    plain.moments(
        row,
        round_,
        {
            **plain.moments_in_every_game(round_),
            "turned": [shown] if shown is not None else [],
            "last_wager": [fact for fact in round_.of(model.WagerPlaced) if fact.payload.wager != "raise"],
        },
    )


def _dealt(row: Row, round_: Round) -> None:
    """The stacks in the order of the deal, the five cards of each, and the side card after them."""
    hands: dict[int, list[int]] = {}
    order: list[int] = []
    for fact in round_.of(model.CardsDealt):
        to = fact.payload.to
        must(None not in fact.payload.cards, "a card that was not read")
        cards = [CODE[card] for card in fact.payload.cards]
        must(row["side"] == NO_CARD, "cards dealt after the side card")
        if to == "side":
            must(len(cards) == 1, "side cards")
            (row["side"],) = cards
            continue
        must(isinstance(to, int) or to == "dealer", "cards dealt aside")
        position = position_of(to)
        if not order or order[-1] != position:
            must(position not in hands, "cards dealt to a position again")
            order.append(position)
        hands.setdefault(position, []).extend(cards)
    must(all(len(hand) == 5 for hand in hands.values()), "hands of other than five cards")
    must(DEALER in hands, "no cards of the dealer")
    row["dealt_to"] = [*order, *[NO_CARD] * (POSITIONS - len(order))]
    for position, cards in hands.items():
        row["dealt"][position * 5 : position * 5 + 5] = cards


def _counted(row: Row, round_: Round) -> None:
    """What the shuffler counted, in how many rounds nobody counted, and who cut."""
    steps = preparations(round_)
    must(all(step.who == "dealer" for step in steps if step.kind == "cut"), "cut by a player")
    shuffles = [step for step in steps if step.kind == "shuffle"]
    counts = [step.depth for step in shuffles if step.detail != "manual" and step.depth]
    row["counted"] = min(250, counts[-1]) if counts else 0
    row["hand_shuffled"] = any(step.detail == "manual" for step in shuffles)
    row["uncounted"] = min(250, uncounted(round_))
    must(row["uncounted"] < 250, "a stub that was not counted for long")


def _decided(row: Row, round_: Round, book: Rulebook) -> None:
    """When each player decided, who folded (in a record that covers the wagers, whoever did not raise), and the last raise."""
    made = decisions(round_, book)
    for seat, each in made.items():
        if each is None:
            raise plain.Aside("a raise and a fold of one player")
        must(each.decision == "fold" or each.placed is not None, "a raise that was said and not placed")
        row["decided"][seat_of(seat)] = each.fact.seq - round_.first_seq
    raised = sum(1 << seat - 1 for seat, each in made.items() if each is not None and each.decision == "raise")
    row["folded"] = 0x3F & ~raised
    raises = [fact.seq - round_.first_seq for fact in round_.of(model.WagerPlaced) if fact.payload.wager == "raise"]
    row["last_raise"] = max(raises, default=-1)


def _in_turn(row: Row, round_: Round, book: Rulebook) -> None:
    """Between which moments the wagers of each player were settled, and when the cards were collected."""
    for fact in settling(round_, book):
        seat, moment = seat_of(fact.payload.seat), fact.seq - round_.first_seq
        plain.earliest(row["settled_from"], seat, moment)
        row["settled_to"][seat] = moment
        if fact.payload.wager in BASE:
            row["base_to"][seat] = moment
        else:
            plain.earliest(row["others_from"], seat, moment)
            plain.earliest(row["optional_from"], 3 * seat + AS_PRINTED.index(fact.payload.wager), moment)
    for fact in round_.of(model.CardsCollected):
        if isinstance(fact.payload.of, int):
            plain.earliest(row["hand_gone"], seat_of(fact.payload.of), fact.seq - round_.first_seq)
