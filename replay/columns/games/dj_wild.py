"""A round of DJ Wild Stud Poker as a row: the deal to those who wager, the decisions, the settlement player by player."""

from __future__ import annotations

from typing import Final, get_args

import numpy as np

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Outcome
from replay.columns import ordinary_course as course
from replay.columns.game_columns import GameColumns, LineOutcomes, OutcomeNames, Row
from replay.columns.kernels.screening_result import EQUAL, FOLDED, LOSE, TIE, WIN
from replay.columns.ordinary_course import Ineligible, position_of, require, seat_of
from replay.columns.row_schemas import DEALER, NO_CARD, POSITIONS, SEATS, RowSchema, slots_of
from replay.fold.round import Round
from replay.fold.stub_counts import uncounted
from replay.rules.equipment import preparations
from replay.rules.games.dj_wild_decisions import BASE, decisions, settling, turned
from replay.rules.games.dj_wild_settlement import AS_PRINTED

SCHEMA: Final = RowSchema(
    slots=slots_of("ante", "blind", "raise", "progressive", "trips", "bad_beat"),
    follows=frozenset(),
    numbers={
        "side": (np.uint8, NO_CARD),
        "counted": (np.uint8, 0),
        "uncounted": (np.uint8, 0),
        "hand_shuffled": (np.uint8, 0),
        "folded": (np.uint8, 0),
        "last_raise": (np.int16, -1),
    },
    arrays={
        "dealt": (np.uint8, 5 * POSITIONS, NO_CARD),
        "dealt_to": (np.uint8, POSITIONS, NO_CARD),
        "decided": (np.int16, SEATS, -1),
        "settled_from": (np.int16, SEATS, -1),
        "settled_to": (np.int16, SEATS, -1),
        "base_to": (np.int16, SEATS, -1),
        "others_from": (np.int16, SEATS, -1),
        "optional_from": (np.int16, 3 * SEATS, -1),
        "hand_gone": (np.int16, SEATS, -1),
    },
)
"""`dealt` has each position's five cards, `dealt_to` the positions in the order of the stacks; `side` the side card; `counted`
how many cards the shuffler counted last (0: none), `uncounted` the rounds in a row in which nobody counted any; `folded` the
seats that folded. Of each seat the moments of its decision (`decided`), of the first and last settlement of its wagers, of the
last of ante, blind and raise, of the first of the others (`optional_from`: of Progressive, Trips and Bad Beat each), and of
collecting its cards (`hand_gone`).
"""

ASPECTS: Final = frozenset(get_args(model.Aspect)) - {"mystery", "rotation", "fees", "start", "setting"}
"""The aspects that the record of a round in columns covers."""

ORDINARY: Final[frozenset[type[Event]]] = course.SHARED_EVENTS | {model.DecisionMade, model.HandExamined}
AT_MOST_ONCE: Final[tuple[type[Event], ...]] = (model.NoMoreBets, model.ProgressiveLocked, model.StubCounted)


