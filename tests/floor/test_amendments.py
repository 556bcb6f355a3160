"""Amendments at the simulated floor: dealers pay by the edition of the day, and so does the replay, if it knows of them."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.open import open_results
from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.day.gaming_day import Simulation, simulate
from floor.faults.comparison import compare
from floor.faults.labels import Planted
from floor.table.casino import SIMULATED
from rack.cli import main
from replay.run import engine, stream_worker
from replay.run.adjudicate import adjudicate
from replay.run.replayer import MemoryResults, adjudications, findings, replay
from rulebook.chapters.editions import Amendment, amendment_from_words, read_amendment
from tests.floor.simulated import DOCS
from tests.whatif.simulated_log import SimulatedLog


class Labels(msgspec.Struct):
    """What the file of labels says of planted faults."""

    planted: list[Planted]


DAYS = [SIMULATED.gaming_day(day) for day in range(6)]
SECOND = [f"line=fortune_bonus/{name}/three_of_a_kind/7:1" for name in range(1, 7)]
THIRD = [f"line=fortune_bonus/{name}/straight/9:1" for name in range(1, 7)]


def amendment(edition: int, day: str, *changes: str, key: str = "pa-688a") -> Amendment:
    return read_amendment(amendment_from_words([key, str(edition), day, *changes]))


AMENDMENTS = [amendment(2, DAYS[2], *SECOND), amendment(3, DAYS[4], *THIRD, "strike=ace_high_bonus")]
"""Three of a kind pays more from the third day on, a straight from the fifth, on which the Ace High Bonus ends."""


@pytest.fixture(scope="module")
def amended() -> Simulation:
    return simulate(11, 300, days=len(DAYS), amendments=AMENDMENTS)


def judged(groups: Sequence[tuple[str, Sequence[Draft]]]) -> MemoryResults:
    results = MemoryResults()
    summary = replay(SimulatedLog(groups), results)
    assert not summary.integrity
    return results


def test_every_planted_fault_is_found_and_nothing_else_by_the_edition_of_each_day(amended: Simulation) -> None:
    results = judged(list(amended.groups()))
    assert amended.labels
    assert compare(amended.labels, findings(results)).perfect
    editions = Counter((each.gaming_day, each.edition) for each in adjudications(results))
    assert editions == {(day, 1 + at // 2): 50 for at, day in enumerate(DAYS)}


def test_two_persons_publish_before_the_day_at_the_property_and_every_table(amended: Simulation) -> None:
    days, seen = dict[str, str](), Counter[tuple[str, int, str]]()
    for stream, drafts in amended.groups():
        for draft in drafts:
            if isinstance(draft.payload, model.GamingDayOpened):
                days[stream] = draft.payload.gaming_day
            elif isinstance(draft.payload, model.ChapterPublished):
                event = draft.payload
                assert draft.source == f"filing-{event.by}" != f"filing-{event.signed_by}"
                assert event.sha256 == sha256(event.toml.encode()).hexdigest()
                seen[stream.partition("/")[0], event.edition, days[stream]] += 1
    assert seen == {
        ("property", 2, DAYS[1]): 1, ("table", 2, DAYS[1]): 5, ("property", 3, DAYS[3]): 1, ("table", 3, DAYS[3]): 5,
    }  # fmt: skip


def postponed(groups: Iterator[tuple[str, list[Draft]]]) -> Iterator[tuple[str, list[Draft]]]:
    """The same events, but what was published counts from a day that does not come."""
    for stream, drafts in groups:
        kept = list(drafts)
        for at, draft in enumerate(drafts):
            event = draft.payload
            if isinstance(event, model.ChapterPublished):
                toml = event.toml.replace(event.effective_gaming_day, "2027-01-01")
                changed = {"toml": toml, "sha256": sha256(toml.encode()).hexdigest(), "effective_gaming_day": "2027-01-01"}
                kept[at] = msgspec.structs.replace(draft, payload=msgspec.structs.replace(event, **changed))
        yield stream, kept


def test_without_the_editions_the_same_events_are_mispayments_of_the_changed_lines(amended: Simulation) -> None:
    results = judged(list(postponed(amended.groups())))
    made = findings(results)
    wrong = compare(amended.labels, made).false_alarms
    day_of = {(each.stream, each.round_no): each.gaming_day for each in adjudications(results)}
    alarms = {(day_of[each.stream, each.round_no], each.code, each.wager) for each in made if each in wrong}
    assert {what[1:] for what in alarms} == {("PAY-OVER", "fortune_bonus")}
    assert {day for day, _, _ in alarms} == set(DAYS[2:])
    assert {each.edition for each in adjudications(results)} == {1}


@pytest.mark.parametrize(
    ("amendments", "says"),
    [
        ([amendment(2, DAYS[0], *SECOND)], f"expected a gaming day from {DAYS[1]} to {DAYS[-1]}"),
        ([amendment(2, "2026-04-12", *SECOND)], f"expected a gaming day from {DAYS[1]} to {DAYS[-1]}"),
        ([amendment(3, DAYS[2], *SECOND)], "the last known is 1; expected the next number"),
        ([amendment(2, DAYS[3], *SECOND), amendment(3, DAYS[2], *THIRD)], "expected no earlier day"),
        ([amendment(2, DAYS[2], "strike=trips", key="pa-687a")], "no table of this chapter is simulated"),
        ([amendment(2, DAYS[2], "number=dice_age_hours/12/2(c)(1)(i)")], "changes dice_age_hours"),
        ([amendment(2, DAYS[2], "strike=progressive")], "changes paytables of a meter"),
        ([amendment(2, DAYS[2], "strike=ace_high_bonus/1")], "the rules of fu-01: wagers.ace_high_bonus.paytable"),
    ],
)
def test_what_cannot_be_played_is_refused(amendments: list[Amendment], says: str) -> None:
    with pytest.raises(ValueError, match=says.replace("(", r"\(")):
        simulate(1, 10, days=len(DAYS), amendments=amendments)


def test_a_wager_can_end_in_every_game_that_files_it_and_no_planted_fault_needs_it() -> None:
    for key, game, wager in [("pa-645c", "pai_gow_poker", "match"), ("pa-687a", "dj_wild", "trips")]:
        floor = simulate(7, 100, games=(game,), days=4, amendments=[amendment(2, DAYS[2], f"strike={wager}", key=key)])
        assert compare(floor.labels, findings(judged(list(floor.groups())))).perfect, game


def overlooking(round_: Any, book: Any) -> Any:
    """Judge as an earlier version of the program that finds no overpayment."""
    made = adjudicate(round_, book)
    left = tuple(each for each in made.findings if each.code != "PAY-OVER")
    verdict = made.verdict if left == made.findings else "VARIANCE" if left else "UPHELD"
    return msgspec.structs.replace(made, findings=left, verdict=verdict)


def told_in_the_tour(folder: Path) -> list[tuple[str, list[str]]]:
    """The commands of the tour's section on changes, each with the lines that it prints there; its amendments are written."""
    part = (DOCS / "tour.md").read_text("utf-8").partition("## 9. ")[2].partition("\n## ")[0]
    commands: list[tuple[str, list[str]]] = []
    for block in part.split("```")[1::2]:
        language, _, text = block.partition("\n")
        if language:
            (folder / f"edition-{read_amendment(text).edition}.toml").write_text(text)
            continue
        for line in text.splitlines():
            if line.startswith("$ rack "):
                commands.append((line.removeprefix("$ rack "), []))
            else:
                commands[-1][1].append(line)
    return commands


