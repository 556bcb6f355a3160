"""`rack replay --shadow`, `rack verdicts diff` and `adopt`: another engine, from its shadow to its adoption."""

import csv
from pathlib import Path
from typing import Any

import msgspec
import pytest

from desk.report.check import check_report
from desk.review.persons import Person, entry
from rack.cli import main
from replay.run import engine, stream_worker
from replay.run.adjudicate import adjudicate
from tests.desk.packet.signed_floor import Floor
from tests.rack.commands.judging.command_line import printed


@pytest.fixture
def upgraded(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> Floor:
    """A judged floor under another engine, which takes every round for undetermined."""

    def otherwise(round_: Any, book: Any) -> Any:
        return msgspec.structs.replace(adjudicate(round_, book), verdict="UNDETERMINED", undetermined=("D1081",))

    monkeypatch.setattr(engine, "_digest", lambda *_: "another")
    monkeypatch.setattr(stream_worker, "adjudicate", otherwise)
    return floor


def test_from_shadow_to_adoption(upgraded: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floor, address = upgraded, upgraded.address
    register = tmp_path / "persons.toml"
    register.write_text("\n".join(entry(Person(id=name, name=name, roles=("compliance",))) for name in ("m.ortiz", "s.lee")))
    said = printed(capsys, "replay", address)
    assert "the verdicts on 1 round are an earlier engine's and stay in force; `rack replay --shadow NAME`" in said
    assert "no shadow" in printed(capsys, "verdicts", address, "diff", "next", code=3)
    assert "the verdicts on 1 round differ" in printed(capsys, "replay", address, "--shadow", "next")
    table, report = tmp_path / "lines.csv", tmp_path / "next.pdf"
    words = ("diff", "next", "--csv", str(table), "--report", str(report), "--key", str(floor.key), "--json")
    found = printed(capsys, "verdicts", address, *words, code=1)
    assert (found["rounds"], [each["decision"] for each in found["groups"]]) == (1, ["D1081"])
    with table.open() as lines:
        assert [row["kind"] for row in csv.DictReader(lines)] == ["verdict"]
    assert check_report(report.read_bytes(), [floor.public]).name == "verdicts-next"
    adopting = ("adopt", "next", "--by", "m.ortiz", "--signed-by", "s.lee", "--reason", "a new reading")
    said = printed(capsys, "verdicts", address, *adopting)
    assert "1 verdict changed" in said
    assert "in force: 1 UNDETERMINED" in said
    assert "earlier engine" not in printed(capsys, "replay", address)
    assert printed(capsys, "verify", address, "--verdicts") != ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["replay", "--shadow", "No Name"], "cannot name a shadow"),
        (["replay", "--shadow", "next-wal"], "cannot name a shadow"),
        (["replay", "--shadow", "next", "--again"], "no other option but --log"),
    ],
)
def test_what_is_asked_wrongly_is_refused(
    upgraded: Floor, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main([*words, "--log", upgraded.address]) == 2
    assert says in capsys.readouterr().err


def test_editions_are_listed_without_a_log_and_with_one(floor: Floor, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "editions"]) == 0
    alone = capsys.readouterr().out
    assert "not held" in next(line for line in alone.splitlines() if "55 Pa.B. 261" in line)
    assert printed(capsys, "rules", floor.address, "editions") == alone
