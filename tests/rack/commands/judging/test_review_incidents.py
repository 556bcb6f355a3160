"""`rack review --incident`: one decision for all that follows from one cause, in one commit, each finding with its own amount."""

from pathlib import Path
from typing import Any

import pytest

from rack.cli import main
from tests.rack.commands.judging.command_line import judged, printed

MISDEAL = """
rules   pa-688a
table   fu-01
round   1
wager   seat=3 base 25.00
wager   seat=4 base 10.00
dice    2 2 4 -> dealer
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d 2c  seat4=Ah Qs Tc 9d 6c 5h 2h
take    seat=3 base 25.00
pay     seat=4 base 10.00
close
"""
"""§ 688a.13(g): seat 3 got eight cards, so that all hands were void; the round was played on, seat 3 lost, seat 4 won."""

BY = ("--by", "m.ortiz", "--reason", "camera 4")


@pytest.fixture
def address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    return judged(tmp_path, MISDEAL, capsys)


def answer(capsys: pytest.CaptureFixture[str], address: str, *words: str, code: int = 0) -> Any:
    return printed(capsys, "review", address, *words, "--json", code=code)


def refusal(capsys: pytest.CaptureFixture[str], address: str, *words: str) -> str:
    assert main(["review", *words, "--log", address]) == 2
    return capsys.readouterr().err


def misdeal(capsys: pytest.CaptureFixture[str], address: str) -> str:
    """The id of the incident, after a look at the list."""
    cases = answer(capsys, address, "list", code=1)
    assert sorted(case["finding"]["code"] for case in cases) == ["DEAL-COUNT", "PAY-VOID", "PAY-VOID"]
    (incident,) = {case["incident"] for case in cases}
    return str(incident)


def test_a_misdeal_is_one_line_of_the_list(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "list", "--log", address]) == 1
    header, line = capsys.readouterr().out.splitlines()
    assert header.split() == ["incident", "table", "round", "what", "findings", "state", "assigned", "to"]
    assert (
        "Misdeal: wrong card count · Seat 3 · underpaid by $25.00 at seat 3, overpaid by $10.00 at seat 4 · 2 consequences"
        in line
    )
    assert line.split()[-3:] == ["3", "open", "–"]


def test_the_gravest_incident_stands_first_wherever_it_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two misdeals of one severity: $25.00 were taken in the first, $250.00 in the second."""
    second = MISDEAL.partition("round   1")[2].replace("25.00", "250.00")
    address = judged(tmp_path, f"{MISDEAL}round   2{second}", capsys)
    assert main(["review", "list", "--log", address]) == 1
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()[1:]] == ["2", "1"]
    cases = answer(capsys, address, "list", code=1)
    assert [case["finding"]["round_no"] for case in cases] == [2, 2, 2, 1, 1, 1]
    assert [cases[at]["finding"]["code"] for at in (0, 3)] == ["DEAL-COUNT", "DEAL-COUNT"]


def test_the_round_shows_the_cause_and_beneath_it_what_follows(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["round", "fu-01", "1", "--log", address]) == 1
    shown = capsys.readouterr().out
    assert (
        "\nMisdeal: wrong card count · Seat 3 · underpaid by $25.00 at seat 3, overpaid by $10.00 at seat 4 · 2 consequences"
        "  (DEAL-COUNT, high)\n" in shown
    )
    assert "\n  to do       Pay $25.00 to the patron at seat 3.\n  to do       Overpaid by $10.00 at seat 4: note it," in shown
    assert "\n  2 consequences:\n" in shown
    assert "\n      calculation $25.00 goes back to the patron (void); $25.00 was collected\n" in shown
    assert "\n    Voided wager mispaid · Seat 3 · Base wager · underpaid by $25.00  (PAY-VOID, high)\n" in shown


def test_an_incident_is_resolved_signed_and_reopened_as_a_whole(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    incident = misdeal(capsys, address)
    assert len(answer(capsys, address, "assign", incident[:8], "--incident", "--to", "s.lee", *BY)) == 3
    paid = ("--disposition", "confirmed_paid_patron", "--by", "s.lee", "--reason", "paid at the cage")
    entries = answer(capsys, address, "resolve", incident, "--incident", *paid)
    assert sorted(entry["says"] for entry in entries) == [
        "resolved the finding: fault confirmed, nothing to be done: paid at the cage",
        "resolved the finding: fault confirmed, nothing to be done: paid at the cage",
        "resolved the finding: fault confirmed, the patron was paid, 25.00: paid at the cage",
    ]
    assert answer(capsys, address, "show", incident, "--incident")["state"] == "awaiting_signature"
    assert "another person's" in refusal(capsys, address, "sign", incident, "--incident", "--by", "s.lee", "--reason", "seen")
    assert len(answer(capsys, address, "sign", incident, "--incident", *BY)) == 1
    assert answer(capsys, address, "list") == []
    assert "none of its findings waits" in refusal(
        capsys, address, "resolve", incident, "--incident", "--disposition", "false_alarm", *BY
    )
    assert len(answer(capsys, address, "reopen", incident, "--incident", *BY)) == 3
    assert answer(capsys, address, "show", incident, "--incident")["state"] == "reopened"
    assert main(["verify", "--log", address]) == 0


def test_what_does_not_fit_the_whole_incident_is_refused_and_nothing_is_written(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    incident = misdeal(capsys, address)
    whole = (incident, "--incident", *BY)
    assert "a patron is owed money" in refusal(capsys, address, "resolve", *whole, "--disposition", "confirmed_recovered")
    assert "no disposition of an incident" in refusal(capsys, address, "resolve", *whole, "--disposition", "duplicate")
    assert "leave out --amount" in refusal(
        capsys, address, "resolve", *whole, "--disposition", "confirmed_paid_patron", "--amount", "25.00"
    )
    assert "none of its findings waits" in refusal(capsys, address, "sign", *whole)
    assert "none of its findings waits" in refusal(capsys, address, "reopen", *whole)
    shown = answer(capsys, address, "show", incident, "--incident")
    assert [review["history"] for review in shown["reviews"]] == [[], [], []]
    assert shown["state"] == "open"
