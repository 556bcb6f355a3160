"""What holds for the floor of every game: same seed, same bytes; everything is planted; the labels are apart."""

from collections import Counter
from pathlib import Path

import pytest

from events.vocabulary import model
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from tests.floor.adding_up import days_that_add_up
from tests.floor.simulated import DAYS, simulated, tables

FLOORS = [(game, seed, rounds) for game, (seeds, rounds) in DAYS.items() for seed in seeds]


def test_every_game_has_its_days() -> None:
    assert DAYS.keys() == SIMULATIONS.keys()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", DAYS)
def test_same_seed_same_bytes(tmp_path: Path, game: str) -> None:
    for name in ("a", "b"):
        simulate(5, 80, games=(game,)).write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a.labels.json").read_bytes() == (tmp_path / "b.labels.json").read_bytes()
    simulate(6, 80, games=(game,)).write(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "seed", "rounds"), FLOORS)
def test_every_code_is_planted_and_every_irregularity_happens(game: str, seed: int, rounds: int) -> None:
    """Each injector twice, those of a code together; what shows in a meter's stream alone is asked for there."""
    floor, anomalies = simulated(game, seed, rounds), SIMULATIONS[game].anomalies
    planted = Counter(label.code for label in floor.labels if label.stream.startswith("table/"))
    injectors = Counter(name.partition("/")[0] for name in anomalies.faults if name != "PAY-METER/stream")
    assert {code for code, count in injectors.items() if planted[code] < 2 * count} == set()
    in_meters = {label.code for label in floor.labels if label.stream.startswith("meter/")}
    assert ("PAY-METER" in in_meters) == ("PAY-METER/stream" in anomalies.faults)
    kinds = Counter(label.kind for label in floor.legitimate)
    assert {kind for kind in {*anomalies.legitimates, *anomalies.natural} if not kinds[kind]} == set()


@pytest.mark.parametrize(("game", "seed", "rounds"), FLOORS)
def test_labels_are_disjoint(game: str, seed: int, rounds: int) -> None:
    """At most one fault a round, and none in a round that is labeled as legitimate."""
    floor = simulated(game, seed, rounds)
    faulty = Counter((label.stream, label.round_no) for label in floor.labels if label.stream.startswith("table/"))
    assert max(faulty.values()) == 1
    assert not faulty.keys() & {(label.stream, label.round_no) for label in floor.legitimate}


@pytest.mark.parametrize(("game", "seed", "rounds"), [each for each in FLOORS if each[0] != "player_dealer"])
def test_the_chips_of_every_table_and_day_add_up(game: str, seed: int, rounds: int) -> None:
    """In California the chips that change hands are those of the player-dealer."""
    assert days_that_add_up(tables(game, seed, rounds)) == (8 if game == "dj_wild" else 10)


@pytest.mark.parametrize("game", ["fortune_asia", "pai_gow_poker"])
def test_the_players_set_before_the_dealers_cards_are_turned_over(game: str) -> None:
    ((seed,), rounds), seen = DAYS[game], 0
    early = {(each.stream, each.round_no) for each in simulated(game, seed, rounds).labels if each.code == "SET-EARLY"}
    for stream, drafts in tables(game, seed, rounds).items():
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
    assert seen > rounds


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
