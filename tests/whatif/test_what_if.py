"""What other rules would have led to: the sums are those of a replay of every round by both rules."""

from functools import cache
from pathlib import Path

import pytest

from floor.day import gaming_day
from replay.findings import Adjudication
from replay.run.replayer import MemoryResults, adjudications, replay
from rulebook.chapters.rulebook import Rulebook, parse_submission
from tests.replay.tables import PAID, MemoryLog, Table, rules_text
from tests.whatif.simulated_log import SimulatedLog
from whatif.round_table import RoundTable, build
from whatif.what_if import WagerTotals, WhatIfResult, add_adjudications, what_if
from whatif.workers.pool import ThisProcess


@pytest.fixture(scope="module")
def log() -> SimulatedLog:
    return SimulatedLog(gaming_day.simulate(22, 60).groups())


@pytest.fixture(scope="module")
def table(log: SimulatedLog, tmp_path_factory: pytest.TempPathFactory) -> RoundTable:
    folder = tmp_path_factory.mktemp("rounds")
    build(log, folder)
    return RoundTable(folder)


@cache
def verdicts(log: MemoryLog, rules: str | None = None) -> list[Adjudication]:
    """The verdicts of a replay, by the rules on file or by a text."""
    results = MemoryResults()
    replay(log, results, rules=None if rules is None else parse_submission(rules))
    return adjudications(results)


def one_by_one(log: MemoryLog, book: Rulebook) -> WhatIfResult:
    """The same from the verdicts of two replays."""
    filed, other = ([each for each in verdicts(log, rules) if each.game == book.game] for rules in (None, book.text))
    answer = WhatIfResult(by_wager={}, rounds=len(filed))
    add_adjudications(answer, filed, other)
    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "ace_high_bonus=1 fortune_bonus=3 progressive=1 meter=m-1",
        "ace_high_bonus=2 fortune_bonus=1 progressive=2 meter=m-1 fortune_pays=highest_rank",
        "ace_high_bonus=3 fortune_bonus=2 progressive=4 meter=m-1 envy_holder_must_wager=yes",
        "fortune_bonus=2",
        "max_payout=50000.00 ace_high_bonus=1 fortune_bonus=1",
    ],
)
def test_the_sums_are_those_of_every_round_replayed_by_both_rules(words: str, log: SimulatedLog, table: RoundTable) -> None:
    book = parse_submission(rules_text(f"pa-688a {words}"))
    answer, expected = what_if(log, table, book, ThisProcess()), one_by_one(log, book)
    assert answer.by_wager == expected.by_wager
    assert answer.rounds == expected.rounds
    assert 0 < answer.event_replayed < answer.rounds


@pytest.mark.slow
def test_the_chapter_as_first_proposed(log: SimulatedLog, table: RoundTable) -> None:
    """It never was in force (D14), and what voids a round is another chapter's: every round is replayed by it."""
    words = "pa-688a-proposed ace_high_bonus=2 fortune_bonus=5 progressive=4 meter=m-1"
    book = parse_submission(rules_text(words))
    answer, expected = what_if(log, table, book, ThisProcess()), one_by_one(log, book)
    assert answer.by_wager == expected.by_wager
    assert answer.event_replayed == answer.rounds


