"""Fortune Asia Poker on the simulated floor: everything is planted, the players set first, and the chips add up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Simulation, simulate
from floor.fortune_asia.plan import INSURANCE, unpaired_hand
from games.cards.cards import CODE
from games.catalogue import GAMES
from games.rulebook.chapters import chapter
from games.rulebook.rulebook import Rulebook, parse_submission
from tests.floor import simulated as floors
from tests.floor.adding_up import days_that_add_up
from tests.floor.simulated import documented

NAME = "fortune_asia"
SIMULATION = SIMULATIONS[NAME]
SEED, ROUNDS = 20, 2000


def simulated() -> Simulation:
    return floors.simulated(NAME, SEED, ROUNDS)


def tables() -> dict[str, list[Draft]]:
    return floors.tables(NAME, SEED, ROUNDS)


def labelled(code: str) -> set[tuple[str, int | None]]:
    return {(label.stream, label.round_no) for label in simulated().labels if label.code == code}


def test_there_is_an_injector_for_every_documented_code() -> None:
    assert {code.partition("/")[0] for code in SIMULATION.anomalies.faults} == documented("evidence-659a.md")
    assert "PAY-LIMIT" not in documented("evidence-659a.md")


def test_every_code_is_planted_twice_and_every_irregularity_once() -> None:
    planted = Counter(label.code for label in simulated().labels)
    assert {code for code in SIMULATION.anomalies.faults if planted[code.partition("/")[0]] < 2} == set()
    kinds = Counter(label.kind for label in simulated().legitimate)
    assert {kind for kind in SIMULATION.anomalies.legitimates if not kinds[kind]} == set()


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        simulate(5, 80, games=(NAME,)).write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


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
                case model.HandSet() if (stream, draft.round_no) not in labelled("SET-EARLY"):
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
            if isinstance(draft.payload, model.CardsCut) and (stream, draft.round_no) not in labelled("DEAL-CUT"):
                above = draft.payload.depth if draft.payload.counted_from == "top" else 53 - draft.payload.depth
                assert draft.payload.by == "dealer"
                assert above >= 10
                cuts += 1
    assert cuts > 100


def test_the_chips_of_every_table_and_day_add_up() -> None:
    assert days_that_add_up(tables()) == 10


def paid_lines() -> set[tuple[str, str, str]]:
    """The lines of the paytables in force that wagers won, by the cards dealt: wager, paytable, hand."""
    won: set[tuple[str, str, str]] = set()
    lines = GAMES[NAME].lines
    for drafts in tables().values():
        day, filed = "", dict[str, Rulebook]()
        hands: dict[object, list[int]] = {}
        wagers: set[tuple[int, str]] = set()
        for draft in drafts:
            match draft.payload:
                case model.GamingDayOpened(gaming_day=day):
                    pass
                case model.RulesFiled(effective_gaming_day=effective, toml=toml):
                    filed[effective] = parse_submission(toml)
                case model.RoundOpened():
                    hands, wagers = {}, set()
                case model.WagerPlaced(seat=seat, wager=wager):
                    wagers.add((seat, wager))
                case model.CardsDealt(to=to, cards=cards):
                    hands.setdefault(to, []).extend(CODE[card] for card in cards if card is not None)
                case model.RoundClosed():
                    book = filed[max(each for each in filed if each <= day)]
                    for seat, wager in wagers:
                        paytable, held = book.offers[wager].paytable, hands.get(seat, [])
                        if paytable is not None and len(held) == 7:
                            best = paytable.best(lines(paytable, held, None))
                            won |= {(wager, paytable.name, best.hand)} if best else set()
    return won


def test_every_line_of_every_paytable_is_won() -> None:
    printed = {
        (wager, name, line.hand)
        for (wager, name), paytable in chapter("pa", "659a").paytables.items()
        for line in paytable.lines
    }
    assert len(printed) == 4 * 11 + 1 + 3 * 6 + 6
    assert len(printed - paid_lines()) <= 2


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
