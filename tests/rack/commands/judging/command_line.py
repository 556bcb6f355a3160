"""A log that was judged, and what a command prints about it."""

import json
from pathlib import Path
from typing import Any

import pytest

from rack.cli import main
from tests.desk.people import register_people
from tests.device_lines import as_lines


def judged(folder: Path, transcript: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the address of a new log: a transcript with findings, replayed. Next to it is the register of people."""
    file, address = folder / "table.txt", f"sqlite://{folder}/floor.db"
    file.write_text(transcript)
    register_people(folder)
    assert main(["ingest", str(as_lines(file)), "--log", address, "--property", "bellwether"]) == 0
    assert main(["replay", "--log", address]) == 1
    capsys.readouterr()
    return address


def printed(capsys: pytest.CaptureFixture[str], command: str, address: str, *words: str, code: int = 0) -> Any:
    """Return what a command prints: the value with `--json`, if there is one, otherwise the text of both streams."""
    assert main([command, *words, "--log", address]) == code
    streams = capsys.readouterr()
    return json.loads(streams.out) if "--json" in words and streams.out else streams.out + streams.err
