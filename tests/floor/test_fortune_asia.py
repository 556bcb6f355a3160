"""Fortune Asia Poker on the simulated floor: everything is planted, the players set first, and the chips add up."""

from __future__ import annotations

from random import Random

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Simulation, simulate
from games.fortune_asia.simulation.plan import INSURANCE, unpaired_hand
from rulebook.catalogue import GAMES
from rulebook.chapters.chapters import chapter
from rulebook.chapters.paytables import Paytable
from tests.floor import simulated as floors
from tests.floor.adding_up import days_that_add_up
from tests.floor.simulated import documented

NAME = "fortune_asia"
SIMULATION = SIMULATIONS[NAME]
(SEED,), ROUNDS = floors.DAYS[NAME]


def simulated() -> Simulation:
    return floors.simulated(NAME, SEED, ROUNDS)


def tables() -> dict[str, list[Draft]]:
    return floors.tables(NAME, SEED, ROUNDS)


def labeled(code: str) -> set[tuple[str, int | None]]:
    return {(label.stream, label.round_no) for label in simulated().labels if label.code == code}


def test_there_is_an_injector_for_every_documented_code() -> None:
    assert {code.partition("/")[0] for code in SIMULATION.anomalies.faults} == documented("evidence-659a.md")
    assert "PAY-LIMIT" not in documented("evidence-659a.md")


def test_another_game_changes_nothing_at_the_tables_of_this_one() -> None:
    """Each wing is a function of the seed alone but for the patrons, who come to the whole property."""
    alone = {stream for stream, _ in simulate(5, 40, games=(NAME,)).groups()}
    both = {stream for stream, _ in simulate(5, 40, games=("face_up_pai_gow", NAME)).groups()}
    assert alone - {"property/main"} < both


def test_the_players_set_before_the_dealers_cards_are_turned_over() -> None:
    seen = 0
    for stream, drafts in tables().items():
        turned: set[int | None] = set()
        for draft in drafts:
            match draft.payload:
                case model.HandRevealed(position="dealer") | model.HandSet(position="dealer"):
                    turned.add(draft.round_no)
                case model.HandSet() if (stream, draft.round_no) not in labeled("SET-EARLY"):
                    assert draft.round_no not in turned, (stream, draft.round_no)
                    seen += 1
                case model.CardsDealt():
                    assert not draft.payload.face_up
    assert seen > ROUNDS


def test_the_dealer_alone_cuts() -> None:
    cuts = 0
    for stream, drafts in tables().items():
        for draft in drafts:
            assert not isinstance(draft.payload, model.CutOffered)
            if isinstance(draft.payload, model.CardsCut) and (stream, draft.round_no) not in labeled("DEAL-CUT"):
                above = draft.payload.depth if draft.payload.counted_from == "top" else 53 - draft.payload.depth
                assert draft.payload.by == "dealer"
                assert above >= 10
                cuts += 1
    assert cuts > 100


def test_the_chips_of_every_table_and_day_add_up() -> None:
    assert days_that_add_up(tables()) == 10


def line_of(wager: str, paytable: Paytable, hand: list[int], dealer: list[int]) -> str | None:
    """Return the line of a wager that a hand makes, or None."""
    best = paytable.best(GAMES[NAME].lines(paytable, hand, None))
    return best.hand if best else None


def test_every_line_of_every_paytable_is_won() -> None:
    printed = {
        (wager, name, line.hand)
        for (wager, name), paytable in chapter("pa", "659a").paytables.items()
        for line in paytable.lines
    }
    assert len(printed) == 4 * 11 + 1 + 3 * 6 + 6
    assert len(printed - floors.paid_lines(tables(), line_of)) <= 2


@pytest.mark.parametrize("line", INSURANCE)
def test_hands_without_a_pair_are_made_to_order(line: str) -> None:
    random = Random(line)
    paytable = chapter("pa", "659a").paytable("insurance", "A")
    for _ in range(20):
        cards = unpaired_hand(random, INSURANCE[line], {0, 1, 2})
        assert cards is not None
        assert len(set(cards)) == 7
        assert not {0, 1, 2} & set(cards)
        assert GAMES[NAME].lines(paytable, cards, None) == {line}


def test_refuses_what_cannot_be_simulated() -> None:
    with pytest.raises(ValueError, match="at least 5"):
        simulate(1, 10, tables=4, games=(NAME,))


def test_more_tables() -> None:
    names = {stream for stream, _ in simulate(2, 70, tables=7, games=(NAME,)).groups()}
    assert {f"table/fa-{number:02d}" for number in range(1, 8)} <= names
