"""`rack judge`, `rack rules` and transcripts at `rack ingest`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from rack.cli import main

DISPUTE = """\
rules   pa-688a ace_high_bonus=1
wager   seat=3 base 25.00  ace_high_bonus 10.00
dice    2 2 4 -> dealer
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
"""


@pytest.fixture
def dispute(tmp_path: Path) -> Path:
    path = tmp_path / "dispute.txt"
    path.write_text(DISPUTE + "pay     seat=3 ace_high_bonus 100.00\n")
    return path


def judged(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict]:
    code = main(["judge", str(path), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_wrong_ace_high_payout_says_who_is_owed_what_by_which_section(dispute: Path, capsys) -> None:
    """Both have ace high, the dealer's with the joker: 20 to 1 on 10.00 is 200.00 (§ 688a.12(b), paytable 1)."""
    code, said = judged(dispute, capsys)
    assert (code, said["verdict"]) == (1, "VARIANCE")
    bonus = next(each for each in said["settlements"] if each["wager"] == "ace_high_bonus")
    assert (bonus["seat"], bonus["staked_cents"], bonus["due_cents"], bonus["done_cents"]) == (3, 1000, 20000, 10000)
    base = next(each for each in said["settlements"] if each["wager"] == "base")
    assert (base["due_cents"], base["done_cents"]) == (0, None)
    (finding,) = said["findings"]
    assert (finding["code"], finding["difference_cents"]) == ("PAY-UNDER", -10000)
    assert finding["cite"] == "58 Pa. Code § 688a.12(b)"
    assert main(["judge", str(dispute)]) == 1
    text = capsys.readouterr().out
    assert "seat 3 is owed $100.00" in text
    assert "§ 688a.12(b)" in text


def test_the_readme_prints_what_comes_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (Path(__file__).parents[4] / "README.md").read_text()
    written = next(block for block in readme.split("```") if block.startswith("\nrules "))
    printed = next(block for block in readme.split("```") if block.startswith("\n$ rack judge dispute.txt\n"))
    (tmp_path / "dispute.txt").write_text(written.lstrip())
    monkeypatch.chdir(tmp_path)
    assert main(["judge", "dispute.txt"]) == 1
    assert capsys.readouterr().out.strip() == printed.split("\n", 2)[2].strip()


