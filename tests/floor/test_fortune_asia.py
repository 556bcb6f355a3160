"""Fortune Asia Poker on the simulated floor: everything is planted, the players set first, and the chips add up."""

from random import Random

import pytest

from events.vocabulary import model
from games.fortune_asia.simulation.plan import INSURANCE, unpaired_hand
from rulebook.catalogue import GAMES
from rulebook.chapters.chapters import chapter
from tests.floor.simulated import Floor

NAME = "fortune_asia"
FLOOR = Floor(NAME)


def test_the_dealer_alone_cuts() -> None:
    cuts = 0
    for stream, drafts in FLOOR.tables.items():
        for draft in drafts:
            assert not isinstance(draft.payload, model.CutOffered)
            if isinstance(draft.payload, model.CardsCut) and (stream, draft.round_no) not in FLOOR.labeled("DEAL-CUT"):
                above = draft.payload.depth if draft.payload.counted_from == "top" else 53 - draft.payload.depth
                assert draft.payload.by == "dealer"
                assert above >= 10
                cuts += 1
    assert cuts > 100


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
