"""The command line's promises: what it imports, what it prints where, and how it ends."""

import importlib
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from desk.documents import documents
from events.kafka.security import security
from rack import cli, settings
from rack.arguments import as_of, positive
from rack.cli import COMMANDS, FIRST, GROUPS, command, main
from rack.commands.setup.completion import SHELLS
from rack.commands.setup.docs import WHOLE
from rack.errors import EXIT_OF, EnvironmentFault, Exit, UsageError, exit_code
from rack.output import Output, money, table

HEAVY = ("numba", "numpy", "streamlit", "polars", "duckdb", "kafka", "apsw", "pyarrow", "cryptography", "replay", "games")


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom rack.cli import COMMANDS, main\n"
        "for words in ([], *([name] for name in COMMANDS)):\n"
        "    try: main([*words, '--help'])\n    except SystemExit as end: assert end.code == 0\n"
        f"    print('loaded', words, [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = [line for line in done.stdout.splitlines() if line.startswith("loaded ")]
    assert [line for line in loaded if not line.endswith(" []")] == []
    assert len(loaded) == done.stdout.count("usage: rack") == len(COMMANDS) + 1


def test_help_shows_six_commands_for_the_first_day_and_every_other_in_one_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(GROUPS[FIRST]) == 6
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    places = [shown.index(f"\n  {name} ") for names in GROUPS.values() for name in names]
    assert places == sorted(places)
    assert [line[:-1] for line in shown.splitlines() if line.removesuffix(":") in GROUPS] == list(GROUPS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_says_what_it_does(name: str) -> None:
    module = command(name)
    assert module.HELP
    assert module.HELP[0].isupper()
    assert importlib.import_module(module.__name__).__doc__.startswith(f"`rack {name}`: ")


@pytest.mark.parametrize(
    "arguments", [[], ["nothing"], ["judge"], ["demo", "--rounds", "0"], ["round", "fu-01"], ["demo", "--x"]]
)
def test_usage_errors_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: rack" in capsys.readouterr().err


def test_an_earlier_name_of_a_command_works_and_no_help_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["errors", "--help"])
    assert "usage: rack errors" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert "dealer-errors" in shown
    assert " errors " not in shown


def test_a_document_of_which_docs_has_a_summary_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    for name, path in documents().items():
        assert main(["docs", f"docs/{name}.md"]) == 0
        printed, file = capsys.readouterr().out, path.read_text("utf-8")
        assert (printed == f"{file.rstrip()}\n") == (name not in WHOLE)
        assert len(printed.split()) > len(file.split()) + 1000 * (name in WHOLE) - 1
    assert main(["docs", "nowhere"]) == 2


def test_the_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"rack {version('discard-rack')}\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_completion_script_knows_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    assert "--as-of" in script or "-l as-of" in script
    assert ("complete -c rack" in script) == (shell == "fish")
    assert ("#compdef rack" in script) == (shell == "zsh")


