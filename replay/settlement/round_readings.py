"""The readings of a round: one for every combination of answers to the open questions of the record (D26, D500).

Invariant: a doubt is a question of the round, and a reading is a `Round` that assumes an answer to every question. Amounts are
due if all readings agree on them (`settlement.py`), and a rule's finding counts if it is in every reading (`run/adjudicate.py`).
So a doubt never accuses or acquits, and no rule handles doubts itself. Unread cards are not questions here: `hand_readings.py`
has their readings, for each reading of the round.

    wager in time?      a clock contradicts the log, or two statements are in one line       `Stake.questions`
    given back in time? a return in a round whose order was not seen                            `Stake.questions`
    refused of what?    a refusal that does not fit what was placed last                        `Stake.questions`
    void by a ground?   the record leaves open whether it is one                                `VoidGround.doubt`
    voided by return?   a card of the stack was exposed, and whose it became is open            `open_elections`
    voided after play?  a hand was looked at or set after a card of it was exposed, and all went back   `open_elections`
    declared void       the round, or one hand, and the record would show a ground and has none
    abandoned?          by the record, the player whose wagers were called abandoned never left
"""

from collections.abc import Mapping
from itertools import product

from events.vocabulary import model
from replay.fold.derived import derived_by_rules
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Question, Round
from replay.settlement.exposures import is_over, may_be_of, open_elections, owner_of
from replay.settlement.game_terms import terms_of
from replay.settlement.stakes import stakes
from replay.settlement.table_layout import leaving, sitting, voided_seats
from replay.settlement.voids import can_be_void, covers_ground, is_miscounted, is_void, must_be_void, open_grounds
from replay.settlement.withdrawals import as_answered
from rulebook.chapters.rulebook import Rulebook

MOST_QUESTIONS = 6
"""If more questions are open, those of one kind get one answer, yes or no."""


@derived_by_rules
def round_readings(round_: Round, book: Rulebook) -> tuple[Round, ...]:
    """Return every reading that a round's record leaves open; only the round itself if it leaves nothing open."""
    asked = [question for stake in stakes(round_, book).values() for question in stake.questions]
    asked += [ground.question for ground in open_grounds(round_, book)]
    asked += open_elections(round_, book)
    declared = groundless_declarations(round_, book)
    if not asked and not declared:
        return (round_,)
    ways = _answers([*asked, *declared])
    return tuple(
        reading
        for answers in ways
        for reading in _settled(round_, book, answers, [f for q, (_, f) in declared.items() if not answers[q]], len(ways))
    )


def _settled(
    round_: Round, book: Rulebook, answers: Mapping[Question, bool], disbelieved: list[list[RecordedEvent]], share: int
) -> tuple[Round, ...]:
    """Return the reading with these answers, or its own readings if an answer leads to another question."""
    without = [fact for facts in disbelieved for fact in facts]
    return round_readings(as_answered(round_.reading(answers, without, share=share)), book)


def _answers(asked: list[Question]) -> list[dict[Question, bool]]:
    """Return every combination of answers, the ordinary course of a round first; one answer for each kind if too many."""
    asked = list(dict.fromkeys(asked))
    groups: dict[object, list[Question]] = {}
    for question in asked:
        groups.setdefault(question if len(asked) <= MOST_QUESTIONS else question[0], []).append(question)
    ways = product(*((True, False) if group[0][0] == "in time" else (False, True) for group in groups.values()))
    return [{question: answer for answer, group in zip(way, groups.values(), strict=True) for question in group} for way in ways]


@derived_by_rules
def groundless_declarations(round_: Round, book: Rulebook) -> dict[Question, tuple[str, list[RecordedEvent]]]:
    """Return void declarations for which the record, though complete, shows no ground: why, and the facts that declare it.

    A void needs a ground in the record if the record covers what the ground would show (D116).
    """
    found: dict[Question, tuple[str, list[RecordedEvent]]] = {}
    if round_.voided is not None:
        why = _without_ground(round_, book, round_.voided)
        question = "declared void", round_.voided.seq
        if why and question not in round_.answers:
            found[question] = why, [fact for fact in round_.of(model.RoundVoided) if fact.payload.scope == "round"]
    found |= _abandoned_by_nobody(round_)
    voided = voided_seats(round_, book) if book.has("13(d)") else frozenset()
    if not voided or is_void(round_, book):
        return found
    shown = [fact for fact in round_.of(model.CardExposed) if fact.payload.by != "player"]
    owners = [(owner_of(round_, fact), fact) for fact in shown]
    exposed = {seat for seat, fact in owners if not (isinstance(seat, int) and is_over(round_, seat, fact))}
    exposed |= {fact.payload.to for fact in round_.of(model.CardsDealt) if fact.payload.face_up}
    covered = "deal" in round_.opened.payload.observed
    for seat in sorted(voided - exposed):
        too_late = any(owner == seat for owner, _ in owners)
        if any(may_be_of(round_, book, fact, seat) for fact in shown) or not (covered or too_late):
            continue
        facts = [fact for fact in round_.of(model.RoundVoided) if fact.payload.scope == seat]
        facts += [fact for fact in round_.of(model.HandElected) if (fact.payload.seat, fact.payload.election) == (seat, "void")]
        question = f"seat {seat} void", facts[0].seq
        if question not in round_.answers:
            found[question] = (f"the hand of seat {seat} was voided and the record shows {_shown(round_, seat, too_late)}", facts)
    return found


def _shown(round_: Round, seat: int, too_late: bool) -> str:
    """Return in words the exposed cards of a hand that were exposed by the player, or only after the hand was over."""
    by_player = [fact for fact in round_.of(model.CardExposed) if fact.payload.by == "player"]
    before = " before the hand was over" if too_late else ""
    if any(owner_of(round_, fact) == seat for fact in by_player):
        return f"only a card that the player exposed{before}"
    return f"no card exposed{before}" if too_late else "no exposed card"


def _abandoned_by_nobody(round_: Round) -> dict[Question, tuple[str, list[RecordedEvent]]]:
    """Return the boxes reported as abandoned although, by the record, the patron who placed the wagers still sits at the table.

    "If a player leaves the table during a round of play" (§ 688a.7(b), D549).
    """
    found: dict[Question, tuple[str, list[RecordedEvent]]] = {}
    abandoned = round_.of(model.WagerAbandoned)
    if not abandoned:
        return found
    seated, left = sitting(round_), leaving(round_)
    for fact in abandoned:
        seat, bettor = fact.payload.seat, fact.payload.bettor
        question = f"seat {seat} abandoned", fact.seq
        if bettor in seated and not {seat, bettor} & left.keys() and question not in round_.answers:
            found[question] = f"the wagers of seat {seat} were said to be abandoned, and its player never left", [fact]
    return found


def _without_ground(round_: Round, book: Rulebook, voided: RecordedEvent) -> str:
    """Return in words that a declared void has no ground; empty if it has or may have one, or the record cannot show it."""
    reason = voided.payload.reason
    if not can_be_void(book):
        return f"the round was voided ({reason}), for which the chapter has no ground"
    by_the_floor = reason == "floor_decision" and is_miscounted(round_, book)
    if by_the_floor or must_be_void(round_, book) or open_grounds(round_, book) or not covers_ground(round_, reason):
        return ""  # if a ground is open, the reading that has none asks
    of_game = terms_of(book.game).groundless
    return (of_game(round_, book) if of_game is not None else None) or (
        f"the round was voided ({reason}) and the record shows no ground for it"
    )
