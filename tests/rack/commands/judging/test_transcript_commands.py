"""`rack judge`, `rack rules` and transcripts at `rack ingest`."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary.codec import decode
from rack.cli import main
from replay.run.replayer import adjudications
from tests.desk.people import register_people
from tests.device_lines import as_lines

RULES = "rules pa-688a ace_high_bonus=1\n"
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


@pytest.fixture
def house(tmp_path: Path) -> str:
    """A log with table fu-01, one recorded round of 1 March and its filing, and registered persons."""
    (tmp_path / "played.txt").write_text(RULES + "table fu-01\nday 2026-03-01\n" + DISPUTE.split("\n", 1)[1] + "close\n")
    register_people(tmp_path)
    address = f"sqlite://{tmp_path}/floor.db"
    assert main(["ingest", str(as_lines(tmp_path / "played.txt")), "--log", address, "--property", "bellwether"]) == 0
    main(["replay", "--log", address, "--quiet"])
    return address


def enter(address: str, text: str, *options: str, code: int = 0) -> None:
    path = Path(address.removeprefix("sqlite://")).with_name("entry.txt")
    path.write_text(text)
    words = ["ingest", str(path), "--log", address, "--table", "fu-01", "--observer", "m.ortiz", "--camera", "cam-4"]
    assert main([*words, *(() if "--day" in options else ("--day", "2026-03-01")), *options]) == code


def streams(address: str) -> dict[str, list[str]]:
    with closing(SqliteLog(Path(address.removeprefix("sqlite://")), read_only=True)) as log:
        return {stream: [decode(each.data).type for each in log.read(stream)] for stream in log.streams()}


SEEN = DISPUTE.split("\n", 1)[1] + "pay seat=3 ace_high_bonus 100.00\n"


def test_a_transcript_goes_to_what_was_observed_once_and_changes_nothing_of_the_table(house: str, capsys) -> None:
    before = streams(house)
    enter(house, SEEN, "--json")
    (first,) = json.loads(capsys.readouterr().out)["rounds"]
    assert (first["round_no"], first["events"] > 5) == (1, True)
    enter(house, SEEN, "--json")
    (again,) = json.loads(capsys.readouterr().out)["rounds"]
    assert (again["round_no"], again["events"]) == (1, 0)
    after = streams(house)
    assert {stream: types for stream, types in after.items() if stream != "observed/fu-01"} == before
    assert after["observed/fu-01"][:2] == ["gaming_day_opened", "round_observed"]


def test_an_entered_round_is_judged_by_the_filing_of_its_table_and_numbered_by_itself(house: str, capsys) -> None:
    enter(house, "round 242\n" + SEEN)
    enter(house, SEEN.replace("100.00", "200.00"))
    main(["replay", "--log", house, "--quiet"])
    capsys.readouterr()
    assert main(["observe", "result", "--log", house, "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["basis"], found["entered"], found["interval"]) == ("for_cause", 2, None)
    with closing(SqliteResults(Path(house.removeprefix("sqlite://")).with_suffix(".db.verdicts"), read_only=True)) as results:
        verdicts = {f"{each.stream}#{each.round_no}": each for each in adjudications(results)}
    assert [each.line() for each in verdicts["observed/fu-01#1"].findings] == ["PAY-UNDER seat=3 wager=ace_high_bonus -100.00"]
    assert verdicts["observed/fu-01#2"].verdict == "UPHELD"
    assert verdicts["table/fu-01#1"].revision == 1


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        (SEEN, ("--day", "1999-01-01"), "had filed no rules by 1999-01-01"),
        ("rules pa-688a ace_high_bonus=2\n" + SEEN, (), "had filed others"),
        ("table fu-02\n" + SEEN, (), "--table and --day say fu-01 on 2026-03-01"),
        ("seated seat=3 p-9\n" + SEEN, (), "patron_seated belongs to the table"),
        (SEEN, ("--observer", "nobody"), "nobody"),
        (SEEN, ("--observation", "o-9"), "has no observation 'o-9'"),
        (SEEN, ("--same-as", "77"), "has no judged round 77"),
        (SEEN + "pay everybody\n", (), "entry.txt:"),
    ],
)
def test_what_cannot_be_entered_is_named_and_nothing_of_it_is_stored(
    house: str, capsys, text: str, options: tuple[str, ...], why: str
) -> None:
    before = streams(house)
    enter(house, text, *options, code=1)
    assert why in capsys.readouterr().err
    assert streams(house) == before


@pytest.mark.parametrize("left_out", ["--table", "--day", "--observer"])
def test_a_transcript_asks_for_table_day_and_observer(house: str, dispute: Path, capsys, left_out: str) -> None:
    given = {"--table": "fu-01", "--day": "2026-03-01", "--observer": "m.ortiz"}
    words = [word for name, value in given.items() if name != left_out for word in (name, value)]
    assert main(["ingest", str(dispute), "--log", house, *words]) == 2
    assert f"{left_out} is missing" in capsys.readouterr().err


def test_yesterdays_hand_can_be_entered_and_another_record_of_a_recorded_round(house: str, capsys) -> None:
    enter(house, SEEN, "--same-as", "1", "--order-not-seen")
    main(["replay", "--log", house, "--quiet"])
    capsys.readouterr()
    assert main(["observe", "show", "--table", "fu-01", "--round", "1", "--log", house, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["same_as"]["stream"] == "table/fu-01"
    assert (shown["order_seen"], shown["camera"], shown["by"]) == (False, "cam-4", "m.ortiz")
    assert shown["recorded"].startswith("Recorded by m.ortiz, from video of cam-4, entered on 20")
    assert shown["recorded"].endswith("; played on gaming day 2026-03-01; the order was not seen")


def test_a_round_can_be_entered_before_the_log_was_ever_replayed(house: str, capsys) -> None:
    for file in Path(house.removeprefix("sqlite://")).parent.glob("floor.db.verdicts*"):
        file.unlink()
    enter(house, SEEN)
    assert main(["observe", "list", "--log", house]) == 0
    assert "m.ortiz" in capsys.readouterr().out


def test_a_typo_is_corrected_by_number_and_field_and_a_failed_form_changes_nothing(house: str, capsys) -> None:
    enter(house, SEEN.replace("100.00", "20000.00"))
    capsys.readouterr()
    assert main(["observe", "show", "--table", "fu-01", "--round", "1", "--log", house, "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["lines"]
    typo = next(each["event"] for each in lines if each["type"] == "wager_paid")
    words = ["observe", "correct", "--table", "fu-01", "--log", house, "--by", "m.ortiz", "--reason", "typed two zeros too many"]
    before = streams(house)
    for wrong in (
        ("--event", str(typo), "--set", "winnings=1"),
        ("--event", str(typo), "--set", "winnings_cents=ten"),
        ("--event", "99", "--strike"),
        ("--event", "1", "--strike"),
    ):
        assert main([*words, *wrong]) == 2
    assert streams(house) == before
    assert main([*words, "--event", str(typo), "--set", "winnings_cents=20000"]) == 0
    assert "(corrected)" in capsys.readouterr().out
    main(["replay", "--log", house, "--quiet"])
    capsys.readouterr()
    assert main(["observe", "result", "--log", house, "--json"]) == 0
    assert main(["observe", "confirm", "--table", "fu-01", "--round", "1", "--by", "m.ortiz", "--log", house]) == 2
    assert main(["observe", "confirm", "--table", "fu-01", "--round", "1", "--by", "s.lee", "--log", house]) == 0


def test_an_observation_states_its_seed_before_anything_is_watched(house: str, capsys) -> None:
    words = ["observe", "open", "--table", "fu-01", "--by", "m.ortiz", "--planned", "3", "--purpose", "dealer_audit"]
    frame = ["--from", "2026-03-01T18:00:00Z", "--to", "2026-03-01T22:00:00Z"]
    assert main([*words, "--selection", "random", "--dealer", "d-7", "--log", house]) == 2
    assert main([*words, "--selection", "random", *frame, "--log", house]) == 2
    capsys.readouterr()
    assert main([*words, "--selection", "random", "--dealer", "d-7", *frame, "--log", house, "--json"]) == 0
    opened = json.loads(capsys.readouterr().out)
    assert (opened["observation"], len(opened["drawn"]), len(opened["seed"])) == ("o-1", 3, 64)
    enter(house, SEEN, "--observation", "o-1", "--dealer", "d-7")
    enter(house, SEEN, "--observation", "o-1", "--dealer", "d-8", code=1)
    enter(house, "at 2026-03-01T23:00:00Z\n" + SEEN, "--observation", "o-1", code=1)
    close = ["observe", "close", "--table", "fu-01", "--id", "o-1", "--by", "m.ortiz", "--reason", "done", "--unreadable", "2"]
    assert main([*close, "--log", house]) == 0
    assert main([*close, "--log", house]) == 2
    enter(house, SEEN + "# later\n", "--observation", "o-1", code=1)


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


def test_rules_usage(capsys) -> None:
    assert main(["rules", "check", "nowhere.toml"]) == 2
    assert "expected" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["check"], ["list", "x.toml"], ["file", "x.toml"], ["sign", "fu-01"]])
def test_an_action_of_rules_takes_what_it_is_about(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["rules", *arguments])