def test_the_tour_from_an_amendment_to_an_adoption_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first replay is an earlier engine's; in the end every planted fault is found, and nothing else."""
    monkeypatch.chdir(tmp_path)
    commands = told_in_the_tour(tmp_path)
    upgrade = next(at for at, (command, _) in enumerate(commands) if command.startswith("replay")) + 1
    with monkeypatch.context() as before:
        before.setattr(engine, "_digest", lambda *_: "earlier")
        before.setattr(stream_worker, "adjudicate", overlooking)
        follow(commands[:upgrade], capsys)
    follow(commands[upgrade:], capsys)
    follow([("replay --log sqlite:law.db", ["current verdicts: 3 UNDETERMINED, 125 UPHELD, 20 VARIANCE, 2 VOID"])], capsys)
    labels = msgspec.json.decode((tmp_path / "law.jsonl.labels.json").read_bytes(), type=Labels)
    with closing(open_results("sqlite:law.db", read_only=True)) as results:
        assert compare(labels.planted, findings(results)).perfect
        assert {each.edition for each in adjudications(results)} == {1, 2, 3}


def follow(commands: Sequence[tuple[str, list[str]]], capsys: pytest.CaptureFixture[str]) -> None:
    """Give commands, and see that each prints its lines."""
    for command, lines in commands:
        assert main(shlex.split(command)) in (0, 1), command
        printed = capsys.readouterr()
        said = [line.rstrip() for line in (printed.out + printed.err).splitlines()]
        assert [line for line in lines if line not in said] == [], command