OTHERS = {
    "pai_gow_poker": (
        "pa-645c tiger_9=yes fortune_bonus=3 progressive=1 meter=m-1 sum=B match=1 beat_it=C",
        "pa-645c commission_free=no vigorish_rounding=up fortune_bonus=6 progressive=2 meter=m-1",
        "pa-645c tiger_9=yes fortune_bonus=3 progressive=1 meter=m-1 mystery=A-1",
    ),
    "player_dealer": (
        "ca-gegr-002138 backline=yes ace_high_bonus=yes fortune_bonus=yes coverage=net",
        "ca-gegr-002138 fortune_bonus=yes envy_holder_must_wager=no collection=1.00",
    ),
    "dj_wild": (
        "pa-687a trips=DJWT-04 bad_beat=DJWBB-04 progressive=1 meter=m-1 progressive.rate=15% progressive_deuces=wild",
        "pa-687a trips=DJWT-07 progressive=2 meter=m-1 progressive.rate=15% folded_progressive=yes",
    ),
    "fortune_asia": ("pa-659a fortune_bonus=D insurance=C progressive=1 meter=m-1", "pa-659a fortune_bonus=A"),
    "over_under": ("pa-686a bonus=yes wrong_side=pushes", "pa-686a"),
}
"""Rules of the other games; with a Must-Hit-By meter that no table has, no round is settled from its row."""


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[SimulatedLog, RoundTable]]:
    made = {}
    for game in OTHERS:
        rounds, folder = 60 if game == "dj_wild" else 30, tmp_path_factory.mktemp(game)
        log = SimulatedLog(gaming_day.simulate(21, rounds, games=[game]).groups())
        build(log, folder)
        made[game] = log, RoundTable(folder)
    return made


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize(("game", "words"), [(game, words) for game, each in OTHERS.items() for words in each])
def test_the_sums_of_other_games(game: str, words: str, others: dict[str, tuple[SimulatedLog, RoundTable]]) -> None:
    log, table = others[game]
    book = parse_submission(rules_text(words))
    answer, expected = what_if(log, table, book, ThisProcess()), one_by_one(log, book)
    assert answer.by_wager == expected.by_wager
    assert answer.rounds == expected.rounds
    if "mystery" in words or "sum=" in words:  # the latter: bets close with the dice, as at none of these tables
        assert answer.event_replayed == answer.rounds
    else:
        assert 0 < answer.event_replayed < answer.rounds


@pytest.mark.slow
@pytest.mark.parametrize("game", OTHERS)
def test_rules_as_they_are_at_one_table(game: str, others: dict[str, tuple[SimulatedLog, RoundTable]]) -> None:
    """The first submission on file at a table, at all tables of its game."""
    log, table = others[game]
    book = parse_submission(next(iter(table.rules().values())))
    assert what_if(log, table, book, ThisProcess()).by_wager == one_by_one(log, book).by_wager


@pytest.mark.slow
def test_rules_as_they_are_change_nothing(tmp_path: Path) -> None:
    """Of a table that plays by one submission."""
    groups = [group for group in gaming_day.simulate(22, 180).groups() if group[0] == "table/fu-01"]
    build(SimulatedLog(groups), tmp_path)
    table = RoundTable(tmp_path)
    (text,) = table.rules().values()
    answer = what_if(SimulatedLog(groups), table, parse_submission(text), ThisProcess())
    assert answer.rounds > 20
    assert {each.difference_cents for each in answer.by_wager.values()} == {0}


def test_a_stream_without_rows_is_asked_event_by_event(tmp_path: Path) -> None:
    played, far_back = Table("table/fu-01"), Table("table/fu-02")
    for number in range(1, 4):
        played.play(number, PAID)
        far_back.play(number, PAID)
    far_back.correct(2, far_back.payload(2))
    log = MemoryLog([played, far_back])
    build(log, tmp_path)
    assert list(RoundTable(tmp_path).manifest.event_replay) == ["table/fu-02"]
    book = parse_submission(rules_text("pa-688a"))
    answer = what_if(log, RoundTable(tmp_path), book, ThisProcess())
    assert answer == WhatIfResult(
        by_wager={
            "base": WagerTotals(wagers=12, staked_cents=21_000, done_cents=9_000, due_cents=9_000, replacement_cents=9_000)
        },
        rounds=6,
        event_replayed=3,
        filings={each.stream: {next(iter(RoundTable(tmp_path).rules())): 3} for each in (played, far_back)},
    )


def test_other_games_are_left_out(tmp_path: Path) -> None:
    log = SimulatedLog(gaming_day.simulate(3, 20, games=["over_under"]).groups())
    build(log, tmp_path)
    answer = what_if(log, RoundTable(tmp_path), parse_submission(rules_text("pa-688a")), ThisProcess())
    assert (answer.rounds, answer.by_wager) == (0, {})
