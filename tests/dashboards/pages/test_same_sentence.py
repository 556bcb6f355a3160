"""Pages, commands and the packet say the same sentence of the same incident."""

from pathlib import Path

import pytest

from rack.cli import main
from tests.dashboards import living
from tests.dashboards.running import said, start

SENTENCE = "Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $100.00"
ACTION = "Pay $100.00 to the patron at seat 3."


def test_the_same_sentence_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    floor = living.make(tmp_path)
    floor.rack("keys", "new", str(tmp_path / "log.key"), "--by", "t-ops", code=0)
    floor.serve(monkeypatch)
    capsys.readouterr()
    for page in ("queue", "round", "dispute"):
        query = {"of": "fu-01", "round": "2"} if page == "dispute" else {"table": "fu-01", "round": "2"}
        shown = said(start(page, **(query if page != "queue" else {})))
        assert SENTENCE in shown, page
        assert ACTION in shown, page
    assert main(["review", "list", "--log", floor.log]) == 1
    assert SENTENCE in capsys.readouterr().out
    assert main(["round", "fu-01", "2", "--log", floor.log]) == 1
    shown = capsys.readouterr().out
    assert SENTENCE in shown
    assert ACTION in shown
    made = ["dispute", "fu-01", "2", "--log", floor.log, "--key", str(tmp_path / "log.key"), "--out", str(tmp_path / "out")]
    assert main([*made, "--by", "m.ortiz"]) == 0
    packet = (tmp_path / "out" / "fu-01-2.html").read_text("utf-8")
    assert SENTENCE in packet
    assert ACTION in packet
