"""`rack advise`: what is said of an open round, in words and as JSON lines, and nothing once it is over."""

import json
from pathlib import Path

import pytest

from rack.cli import main
from tests.dashboards import living


def test_what_is_to_be_put_right_in_an_open_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floor = living.make(tmp_path)
    capsys.readouterr()
    assert main(["advise", "--log", floor.log]) == 0
    assert capsys.readouterr().out == ""
    floor.pay_short(7)
    capsys.readouterr()
    assert main(["advise", "--log", floor.log]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "FU-01 · round 7 · settling",
        "  ! Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $100.00",
        "  ! Pay $100.00 to the patron at seat 3.",
        "  Seat 3 · Base wager: $25.00 goes back to the patron (ace high push)",
        "  Seat 3 · Ace High Bonus: $10.00 at 20 to 1 pays $200.00 (both ace high, paytable 1)",
    ]
    assert main(["advise", "--json", "--log", floor.log]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    advice = json.loads(line)
    assert (advice["stream"], advice["round_no"]) == ("table/fu-01", 7)
    assert [(each["code"], each["difference_cents"]) for each in advice["warnings"]] == [("PAY-UNDER", -10_000)]


def test_a_round_that_is_over_has_a_verdict_and_no_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floor = living.make(tmp_path)
    floor.pay_short(7)
    floor.play([8])
    capsys.readouterr()
    assert main(["advise", "--json", "--log", floor.log]) == 0
    assert capsys.readouterr().out == ""
