"""If the engine of one game changes, the standing verdicts remain, and only the rounds of that game are judged beside them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.errors import LogUnavailable
from floor.day import gaming_day
from replay.findings import digest
from replay.fold.round import Round
from replay.run import engine, stream_worker
from replay.run.adjudicate import Conclusion, adjudicate
from replay.run.positions import resumption
from replay.run.replayer import MemoryResults, adjudications, replay
from replay.run.shadow import judge_beside
from replay.run.verdict_check import check_verdicts
from replay.transcript.transcript import judge
from rulebook import catalogue
from rulebook.catalogue import GAMES, chapters_of
from rulebook.chapters import chapter_files, chapters
from rulebook.chapters.citation import cite
from tests.golden.rounds import GoldenCase, read_cases, round_files
from tests.replay.stored import stored
from tests.replay.streams import eventful, meter
from tests.replay.tables import PAID, MemoryLog, Table, filed
from tests.whatif.simulated_log import SimulatedLog
from whatif.kept_table import KeptTable
from whatif.round_table import RoundTable
from whatif.table_check import differences

CHANGED = "dj_wild"


@pytest.fixture(scope="module")
def log() -> SimulatedLog:
    """Three tables: two games whose engines do not change, and one whose engine does."""
    games = ["face_up_pai_gow", CHANGED, "over_under"]
    return SimulatedLog(gaming_day.simulate(11, 12, games=games).groups())


def streams_of(log: SimulatedLog) -> set[str]:
    """The streams of the tables and meters of the game whose engine changes."""
    return {stream for stream in log.streams() if stream.startswith(("table/dw-", "meter/wild-"))}


def change(monkeypatch: pytest.MonkeyPatch, *games: str) -> None:
    """Let what judges these games be something else."""
    real = engine._digest

    def digest(game: str | None, *outside: Any) -> str:
        return "another" if game in games or game is None else real(game, *outside)

    monkeypatch.setattr(engine, "_digest", digest)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The games of the rounds that are judged from here on."""
    games: list[str] = []

    def noting(round_: Round, book: Any) -> Any:
        games.append(book.game)
        return adjudicate(round_, book)

    monkeypatch.setattr(stream_worker, "adjudicate", noting)
    return games


def test_only_the_rounds_of_that_game_are_judged_beside(
    log: SimulatedLog, monkeypatch: pytest.MonkeyPatch, judged: list[str]
) -> None:
    results = MemoryResults()
    replay(log, results)
    before = stored(results)
    named = {each.engine: each.game for each in adjudications(results)}
    assert named == {engine.engine_of(game): game for game in set(judged)}
    of_the_game, judged[:] = judged.count(CHANGED), []
    change(monkeypatch, CHANGED)
    again = replay(log, results)
    assert judged == []  # the state of the table is the new engine's, the verdicts are not
    assert again.events == sum(log.head(stream).seq for stream in streams_of(log))
    assert (again.changed, again.held, stored(results)) == (0, of_the_game, before)
    assert replay(log, results).events == 0
    shadow = MemoryResults()
    made = judge_beside(log, results, shadow)
    assert judged == [CHANGED] * of_the_game
    assert (made.rounds, made.changed, list(shadow.stored())) == (of_the_game, 0, [])  # it concludes the same
    judged.clear()
    assert judge_beside(log, results, shadow).before == made.streams
    assert judged == []


