"""Fortune Asia Poker on the simulated floor: everything is planted, the players set first, and the chips add up."""

from random import Random

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Simulation
from games.fortune_asia.simulation.plan import INSURANCE, unpaired_hand
from rulebook.catalogue import GAMES
from rulebook.chapters.chapters import chapter
from rulebook.chapters.paytables import Paytable
from tests.floor import simulated as floors
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


def line_of(wager: str, paytable: Paytable, hand: list[int], dealer: list[int]) -> str | None:
    """Return the line of a wager that a hand makes, or None."""
    best = paytable.best(GAMES[NAME].lines(paytable, hand, None))
    return best.hand if best else None


def test_every_line_of_every_paytable_is_won() -> None:
    printed = {
        (wager, name, line.hand) for (wager, name), paytable in chapter("pa", "659a").paytables.items() for line in paytable.lines
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
