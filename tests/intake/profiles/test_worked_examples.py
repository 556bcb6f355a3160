"""The worked examples: a floor of four vendors gives the same events as the floor itself, and the same findings to the byte."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import msgspec
import pytest

from events.log.result_chain import CHAINED
from events.sqlite.log import SqliteLog
from events.vocabulary.codec import decode
from intake.appending import BATCH, LineAppender
from intake.lines import AcceptedLine, Refusal, line_of, read_line
from intake.profiles.profile import Profile
from replay.run.replayer import MemoryResults, Replay
from tests.intake.profiles.dialects import DIALECTS, PROFILES, corrected_id, told
from tests.intake.profiles.samples import floor

LOG_ID = "5" * 32
Line = AcceptedLine | Refusal


def log_of(path: Path, lines: Sequence[Line]) -> SqliteLog:
    ticks = count(1_800_000_000_000_000, 1_000)
    log = SqliteLog(path, create=True, property_id="bellwether", log_id=LOG_ID, clock=lambda: next(ticks))
    appender = LineAppender(log)
    for at in range(0, len(lines), BATCH):
        outcomes = appender.append(lines[at : at + BATCH])
        assert [each.refused.reason for each in outcomes if each.refused is not None] == []
    return log


def results(log: SqliteLog) -> dict[str, list[tuple[str, bytes]]]:
    found = MemoryResults()
    for _ in Replay(log, found).run():
        pass
    return {kind: list(found.results(kind)) for kind in CHAINED}


@pytest.mark.nightly
@pytest.mark.days
def test_four_vendors_give_the_same_findings_as_our_own_words(tmp_path: Path) -> None:
    profiles = {name: Profile(PROFILES / f"{name}.toml") for name in DIALECTS.values()}
    spoken, ids = Counter[str | None](), dict[str, str]()
    by_vendors: list[Line] = []
    for number, message in enumerate(told(floor()), 1):
        spoken[message.profile] += 1
        if message.profile is None:
            ((stream, draft),) = message.events
            lines: tuple[Line, ...] = (read_line(line_of(stream, corrected_id(draft, ids)), f"floor:{number}"),)
        else:
            lines = profiles[message.profile].read(message.data, f"{message.profile}:{number}", bytes)
        for line, (_, draft) in zip(lines, message.events, strict=True):
            assert isinstance(line, AcceptedLine), line.reason
            ids[draft.event_id] = line.draft.event_id
        by_vendors += lines
    assert set(spoken) == {None, *DIALECTS.values()}
    ours = log_of(tmp_path / "ours.db", [read_line(line, "line") for line in floor()])
    theirs = log_of(tmp_path / "theirs.db", by_vendors)
    for stream in ours.streams():
        for mine, other in zip(ours.read(stream), theirs.read(stream), strict=True):
            said, heard = decode(mine.data).draft(), decode(other.data).draft()
            assert corrected_id(msgspec.structs.replace(said, event_id=heard.event_id), ids) == heard
    expected = results(ours)
    assert len(expected["findings"]) > 10
    assert results(theirs) == expected
    ours.close()
    theirs.close()


@pytest.mark.parametrize("name", DIALECTS.values())
def test_every_kind_of_message_of_an_example_is_shown_by_its_sample(name: str) -> None:
    profile = Profile(PROFILES / f"{name}.toml")
    (sample,) = (path for path in PROFILES.glob(f"{name}.*") if path.suffix != ".toml")
    made = Counter[str]()
    with sample.open("rb") as file:
        for line in profile.lines_of(file, name, bytes):
            assert isinstance(line, AcceptedLine), line
            made[line.draft.payload.TYPE] += 1
    mapped = set(re.findall(r'^type = "(\w+)"', (PROFILES / f"{name}.toml").read_text(), re.MULTILINE))
    assert mapped - set(made) <= {"hand_reset", "wager_abandoned", "vigorish_taken", "wager_refused", "round_voided"}