def test_where_it_concludes_otherwise_its_shadow_supersedes_its_verdicts_and_no_other(
    log: SimulatedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = MemoryResults()
    replay(log, results)
    before = {(each.stream, each.round_no): each for each in adjudications(results)}
    change(monkeypatch, CHANGED)

    def otherwise(round_: Round, book: Any) -> Any:
        return Conclusion(verdict="UNDETERMINED", undetermined=("another engine",), findings=(), settlements=())

    monkeypatch.setattr(stream_worker, "adjudicate", otherwise)
    assert replay(log, results).changed == 0
    assert {(each.stream, each.round_no): each for each in adjudications(results)} == before
    shadow = MemoryResults()
    judge_beside(log, results, shadow)
    made = {(each.stream, each.round_no): each for each in adjudications(shadow)}
    assert made.keys() == {key for key, each in before.items() if each.game == CHANGED}
    assert {each.engine for each in made.values()} == {engine.engine_of(CHANGED)}
    assert all(each.supersedes == digest(before[key]) for key, each in made.items())


@pytest.mark.slow
def test_until_then_its_results_count_as_not_judged_by_this_program(log: SimulatedLog, monkeypatch: pytest.MonkeyPatch) -> None:
    results = MemoryResults()
    replay(log, results)
    assert not check_verdicts(log, results).failures()
    change(monkeypatch, CHANGED)
    found = resumption(log, results)
    assert found.outdated == streams_of(log)
    assert found.outdated.isdisjoint(found.positions)
    with pytest.raises(LogUnavailable, match=r"another engine judged the game of meter/wild-03, .*, table/dw-04 than"):
        check_verdicts(log, results)
    replay(log, results)
    check = check_verdicts(log, results)
    assert not check.failures()
    assert set(check.by_conclusion) <= streams_of(log)


def test_another_release_with_the_same_engines_judges_nothing_again(log: SimulatedLog, monkeypatch: pytest.MonkeyPatch) -> None:
    results = MemoryResults()
    replay(log, results)
    monkeypatch.setattr(engine, "_version", lambda: "99.0.0")
    assert replay(log, results).events == 0
    check = check_verdicts(log, results)
    assert not check.failures()
    assert check.by_conclusion == sorted(stream for stream in log.streams() if stream.startswith("table/"))


def test_a_round_table_is_written_again_for_that_game_alone(
    log: SimulatedLog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    results = MemoryResults()
    replay(log, results, rounds=KeptTable(tmp_path, log.log_id, log.property_id))
    before = {each.path for each in RoundTable(tmp_path).manifest.files if each.path.split("/")[2] != CHANGED}
    change(monkeypatch, CHANGED)
    said = replay(log, results, rounds=KeptTable(tmp_path, log.log_id, log.property_id)).judged_again
    assert [f"another engine of {CHANGED}" in line for line in said] == [True]
    after = {each.path for each in RoundTable(tmp_path).manifest.files}
    assert before <= after
    RoundTable(tmp_path).must_be_of(log)
    assert differences(log, tmp_path) == []


def test_a_meter_is_judged_again_with_the_games_under_which_it_was_in_service(monkeypatch: pytest.MonkeyPatch) -> None:
    log, results = MemoryLog([eventful(), meter()]), MemoryResults()
    replay(log, results)
    change(monkeypatch, "over_under")
    assert replay(log, results).events == 0
    change(monkeypatch, "face_up_pai_gow")
    assert replay(log, results).events == sum(log.head(stream).seq for stream in log.streams())


def test_without_rules_on_file_the_shared_part_judges_and_with_an_unknown_chapter_the_whole_program() -> None:
    unknown = msgspec.structs.replace(filed(), toml='chapter = "pa-999z"')
    for event, name in [(None, engine.engine_of("")), (filed(), engine.engine_of("face_up_pai_gow")), (unknown, engine.engine())]:
        table = Table(words=None)
        if event is not None:
            table.say(event)
        table.play(1, PAID)
        results = MemoryResults()
        replay(MemoryLog([table]), results)
        assert [each.engine for each in adjudications(results)] == [name]


@contextmanager
def alone(game: str) -> Iterator[None]:
    """Let one game be the only one that there is; of chapters there are its own, and those from which these copy."""
    wanted = {*chapters_of(game), *(["pa-688a"] if game == "pai_gow_poker" else [])}
    packaged = {
        jurisdiction: {name: file for name, file in files.items() if f"{jurisdiction}-{name}" in wanted}
        for jurisdiction, files in chapter_files._packaged().items()
    }
    caches = (chapters._edition, chapters._amendments, chapters.known_chapters, cite)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chapter_files, "_packaged", lambda: packaged)
        patched.setattr(catalogue, "_RECORDS", {game: GAMES[game]})
        for cache in caches:
            cache.cache_clear()
        assert set(GAMES) == {game}
        yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("game", list(GAMES))
def test_the_verdicts_of_a_game_are_the_same_without_any_other_game(game: str) -> None:
    """So that what an engine is named after is all that judged: every tenth golden round."""
    files = [path for path in round_files() if path.parents[2].name == game]
    cases = [case for path in files for case in read_cases(path)][::10]
    assert len(cases) > 10
    before = [conclusions(case) for case in cases]
    with alone(game):
        for case, expected in zip(cases, before, strict=True):
            assert conclusions(case) == expected, case.title


def conclusions(case: GoldenCase) -> list[Conclusion]:
    return [each.conclusion for each in judge(case.transcript, case.title, lambda name: (case.path.parent / name).read_text())]
