"""What holds for the floor of every game: same seed, same bytes; everything is planted; the labels are apart."""

from collections import Counter
from pathlib import Path

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from rulebook.cards.cards import CODE
from rulebook.catalogue import GAMES
from rulebook.chapters.chapters import chapter
from rulebook.chapters.paytables import Paytable
from rulebook.settlement.ace_high import ace_high_line
from tests.floor.adding_up import days_that_add_up
from tests.floor.simulated import ROUNDS, Floor, documented, paid_lines

every_floor = pytest.mark.parametrize("floor", [Floor(game) for game in ROUNDS], ids=ROUNDS)


def test_every_game_has_its_days() -> None:
    assert ROUNDS.keys() == SIMULATIONS.keys()


@pytest.mark.parametrize(
    ("game", "pages", "apart"),
    [
        ("face_up_pai_gow", ["evidence.md"], set()),
        # the dealer's cards lie face down: that they do not is SET-EARLY
        ("pai_gow_poker", ["evidence.md", "evidence-645c.md"], {"DEAL-FACING"}),
        ("fortune_asia", ["evidence-659a.md"], set()),
        ("over_under", ["evidence-686a.md"], set()),
        ("dj_wild", ["evidence-687a.md"], set()),
        ("player_dealer", ["evidence-gegr-002138.md"], set()),
    ],
)
def test_there_is_an_injector_for_every_documented_code(game: str, pages: list[str], apart: set[str]) -> None:
    planted = {code.partition("/")[0] for code in SIMULATIONS[game].anomalies.faults}
    of_the_log = {code for code in planted if code.startswith("LOG-") and game == "dj_wild"}  # its page leaves them out
    assert planted - of_the_log == documented(*pages) - apart


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", ROUNDS)
def test_same_seed_same_bytes(tmp_path: Path, game: str) -> None:
    for name in ("a", "b"):
        simulate(5, 80, games=(game,)).write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a.labels.json").read_bytes() == (tmp_path / "b.labels.json").read_bytes()
    simulate(6, 80, games=(game,)).write(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


@pytest.mark.sampled(4)
@every_floor
def test_every_code_is_planted_and_every_irregularity_happens(floor: Floor) -> None:
    """Each injector twice, those of a code together; what shows in a meter's stream alone is asked for there."""
    day, anomalies = floor.simulation, SIMULATIONS[floor.game].anomalies
    planted = Counter(label.code for label in day.labels if label.stream.startswith("table/"))
    injectors = Counter(name.partition("/")[0] for name in anomalies.faults if name != "PAY-METER/stream")
    assert {code for code, count in injectors.items() if planted[code] < 2 * count} == set()
    in_meters = {label.code for label in day.labels if label.stream.startswith("meter/")}
    assert ("PAY-METER" in in_meters) == ("PAY-METER/stream" in anomalies.faults)
    kinds = Counter(label.kind for label in day.legitimate)
    assert {kind for kind in {*anomalies.legitimates, *anomalies.natural} if not kinds[kind]} == set()


@every_floor
def test_labels_are_disjoint(floor: Floor) -> None:
    """At most one fault a round, and none in a round that is labeled as legitimate."""
    faulty = Counter((label.stream, label.round_no) for label in floor.simulation.labels if label.stream.startswith("table/"))
    assert max(faulty.values()) == 1
    assert not faulty.keys() & {(label.stream, label.round_no) for label in floor.simulation.legitimate}


@every_floor
def test_rounds_are_numbered_from_one_and_never_restart(floor: Floor) -> None:
    total = 0
    for stream, drafts in floor.streams.items():
        numbers = [draft.round_no for draft in drafts if isinstance(draft.payload, model.RoundOpened)]
        assert numbers == list(range(1, len(numbers) + 1)), stream
        total += len(numbers)
    assert total == ROUNDS[floor.game]


@every_floor
def test_devices_count_without_gaps_and_clocks_run_forward_but_where_planted(floor: Floor) -> None:
    planted = {(label.stream, label.round_no) for label in floor.simulation.labels if label.code.startswith("LOG-")}
    seen: dict[tuple[str, str], Draft] = {}
    for stream, drafts in floor.streams.items():
        round_no = None
        for draft in drafts:
            if isinstance(draft.payload, model.RoundOpened):
                round_no = draft.round_no
            last = seen.get((stream, draft.source))
            if last is not None and (stream, round_no) not in planted:
                assert draft.source_seq == last.source_seq + 1, (stream, draft)
                assert draft.occurred_at_us >= last.occurred_at_us, (stream, draft)
            seen[stream, draft.source] = draft


@pytest.mark.parametrize("game", [game for game in ROUNDS if game != "player_dealer"])
def test_the_chips_of_every_table_and_day_add_up(game: str) -> None:
    """In California the chips that change hands are those of the player-dealer."""
    assert days_that_add_up(Floor(game).tables) == (8 if game == "dj_wild" else 10)


MISDEALT = ("DEAL-DECK", "DEAL-COUNT", "DEAL-ORDER", "PAY-VOID")
AS_DEALT = ("proper_void", "stack_moved")
"""What leaves a position with other than its cards, as they were dealt."""


@pytest.mark.parametrize(("game", "size"), [("face_up_pai_gow", 7), ("dj_wild", 5)])
def test_every_deal_is_of_one_deck(game: str, size: int) -> None:
    """No card twice, a whole hand to each position: but if a fault or an irregularity of the deal is labeled."""
    floor = Floor(game)
    odd = {(each.stream, each.round_no) for each in floor.simulation.legitimate if each.kind in AS_DEALT}
    odd |= floor.labeled(*MISDEALT)
    for stream, drafts in floor.tables.items():
        rounds: dict[int | None, dict[object, list[str | None]]] = {}
        for draft in drafts:
            if isinstance(draft.payload, model.CardsDealt):
                rounds.setdefault(draft.round_no, {}).setdefault(draft.payload.to, []).extend(draft.payload.cards)
        for number, hands in rounds.items():
            if (stream, number) in odd:
                continue
            assert {len(cards) for to, cards in hands.items() if to != "side"} == {size}, (stream, number)
            dealt = [CODE[card] for cards in hands.values() for card in cards if card is not None]
            assert len(dealt) == len(set(dealt)) >= (48 if size == 7 else 0), (stream, number)


@pytest.mark.parametrize(("game", "chapter_of_it", "lines"), [("face_up_pai_gow", "688a", 126), ("fortune_asia", "659a", 69)])
def test_every_line_of_every_paytable_is_won(game: str, chapter_of_it: str, lines: int) -> None:
    def line_of(wager: str, paytable: Paytable, hand: list[int], dealer: list[int]) -> str | None:
        best = paytable.best(GAMES[game].lines(paytable, hand, None))
        return ace_high_line(dealer, hand) if wager == "ace_high_bonus" else best.hand if best else None

    paytables = chapter("pa", chapter_of_it).paytables
    printed = {(wager, name, line.hand) for (wager, name), paytable in paytables.items() for line in paytable.lines}
    assert len(printed) == lines
    assert len(printed - paid_lines(Floor(game).tables, line_of)) <= 2


@pytest.mark.parametrize("game", ["fortune_asia", "pai_gow_poker"])
def test_the_players_set_before_the_dealers_cards_are_turned_over(game: str) -> None:
    seen, early = 0, Floor(game).labeled("SET-EARLY")
    for stream, drafts in Floor(game).tables.items():
        turned: set[int | None] = set()
        for draft in drafts:
            match draft.payload:
                case model.HandRevealed(position="dealer") | model.HandSet(position="dealer"):
                    turned.add(draft.round_no)
                case model.HandSet() if (stream, draft.round_no) not in early:
                    assert draft.round_no not in turned, (stream, draft.round_no)
                    seen += 1
                case model.CardsDealt():
                    assert game == "pai_gow_poker" or not draft.payload.face_up
    assert seen > ROUNDS[game]


@pytest.mark.parametrize("game", ["fortune_asia", "player_dealer"])
def test_another_game_changes_nothing_at_the_tables_of_this_one(game: str) -> None:
    """Each wing is a function of the seed alone but for the patrons, who come to the whole property."""
    alone = {stream for stream, _ in simulate(5, 40, games=(game,)).groups()}
    both = {stream for stream, _ in simulate(5, 40, games=("face_up_pai_gow", game)).groups()}
    assert alone - {"property/main"} < both


@pytest.mark.parametrize("game", ["fortune_asia", "over_under", "pai_gow_poker"])
def test_too_few_tables_are_refused(game: str) -> None:
    with pytest.raises(ValueError, match="at least 5"):
        simulate(1, 10, tables=4, games=(game,))


@pytest.mark.parametrize(("game", "prefix"), [("fortune_asia", "fa"), ("over_under", "ou")])
def test_more_tables(game: str, prefix: str) -> None:
    names = {stream for stream, _ in simulate(2, 70, tables=7, games=(game,)).groups()}
    assert {f"table/{prefix}-{number:02d}" for number in range(1, 8)} <= names