def write_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a round of DJ Wild Stud Poker into an empty row. Raises `Ineligible` where it cannot be judged in columns."""
    course.require_ordinary_course(round_, ORDINARY, AT_MOST_ONCE, ASPECTS)
    course.require_order_of_steps(round_, book)
    _write_deal(row, round_)
    course.write_equipment(row, round_)
    _write_counts(row, round_)
    course.write_stakes(row, round_, SCHEMA)
    course.write_meter(row, round_, round_.of(model.ProgressiveAccepted))
    course.write_settlement(row, round_, SCHEMA)
    course.write_envy(row, round_)
    _write_decisions(row, round_, book)
    _write_turns(row, round_, book)
    shown = turned(round_)
    course.write_moments(
        row,
        round_,
        {
            **course.shared_moments(round_),
            "turned": [shown] if shown is not None else [],
            "last_wager": [fact for fact in round_.of(model.WagerPlaced) if fact.payload.wager != "raise"],
        },
    )


def _write_deal(row: Row, round_: Round) -> None:
    """Write the stacks in the order of the deal, the five cards of each, and the side card after them."""
    hands: dict[int, list[int]] = {}
    order: list[int] = []
    for fact in round_.of(model.CardsDealt):
        to = fact.payload.to
        require(None not in fact.payload.cards, "a card that was not read")
        cards = [CODE[card] for card in fact.payload.cards]
        require(row["side"] == NO_CARD, "cards dealt after the side card")
        if to == "side":
            require(len(cards) == 1, "side cards")
            (row["side"],) = cards
            continue
        require(isinstance(to, int) or to == "dealer", "cards dealt aside")
        position = position_of(to)
        if not order or order[-1] != position:
            require(position not in hands, "cards dealt to a position again")
            order.append(position)
        hands.setdefault(position, []).extend(cards)
    require(all(len(hand) == 5 for hand in hands.values()), "hands of other than five cards")
    require(DEALER in hands, "no cards of the dealer")
    row["dealt_to"] = [*order, *[NO_CARD] * (POSITIONS - len(order))]
    for position, cards in hands.items():
        row["dealt"][position * 5 : position * 5 + 5] = cards


def _write_counts(row: Row, round_: Round) -> None:
    """Write what the shuffler counted, in how many rounds nobody counted, and who cut."""
    steps = preparations(round_)
    require(all(step.who == "dealer" for step in steps if step.kind == "cut"), "cut by a player")
    shuffles = [step for step in steps if step.kind == "shuffle"]
    counts = [step.depth for step in shuffles if step.detail != "manual" and step.depth]
    row["counted"] = min(250, counts[-1]) if counts else 0
    row["hand_shuffled"] = any(step.detail == "manual" for step in shuffles)
    row["uncounted"] = min(250, uncounted(round_))
    require(row["uncounted"] < 250, "a stub that was not counted for long")


def _write_decisions(row: Row, round_: Round, book: Rulebook) -> None:
    """Write when each player decided, who folded (whoever did not raise, as the record covers the wagers), and the last raise."""
    made = decisions(round_, book)
    for seat, decision in made.items():
        if decision is None:
            raise Ineligible("a raise and a fold of one player")
        require(decision.decision == "fold" or decision.placed is not None, "a raise that was said and not placed")
        row["decided"][seat_of(seat)] = decision.fact.seq - round_.first_seq
    raised = sum(1 << seat - 1 for seat, found in made.items() if found is not None and found.decision == "raise")
    row["folded"] = 0x3F & ~raised
    raises = [fact.seq - round_.first_seq for fact in round_.of(model.WagerPlaced) if fact.payload.wager == "raise"]
    row["last_raise"] = max(raises, default=-1)


def _write_turns(row: Row, round_: Round, book: Rulebook) -> None:
    """Write between which moments the wagers of each player were settled, and when the cards were collected."""
    for fact in settling(round_, book):
        seat, moment = seat_of(fact.payload.seat), fact.seq - round_.first_seq
        course.keep_earliest(row["settled_from"], seat, moment)
        row["settled_to"][seat] = moment
        if fact.payload.wager in BASE:
            row["base_to"][seat] = moment
        else:
            course.keep_earliest(row["others_from"], seat, moment)
            course.keep_earliest(row["optional_from"], 3 * seat + AS_PRINTED.index(fact.payload.wager), moment)
    for fact in round_.of(model.CardsCollected):
        if isinstance(fact.payload.of, int):
            course.keep_earliest(row["hand_gone"], seat_of(fact.payload.of), fact.seq - round_.first_seq)


_EVEN: Final[LineOutcomes] = {
    WIN: (Outcome.WIN, "12(a)"),
    LOSE: (Outcome.LOSE, "687a.11(e)(3)"),
    TIE: (Outcome.TIE, "687a.11(e)(2)"),
    FOLDED: (Outcome.FOLDED, "687a.11(b)"),
}
"""The outcomes of ante and raise."""

COLUMNS: Final = GameColumns(
    name="dj_wild",
    schema=SCHEMA,
    write_row=write_row,
    kernel="replay.columns.kernels.dj_wild",
    outcomes=OutcomeNames(
        {
            "ante": _EVEN,
            "raise": _EVEN,
            "blind": {0: _EVEN[LOSE], EQUAL: _EVEN[TIE], FOLDED: _EVEN[FOLDED]},
            "progressive": {FOLDED: (Outcome.FOLDED, "687a.11(b)(3)")},
            "bad_beat": {FOLDED: (Outcome.FOLDED, "687a.11(b)(2)")},
        },
        {
            "blind": ("687a.12(b)", ""),
            "progressive": ("12(d)", "11(h)(3)(i)(A)"),
            "trips": ("687a.12(d)", "687a.11(f)(2)(i)"),
            "bad_beat": ("687a.12(e)", "687a.11(f)(3)(i)"),
        },
    ),
)