def test_bash_completes_a_command() -> None:
    script = f"""
        source <({sys.executable} -m rack.cli completion bash)
        COMP_WORDS=(rack dealer-e) COMP_CWORD=1 COMP_LINE="rack dealer-e" COMP_POINT=13
        $(complete -p rack | sed -E 's/.*-F ([^ ]+) .*/\\1/')
        echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["dealer-errors"], done.stderr


@pytest.mark.parametrize("name", EXIT_OF)
def test_every_error_of_the_mapping_is_there(name: str) -> None:
    module, _, cls = name.rpartition(".")
    assert issubclass(getattr(importlib.import_module(module), cls), Exception)


def test_exit_codes_by_class() -> None:
    from events import errors
    from events.sqlite.database import DamagedDatabase

    assert exit_code(errors.SequenceGap("table/a", 3, 5)) is Exit.INTEGRITY
    assert exit_code(errors.UndecodableEvent("table/a", 3, "x")) is Exit.INTEGRITY
    assert exit_code(DamagedDatabase("x")) is Exit.INTEGRITY
    assert exit_code(errors.LogUnavailable("x")) is Exit.ENVIRONMENT
    assert exit_code(errors.SecondWriter("x")) is Exit.ENVIRONMENT
    assert exit_code(errors.UnknownEvent("x", 1)) is Exit.USAGE
    assert exit_code(PermissionError("x")) is Exit.ENVIRONMENT
    assert exit_code(KeyError("x")) is None


class Failing:
    """Stands in for a command."""

    HELP = "fail"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def configure(self, parser: object) -> None:
        """Add nothing."""

    def run(self, arguments: object, output: Output) -> Exit:
        raise self.error


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    def use(error: BaseException) -> None:
        monkeypatch.setattr(cli, "command", lambda name: Failing(error))

    return use


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("day.jsonl: no such file"), 2, "rack: day.jsonl: no such file\n"),
        (EnvironmentFault("port 8501 is taken"), 3, "rack: port 8501 is taken\n"),
        (PermissionError(13, "Permission denied", "/x/floor.db"), 3, "rack: /x/floor.db: Permission denied\n"),
        (KeyboardInterrupt(), 130, "rack: interrupted; every acknowledged event is stored\n"),
    ],
)
def test_an_error_is_one_line_on_stderr(error, code, said, failing, monkeypatch, capsys) -> None:
    monkeypatch.delenv("RACK_DEBUG", raising=False)
    failing(error)
    assert main(["demo", "--json"]) == code
    assert capsys.readouterr() == ("", said)


def test_an_error_nobody_foresaw_says_so_and_is_not_taken_for_findings(failing, monkeypatch, capsys) -> None:
    monkeypatch.delenv("RACK_DEBUG", raising=False)
    failing(ZeroDivisionError("by zero"))
    assert main(["demo"]) == 3
    assert "unexpected ZeroDivisionError: by zero; this is a defect" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["a\udcff.txt", "a\ud800", "a\0b"])
@pytest.mark.parametrize("words", [["judge"], ["verify", "--by"], ["init", "x", "--name"], ["round"]])
def test_an_argument_that_is_no_text_is_refused_before_anything_is_done(words, word, capsys) -> None:
    assert main([*words, word]) == 2
    assert f"argument {len(words) + 1} is not UTF-8 text: a\\" in capsys.readouterr().err


def test_rack_debug_shows_the_traceback(failing, monkeypatch) -> None:
    monkeypatch.setenv("RACK_DEBUG", "1")
    failing(UsageError("x"))
    with pytest.raises(UsageError):
        main(["demo"])


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m rack.cli rules list | head -n 1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_json_and_quiet_stand_before_or_after_the_command(capsys) -> None:
    for arguments in (["--json", "rules", "list"], ["rules", "list", "--json"], ["rules", "--json", "--quiet", "list"]):
        assert main(arguments) == 0
        out, err = capsys.readouterr()
        assert {"chapter", "wager", "paytable", "house_way", "cite"} == set(json.loads(out)[0])
        assert err == ""


# ------------------------------------------------------------------------------------------------ settings and arguments


def test_the_log_is_named_by_flag_or_environment(monkeypatch) -> None:
    monkeypatch.setenv("RACK_LOG", "sqlite:///from-environment.db")
    assert settings.log_address(None) == "sqlite:///from-environment.db"
    assert settings.log_address("sqlite:///from-flag.db") == "sqlite:///from-flag.db"
    monkeypatch.delenv("RACK_LOG")
    with pytest.raises(UsageError, match="give --log sqlite"):
        settings.log_address(None)


def test_settings_from_the_environment() -> None:
    assert settings.load({}) == settings.Settings(log=None, out=Path("demo"), port=8501)
    given = {"RACK_OUT": "/tmp/x", "RACK_PORT": "9000"}
    assert settings.load(given) == settings.Settings(log=None, out=Path("/tmp/x"), port=9000)
    for port in ("0", "65536", "http", "-1", "٣"):
        with pytest.raises(UsageError, match="RACK_PORT"):
            settings.load({"RACK_PORT": port})


def test_what_the_environment_says_about_kafka() -> None:
    given = {"RACK_KAFKA_USERNAME": "rack", "RACK_KAFKA_PASSWORD": "secret", "RACK_KAFKA_MECHANISM": ""}
    assert security(given) == {"sasl_plain_username": "rack", "sasl_plain_password": "secret"}
    assert security({}) == {}
    assert settings.kafka_topics({"RACK_KAFKA_REPLICATION": "3"}) == {"replication": 3}
    with pytest.raises(UsageError, match="RACK_KAFKA_MIN_INSYNC is '0'"):
        settings.kafka_topics({"RACK_KAFKA_MIN_INSYNC": "0"})


def test_logs_are_opened_with_it(monkeypatch) -> None:
    from rack import opening

    asked: list[dict[str, object]] = []
    monkeypatch.setattr(opening, "open_log", lambda address, **options: asked.append(options))
    monkeypatch.setattr(opening, "open_results", lambda address, **options: asked.append(options))
    monkeypatch.setenv("RACK_KAFKA_PROTOCOL", "SSL")
    monkeypatch.setenv("RACK_KAFKA_REPLICATION", "3")
    security = {"security": {"security_protocol": "SSL"}}
    opening.log_at("kafka://broker:9092/bellwether", create=True)
    opening.log_at("kafka://broker:9092/bellwether", read_only=True)
    opening.results_at("kafka://broker:9092/bellwether")
    opening.log_at("sqlite:///floor.db", create=True)
    assert asked == [security | {"create": True, "replication": 3}, security | {"read_only": True}, security, {"create": True}]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["table/a=x"], "expected stream=seq"),
        (["table/a=-1"], "expected stream=seq"),
        (["yesterday"], "expected stream=seq"),
        (["2026-03-01T21:14:00"], "name the time zone"),
        (["2026-03-01T21:14:00Z", "2026-03-02T21:14:00Z"], "one time only"),
        (["table/a=1", "2026-03-02T21:14:00Z"], "not both"),
    ],
)
def test_as_of_refuses(values: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        as_of(values)


def test_as_of_reads_zones_exactly() -> None:
    assert as_of(["1970-01-01T00:00:00.000001+00:00"]) == ({}, 1)
    assert as_of(["1969-12-31T19:00:01-05:00"]) == ({}, 1_000_000)


def test_positive() -> None:
    assert positive("1") == 1
    with pytest.raises(ValueError, match="invalid"):
        positive("x")


# ----------------------------------------------------------------------------------------------------------------- output


def test_output_keeps_json_apart(capsys) -> None:
    output = Output(as_json=True)
    output.text("not this")
    output.value({"§": 1})
    output.note("a note")
    output.problem("a problem")
    output.progress(5, "events")
    assert capsys.readouterr() == ('{\n  "§": 1\n}\n', "a note\na problem\n")


def test_quiet_output_says_problems_only(capsys) -> None:
    output = Output(quiet=True)
    output.note("a note")
    output.problem("a problem")
    output.text("the result")
    output.value({"not": "this"})
    assert capsys.readouterr() == ("the result\n", "a problem\n")


def test_progress_is_drawn_over_and_gone_before_the_next_line(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    output = Output()
    output.progress(1200, "events")
    output.progress(1300, "events")  # at once: not drawn
    output.note("done")
    assert capsys.readouterr().err == "\r1,200 events …\x1b[K\r\x1b[Kdone\n"


def test_table_and_money() -> None:
    assert table(("a", "n"), [("x", 1), ("yy", 1234)]) == ["a       n", "x       1", "yy  1,234"]
    assert table(("a", "n"), []) == ["a  n"]
    assert [money(cents) for cents in (5, -5, 123456)] == ["+0.05", "-0.05", "+1,234.56"]
