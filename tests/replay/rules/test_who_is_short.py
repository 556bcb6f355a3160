"""GEGR-002138, Type of game: the player-dealer, a patron, pays and collects; findings and "to do" name who is short."""

import pytest

from replay.transcript.transcript import judge
from replay.transcript.verdict_text import verdict_lines

LOST = """
player_dealer seat=2 800.00
wager  seat=5 base 45.00
action seat=5
deal   dealer=Kh Kd Jc 9h 8c 5d 3c seat5=Jh Js 8d 7h 4d Td 6c
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=5 high=Jh Js 8d 7h 4d low=Td 6c
"""
WON = """
player_dealer seat=2 30.00
wager  seat=5 base 45.00
action seat=5
deal   dealer=Kh Kd Jc 9h 8c 5d 3c seat5=As Ac 6d 4s 2h Qs 7c
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=5 high=As Ac 6d 4s 2h low=Qs 7c
"""
NOTE = "note it, and take nothing back without the shift manager."
PENNSYLVANIA = """
wager  seat=5 base 45.00
deal   dealer=Kh Kd Jc 9h 8c 5d 3c seat5=Jh Js 8d 7h 4d Td 6c
set    seat=5 high=Jh Js 8d 7h 4d low=Td 6c
return seat=5 base 45.00
close
"""


def words(rules: str, lines: str) -> dict[str, str]:
    """Return the verdict's lines by their heading; the last incident's if several have one."""
    (judged,) = judge(f"rules {rules}\n{lines}", "short.txt")
    text = verdict_lines(judged.conclusion, judged.book.chapter.key, currency="USD")
    return {line[2:13].strip(): line[14:] for line in text if line.startswith("  ")}


@pytest.mark.parametrize(
    ("lines", "observed", "to_do"),
    [
        (
            LOST + "return seat=5 base 45.00\nclose\n",
            "$45.00 returned; the player-dealer at seat 2 is short $45.00",
            f"Overpaid by $45.00 at seat 5: the player-dealer at seat 2, a patron, is short by it; {NOTE}",
        ),
        (
            WON + "pay seat=5 base 10.00\nclose\n",
            "$10.00 paid; the player-dealer at seat 2 owes $20.00",
            "The player-dealer at seat 2, a patron, pays $20.00 to the patron at seat 5.",
        ),
        (
            WON + "pay seat=5 base 45.00\nclose\n",
            "$45.00 paid; the player-dealer at seat 2 is short $15.00",
            f"Overpaid by $15.00 at seat 5: the player-dealer at seat 2, a patron, is short by it; {NOTE}",
        ),
    ],
    ids=["a losing wager given back", "a winner paid too little", "a winner paid more than is covered"],
)
def test_the_player_dealer_is_short_or_pays(lines: str, observed: str, to_do: str) -> None:
    said = words("ca-gegr-002138", lines)
    assert (said["observed"], said["to do"]) == (observed, to_do)


def test_in_pennsylvania_the_house_is_short_and_needs_no_word() -> None:
    said = words("pa-688a", PENNSYLVANIA)
    assert (said["observed"], said["to do"]) == ("$45.00 returned", f"Overpaid by $45.00 at seat 5: {NOTE}")


@pytest.mark.parametrize(
    ("lines", "reckoning"),
    [
        (WON + "pay seat=5 base 45.00\n", "$45.00 wins, and the player-dealer's wager covers $30.00 of it; $45.00 was paid"),
        (WON.replace("2 30.00", "2 45.00") + "pay seat=5 base 50.00\n", "$45.00 at even money pays $45.00; $50.00 was paid"),
        (
            LOST.replace("800.00", "30.00") + "take seat=5 base 45.00\n",
            "$45.00 loses, and the player-dealer's wager covers $30.00 of it; $45.00 was collected",
        ),
        (LOST + "take seat=5 base 40.00\nreturn seat=5 base 5.00\n", "$45.00 is lost; $40.00 was collected"),
    ],
    ids=["covered in part", "covered to the cent", "a loss covered in part", "a loss covered whole"],
)
def test_ca_cover_the_reckoning_says_how_much_is_covered(lines: str, reckoning: str) -> None:
    assert words("ca-gegr-002138", f"{lines}close\n")["calculation"] == reckoning


def test_what_the_house_paid_in_the_player_dealers_place_makes_no_patron_short() -> None:
    assert "player-dealer at seat" not in words("ca-gegr-002138", WON + "pay seat=5 base 45.00 slip\nclose\n")["to do"]
