"""An option that what was asked does not take is refused, and not passed over: the answer would be to another question."""

from pathlib import Path

import pytest

from rack.arguments import option, time_us
from rack.cli import build_parser, main
from rack.commands.analysis import dealer_errors, fairness, hold
from rack.errors import UsageError

TABLES = {module.__name__.rpartition(".")[2].replace("_", "-"): module.TAKES for module in (dealer_errors, fairness, hold)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("hold pace --period year", "rack hold pace takes no --period; it applies to: periods, investigate"),
        ("hold theory --wager trips", "rack hold theory takes no --wager; it applies to: funnel, chart, behind"),
        ("hold behind --by table", "takes no --by"),
        ("hold periods --hour 0", "rack hold periods takes no --hour; it applies to: behind"),
        ("hold investigate --by-person m.ortiz", "need `rack hold investigate --open`"),
        ("dealer-errors alarms --table fu-01", "rack dealer-errors alarms takes no --table"),
        ("dealer-errors alarms --from 2026-03-01", "takes no --from"),
        (
            "dealer-errors patterns --by table",
            "rack dealer-errors patterns takes no --by; it applies to: rates, change, detection",
        ),
        ("dealer-errors detection --procedure", "it applies to: rates"),
        ("fairness --family die", "rack fairness tests takes no --family; it applies to: counts"),
        ("warehouse export --out x --anew", "rack warehouse export takes no --anew; it applies to: build"),
        ("warehouse build --format csv", "it applies to: export"),
        ("quarantine list --out x", "rack quarantine list takes no --out; it applies to: show"),
        ("quarantine show abc --by sv-1", "it applies to: redrive"),
        ("patrons erase --keyring x --at 2026-03-01T00:00:00Z", "rack patrons erase takes no --at; it applies to: token, rotate"),
        ("patrons list --keyring x --epoch 1", "it applies to: destroy"),
        (
            "review note x --by m.ortiz --reason y --amount 100.00",
            "rack review note takes no --amount; it applies to: resolve, sign",
        ),
        ("review custody fu-01 1 --to m.ortiz", "it applies to: assign"),
        ("pit tap-out fu-01 --by m.ortiz --slip 7", "rack pit tap-out takes no --slip; it applies to: fill, credit, correct"),
        ("count list --day 2026-03-01 --reason x", "it applies to: settle, correct"),
        ("observe show --table fu-01 --round 1 --by m.ortiz", "rack observe show takes no --by"),
        ("keys list --log sqlite:x --by sv-1", "rack keys list takes no --by; it applies to: new, rotate"),
        ("devices list --devices x --source s", "it applies to: add, conform"),
        ("kafka stop --brokers 3", "rack kafka stop takes no --brokers; it applies to: start"),
        ("review list --by m.ortiz", "rack review list takes no --by"),
        ("case list --claim x", "takes no --claim"),
        ("alerts list --past", "rack alerts list takes no --past; it applies to: send"),
        ("surveillance list --by m.ortiz", "takes no --by"),
        ("archive --log sqlite:x --out x --by m.ortiz", "--by and --reason need --for"),
        ("archive --log sqlite:x --restore x --reason drill", "--by and --reason need --for"),
        ("checkpoint --key x --every 5", "--every needs --follow"),
        ("witness --key x --folder x --seconds 5", "--seconds needs --follow"),
        ("theory dj_wild --compute", "takes no game"),
        ("theory --compute --markdown", "takes no --markdown"),
        ("theory --markdown --lines", "leave out --lines"),
        ("verify proof.json --key x --log sqlite:x", "a file is verified without the log; leave out --log"),
        ("verify proof.json --key x --rounds x", "leave out --rounds"),
        ("verify proof.json --key x --witness x", "leave out --witness"),
        ("keys new x --witness north --by sv-1", "leave out --by, or --witness"),
        ("keys new x --witness north --log sqlite:x", "leave out --log, or --witness"),
    ],
)
def test_what_does_not_go_together(given: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(given.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("review close fu-01 --dispute d-1 --investigation i-1", "--investigation: not allowed with argument --dispute"),
        ("review close fu-01 --outcome x --by m.ortiz --reason y", "one of the arguments --dispute --investigation is required"),
        ("pit close fu-01 --by m.ortiz", "one of the arguments --chips --amount is required"),
        ("pit fill fu-01 --by m.ortiz --slip 7 --chips 5x1 --amount 5.00", "not allowed with argument --chips"),
        ("pit tap-in fu-01 --by m.ortiz", "the following arguments are required: DEALER"),
        ("count correct fu-01 --by m.ortiz --reason x", "the following arguments are required: LINE"),
        ("observe correct --table fu-01 --event 3 --by m.ortiz --reason x", "--text --set --strike is required"),
        ("observe unreadable --table fu-01 --id o --by m.ortiz --reason x", "one of the arguments --at --number is required"),
        ("case open fu-01 --by m.ortiz --claim x", "the following arguments are required: ROUND"),
        ("case note fu-01-c1 --by m.ortiz", "the following arguments are required: --note"),
        ("case sign --by m.ortiz --reason x", "the following arguments are required: CASE"),
        ("alerts acknowledge 0f0f", "the following arguments are required: --by, --reason"),
        ("alerts acknowledge", "the following arguments are required: INCIDENT, --by, --reason"),
        ("alerts list this", "unrecognized arguments: this"),
        ("surveillance enter --by m.ortiz", "the following arguments are required: --note"),
        ("surveillance sign-over --by m.ortiz --note x", "the following arguments are required: --shift"),
        ("review assign f0 --by m.ortiz", "the following arguments are required: --to, --reason"),
        ("review note f0 --by m.ortiz", "the following arguments are required: --reason"),
        ("review note", "the following arguments are required: FINDING"),
        ("review register --name X", "the following arguments are required: ID"),
        ("review register t.ito", "the following arguments are required: --name"),
        ("review list fu-01 1", "unrecognized arguments: 1"),
        ("review open fu-01 x --dispute d", "argument ROUND: invalid positive value: 'x'"),
        ("review open fu-01 0 --dispute d", "argument ROUND: expected a number of 1 or more, got 0"),
        ("metrics --log sqlite:x --port 70000", "--port: expected a number from 1 to 65535, got 70000"),
        ("dashboard --port 0", "--port: expected a number from 1 to 65535, got 0"),
        ("hold behind --hour 24", "--hour: expected a number from 0 to 23, got 24"),
        ("hold behind --hour -1", "--hour: expected"),
        ("hold behind --seat 0", "--seat: expected a number of 1 or more"),
        ("errors behind --seat -2", "--seat: expected a number of 1 or more"),
        ("review open fu-01 1 --seat 0", "--seat: expected a number of 1 or more"),
    ],
)
def test_what_an_action_does_not_take_is_named(given: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(given.split())
    assert end.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("games", "tables", "said"),
    [
        ("", "4", "face_up_pai_gow needs at least 5 tables"),
        ("all", "4", "face_up_pai_gow needs at least 5 tables"),
        ("dj_wild", "3", "dj_wild needs at least 4 tables"),
    ],
)
def test_fewer_tables_than_a_game_needs(
    games: str, tables: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["simulate", "--out", str(tmp_path / "day.jsonl"), "--games", games, "--tables", tables, "--rounds", "5"]
    assert main(asked) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_of_options_name_actions_and_options_that_there_are(name: str) -> None:
    for action, names in TABLES[name].items():
        arguments = build_parser().parse_args([name, action])
        assert arguments.question == action
        for each in names:
            assert not getattr(arguments, each), f"{option(each)} must be empty where it is not given"


@pytest.mark.parametrize("order", ["quarantine list --log sqlite:none.db", "quarantine --log sqlite:none.db list"])
def test_an_option_of_every_action_may_come_before_the_action(order: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(order.split()) == 3
    assert "there is no log at" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["quarantine show", "patrons rotate", "warehouse export"])
def test_every_action_has_its_own_help(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*action.split(), "--help"])
    shown = capsys.readouterr().out
    assert f"usage: rack {action}" in shown
    assert {"quarantine show": "--out", "patrons rotate": "--at", "warehouse export": "--format"}[action] in shown
    assert {"quarantine show": "--line", "patrons rotate": "--epoch", "warehouse export": "--anew"}[action] not in shown


def test_a_transcript_goes_in_without_a_keyring(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its patrons are written by hand: that a number among them became a token must not be believed."""
    transcript, keyring = tmp_path / "round.txt", tmp_path / "patrons.keyring"
    transcript.write_text("rules pa-688a\n")
    assert main(["patrons", "new", "--keyring", str(keyring)]) == 0
    asked = ["ingest", str(transcript), "--log", f"sqlite://{tmp_path}/floor.db", "--property", "bellwether"]
    assert main([*asked, "--patrons", str(keyring)]) == 2
    assert "leave out --patrons" in capsys.readouterr().err
    assert not (tmp_path / "floor.db").exists()


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-03-01T21:14:00.000001Z", 1_772_399_640_000_001),
        ("2026-03-01T16:14:00-05:00", 1_772_399_640_000_000),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ],
)
def test_times_are_read_to_the_microsecond(text: str, us: int) -> None:
    assert time_us(text, "--at") == us


@pytest.mark.parametrize("text", ["", "yesterday", "2026-03-01", "2026-03-01T21:14:00", "fu-01=3"])
def test_a_time_without_a_zone_is_refused_under_the_options_own_name(text: str) -> None:
    with pytest.raises(UsageError, match=r"^--from "):
        time_us(text, "--from")