def test_without_payments_it_says_what_is_due(dispute: Path, capsys) -> None:
    dispute.write_text(DISPUTE)
    code, said = judged(dispute, capsys)
    assert (code, said["verdict"], said["findings"]) == (0, "UNDETERMINED", [])
    assert {each["wager"]: (each["due_cents"], each["done_cents"]) for each in said["settlements"]} == {
        "base": (0, None),
        "ace_high_bonus": (20000, None),
    }
    assert main(["judge", str(dispute)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "UNDETERMINED because nothing was recorded of how the round was settled; seat 3 is due nothing beyond its stake on "
        "the Base wager and a win of $200.00 on the Ace High Bonus."
    )


def test_a_file_of_several_rounds_has_the_gravest_verdict(dispute: Path, capsys) -> None:
    rules, play = DISPUTE.split("\n", 1)
    dispute.write_text(f"{rules}\nround 1\n{play}round 2\n{play}pay seat=3 ace_high_bonus 100.00\n")
    code, said = judged(dispute, capsys)
    assert (code, said["verdict"]) == (1, "VARIANCE")
    assert [(each["round"], each["verdict"]) for each in said["rounds"]] == [(1, "UNDETERMINED"), (2, "VARIANCE")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules pa-688a\nwagr seat=3 base 25.00\n", ":2: "),
        ("rules pa-688a ace_high_bonus=9\nwager seat=3 base 25.00\n", ":1: "),
        ("", "no round of play"),
        ("rules nowhere.toml\n", "cannot read nowhere.toml"),
    ],
)
def test_a_transcript_that_cannot_be_read_names_the_line(text: str, said: str, dispute: Path, capsys) -> None:
    dispute.write_text(text)
    assert main(["judge", str(dispute)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"rack: {dispute}")
    assert said in err


def test_no_transcript(tmp_path: Path, capsys) -> None:
    assert main(["judge", str(tmp_path / "x.txt")]) == 2
    (tmp_path / "x.txt").write_bytes(b"\xff")
    assert main(["judge", str(tmp_path / "x.txt")]) == 2
    assert "expected a transcript in UTF-8" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------- rack ingest


def test_a_transcript_goes_into_its_tables_stream_once(dispute: Path, tmp_path: Path, capsys) -> None:
    address = f"sqlite://{tmp_path}/floor.db"
    assert main(["ingest", str(dispute), "--log", address, "--property", "bellwether", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["appended"] > 0
    assert main(["ingest", str(dispute), "--log", address, "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert (second["appended"], second["duplicates"]) == (0, first["appended"])
    log = SqliteLog(tmp_path / "floor.db", read_only=True)
    assert log.streams() == ["table/t-1"]
    log.close()


def test_a_transcript_with_a_bad_line_is_refused_whole_and_kept(dispute: Path, tmp_path: Path, capsys) -> None:
    dispute.write_text(DISPUTE + "pay everybody\n")
    address = f"sqlite://{tmp_path}/floor.db"
    assert main(["ingest", str(dispute), "--log", address, "--property", "bellwether"]) == 1
    out, err = capsys.readouterr()
    assert err.startswith(f"{dispute}:5: ")
    assert "0 events appended" in out
    log = SqliteLog(tmp_path / "floor.db", read_only=True)
    assert [held.data for held in log.quarantined()] == [dispute.read_bytes()]
    log.close()


# ------------------------------------------------------------------------------------------------------------ rack rules


def test_rules_list_has_every_paytable_of_688a(capsys) -> None:
    assert main(["rules", "list", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    counts = {
        wager: sum(each["wager"] == wager for each in known if each["chapter"] == "pa-688a")
        for wager in ("base", "ace_high_bonus", "fortune_bonus", "progressive")
    }
    assert counts == {"base": 1, "ace_high_bonus": 5, "fortune_bonus": 6, "progressive": 7}
    assert all(each["cite"] for each in known)


def test_rules_check_says_what_never_comes_into_force(tmp_path: Path, capsys) -> None:
    from rulebook.chapters.rulebook import simple_submission

    path = tmp_path / "rules.toml"
    path.write_text(simple_submission("pa-688a-proposed", {"progressive": "4"}))
    assert main(["rules", "check", str(path)]) == 0
    assert "for what-if replays only: pa-688a-proposed was never in force" in capsys.readouterr().out
    assert main(["rules", "check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["in_force"] is False
    path.write_text(simple_submission())
    assert main(["rules", "check", str(path)]) == 0
    assert "what-if" not in capsys.readouterr().out


def test_rules_check(tmp_path: Path, capsys) -> None:
    from rulebook.chapters.rulebook import simple_submission

    path = tmp_path / "rules.toml"
    path.write_text(simple_submission(paytables={"ace_high_bonus": "1"}))
    assert main(["rules", "check", str(path)]) == 0
    assert "accepted" in capsys.readouterr().out
    assert main(["rules", "check", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [offer["wager"] for offer in said["offers"]] == ["base", "ace_high_bonus"]
    path.write_text(simple_submission(paytables={"ace_high_bonus": "1"}).replace('paytable = "1"', 'paytable = "9"'))
    assert main(["rules", "check", str(path)]) == 2
    err = capsys.readouterr().err
    assert str(path) in err
    assert "paytable" in err


@pytest.mark.parametrize("arguments", [["check"], ["list", "x.toml"], ["check", "nowhere.toml"]])
def test_rules_usage(arguments: list[str], capsys) -> None:
    assert main(["rules", *arguments]) == 2
    assert "expected" in capsys.readouterr().err
