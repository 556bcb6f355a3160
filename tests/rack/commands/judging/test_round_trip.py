"""A round that is printed and handed in again keeps its times, in whatever zone the property is."""

from contextlib import closing
from pathlib import Path

import pytest

from desk.recorded_round import property_configured
from events.sqlite.log import SqliteLog
from events.vocabulary.codec import decode
from events.vocabulary.model import PropertyConfigured, RoundOpened, RulesFiled
from intake.lines import line_of
from rack.cli import main
from replay.transcript.clock import clock_of
from tests.contract.drafts import Drafts
from tests.device_lines import as_lines

RULES = "rules pa-688a ace_high_bonus=1\n"
ROUND = """\
table fu-01
day {day}
round 1
at {times[0]}
wager seat=3 base 25.00
wager seat=4 base 25.00
at {times[1]}
dice 2 2 4 -> dealer
deal dealer=Jk Kd Jc 9s 8h 4d 3c seat3=As Qd Th 9h 7c 5s 2d
at {times[2]}
take seat=3 base 25.00
close
"""


def property_at(folder: Path, zone: str) -> str:
    folder.mkdir()
    address = f"sqlite:{folder}/floor.db"
    configured = PropertyConfigured(name="B", time_zone=zone, gaming_day_cutover="06:00", currency="USD")
    drafts = Drafts()
    lines = [line_of("property/main", each) for each in (drafts.day("2026-03-01"), drafts(configured))]
    (folder / "office.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    assert main(["ingest", str(folder / "office.jsonl"), "--office", "--log", address, "--property", "b"]) == 0
    return address


def take_in(address: str, folder: Path, text: str) -> None:
    (folder / "round.txt").write_text(text)
    with closing(SqliteLog(Path(address.removeprefix("sqlite:")), read_only=True)) as log:
        clock = clock_of(property_configured(log))
    assert main(["ingest", str(as_lines(folder / "round.txt", clock)), "--log", address]) == 0


def seconds(folder: Path) -> list[int]:
    with closing(SqliteLog(folder / "floor.db", read_only=True)) as log:
        events = [decode(record.data) for record in log.read("table/fu-01")]
    assert {event.gaming_day for event in events if event.round_no} == {events[-1].gaming_day}
    return [
        event.occurred_at_us // 1_000_000
        for event in events
        if event.round_no and not isinstance(event.payload, RulesFiled | RoundOpened)
    ]


@pytest.mark.parametrize("zone", ["America/New_York", "America/Los_Angeles", "Asia/Manila", "UTC"])
@pytest.mark.parametrize(
    ("day", "times"),
    [
        ("2026-03-14", ("21:14:05", "21:14:06", "21:14:07")),
        ("2026-03-14", ("9:14 am", "11:59:59 pm", "00:00:01")),
        ("2026-03-14", ("02:14", "02:15", "05:59:30")),
        ("2026-10-31", ("00:59:00", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z")),
        ("2026-10-31", ("2026-11-01T06:30:00Z", "2026-11-01T06:45:00Z", "2026-11-01T07:30:00Z")),
    ],
)
def test_a_round_that_is_printed_and_handed_in_keeps_its_times(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], zone: str, day: str, times: tuple[str, ...]
) -> None:
    folders = [tmp_path / "first", tmp_path / "second", tmp_path / "third"]
    text, printed = ROUND.format(day=day, times=times), list[str]()
    for folder in folders:
        address = property_at(folder, zone)
        take_in(address, folder, RULES + text)
        capfd.readouterr()
        main(["round", "fu-01", "1", "--log", address])
        text = capfd.readouterr().out.partition("\n\n")[0] + "\n"
        printed.append("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    assert seconds(folders[0]) == seconds(folders[1]) == seconds(folders[2])
    assert printed[0] == printed[1] == printed[2]


def test_a_time_is_shown_as_it_was_written_down(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    address = property_at(tmp_path / "first", "America/New_York")
    take_in(address, tmp_path, RULES + ROUND.format(day="2026-03-14", times=("21:14:05", "21:15:00", "02:14:00")))
    capfd.readouterr()
    main(["round", "fu-01", "1", "--log", address])
    said = capfd.readouterr().out
    assert [line for line in said.splitlines() if line.startswith(("at ", "day "))][:2] == ["day 2026-03-14", "at 21:14:05"]
    assert "at 02:14:00" in said
    assert seconds(tmp_path / "first")[0] == 1_773_537_245  # 2026-03-15T01:14:05Z
