"""What `rack replay` refuses before it opens anything, and where it keeps verdicts."""

from pathlib import Path

import pytest

from rack import settings
from rack.cli import main
from rack.errors import UsageError

KAFKA, SQLITE = "kafka://127.0.0.1:1/floor", "sqlite:///nowhere/floor.db"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--log", KAFKA, "--group", "floor"], "--group needs --follow"),
        (["--log", KAFKA, "--follow", "--group", "floor", "--again"], "--group excludes --again"),
        (["--log", KAFKA, "--follow", "--group", "floor", "--verdicts", "x"], "--group excludes --again"),
        (["--log", KAFKA, "--follow", "--group", "floor", "--warehouse", "x"], "--group excludes --again"),
        (["--log", SQLITE, "--follow", "--group", "floor"], "--group needs a log on Kafka"),
        (["--log", KAFKA, "--follow", "--group", "a b"], "--group 'a b': expected letters"),
        (["--log", KAFKA, "--follow", "--group", ""], "--group '': expected letters"),
        (["--log", SQLITE, "--rules", "x.toml", "--verdicts", "x"], "--as-of and --rules store nothing"),
    ],
)
def test_usage(arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_no_broker(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--log", KAFKA, "--follow", "--group", "floor"]) == 3
    assert "check the address and that the broker runs" in capsys.readouterr().err


def test_for_how_long_a_silent_member_keeps_its_partitions() -> None:
    assert settings.kafka_group({}) == {}
    assert settings.kafka_group({"RACK_KAFKA_SESSION_S": "30"}) == {"session_s": 30}
    for text in ("0", "-1", "ten", "1.5"):
        with pytest.raises(UsageError, match=r"RACK_KAFKA_SESSION_S is .*: expected a number of 1 or more"):
            settings.kafka_group({"RACK_KAFKA_SESSION_S": text})
