"""A finding names every other reading that it rests on with what is due by it; if both agree, or it is filed, it names none."""

import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from replay.settlement.other_readings import other_readings
from replay.transcript.transcript import judge
from rulebook.chapters.chapters import known_chapters
from rulebook.chapters.rulebook import parse_submission
from rulebook.chapters.submission import submission_from_words

ROOT = Path(__file__).resolve().parents[3]
KINGS = "dealer=Kh Kd Jc 9h 8c 5d 3c"
"""House way: K-K-8-5-3 and J-9."""
ACES, ACES_SET = "As Ac 6d 4s 2h Qs 7c", "high=As Ac 6d 4s 2h low=Qs 7c"
TRIPS_IN_A_STRAIGHT = "7s 7h 7d 8c 9d Th Js"
"""Three of a kind 3 to 1 and a straight 2 to 1 by Fortune paytable 1."""
FIVE_ACES = "As Ah Ad Ac Jk 7h 4d"


class Named(NamedTuple):
    """A round, the finding that rests on a decision, what it names, and a change of the round that leaves nothing to name."""

    section: str
    decision: str
    rules: str
    lines: str
    finding: str
    names: str
    instead: tuple[str, str]


def fortune(paid: str) -> str:
    return f"""
wager  seat=3 base 10.00 fortune_bonus 5.00
deal   dealer=Ks Kd Jc 9h 8h 5d 3c seat3={TRIPS_IN_A_STRAIGHT}
set    seat=3 high=7s 8c 9d Th Js low=7h 7d
pay    seat=3 base 10.00
pay    seat=3 fortune_bonus {paid}
close
"""


def five_aces(paid: str) -> str:
    return f"""
wager  seat=5 base 10.00 progressive 1.00
accepted seat=5 1.00 meter=2000.17
deal   dealer=Kd Ks Jh 9s 8d 5h 3h seat5={FIVE_ACES}
set    seat=5 high=Ad Ac Jk 7h 4d low=As Ah
pay    seat=5 base 10.00
pay    seat=5 progressive {paid}
close
"""


def fortune_of(max_: str, paid: str, stake: str) -> str:
    return f"""
wager  seat=3 base 10.00 fortune_bonus {stake}
deal   dealer=Kd Kc Qs 9h 7d 4c 2s seat3=As Ad Ah Jh 8d 5c 3h
set    seat=3 high=As Ad Ah 5c 3h low=Jh 8d
return seat=3 base 10.00 push
pay    seat=3 fortune_bonus {paid} stake={max_}
close
"""


TWO_BOXES = f"""
wager  seat=3 bettor=p-1 base 25.00
wager  seat=4 bettor=p-1 base 25.00 ace_high_bonus 5.00
deal   {KINGS} seat3={ACES} seat4=Jh Js 8d 7h 4c Ts 6h
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=4 high=Jh Js 8d 7h 4c low=Ts 6h
set    seat=3 {ACES_SET}
surrender seat=3
pay    seat=3 base 25.00
take   seat=4 base 25.00
take   seat=4 ace_high_bonus 5.00
close
"""
SURRENDERED = f"""
wager  seat=3 base 25.00 ace_high_bonus 5.00
deal   {KINGS} seat3={ACES}
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=3 {ACES_SET}
surrender seat=3
take   seat=3 base 25.00 surrendered
take   seat=3 ace_high_bonus 5.00
close
"""
SET_AGAIN = f"""
wager  seat=3 base 500.00
deal   {KINGS} seat3={ACES}
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=3 high=As Ac 6d Qs 7c low=4s 2h
set    seat=3 {ACES_SET}
reveal seat=3
pay    seat=3 base 500.00
close
"""
WRONG_SIDE = """
wager  seat=1 ante 10.00
deal   seat1=9s
wager  seat=1 over 10.00
deal   seat1=3c 2h
return seat=1 ante 10.00 push
take   seat=1 over 10.00
close
"""
DEAD_HAND = """
wager  seat=1 ante 10.00
wager  seat=2 ante 10.00
burn   ??
deal_order seat1=9s seat2=9d
wager  seat=1 over 10.00
wager  seat=2 over 10.00
deal_order seat2=9c 9h
pay    seat=2 ante 10.00 over 10.00
elect  seat=1 void
return seat=1 ante 10.00 void
take   seat=1 over 10.00
close
"""
COVERED = f"""
player_dealer seat=4 50.00
wager  seat=5 base 25.00
wager  seat=6 base 25.00
wager  seat=7 base 25.00
action seat=5
deal   seat5={ACES} seat6=Jh Js 8d 7h 4d Td 6c seat7=7d 7s 6s 6h 2c Qh Ts {KINGS}
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=5 {ACES_SET}
set    seat=6 high=Jh Js 8d 7h 4d low=Td 6c
set    seat=7 high=7d 7s 6s 6h 2c low=Qh Ts
pay    seat=5 base 25.00
take   seat=6 base 25.00
pay    seat=7 base 25.00
close
"""


def envy(before: str, after: str) -> str:
    return f"""
{before}
wager  seat=5 base 25.00
wager  seat=6 base 25.00 fortune_bonus 5.00
lammer seat=6 fortune_bonus
deal   seat5=7s 7h 7d 7c Kc 9d 3s seat6=Jh Js 8d 6s 4d Td 6c {KINGS}
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=5 high=7s 7h 7d 7c 3s low=Kc 9d
set    seat=6 high=Jh Js 8d 6s 4d low=Td 6c
take   seat=6 base 25.00
take   seat=6 fortune_bonus 5.00
pay    seat=5 base 25.00
{after}
close
"""


VIGORISH = f"""
wager  seat=3 base 27.00
deal   {KINGS} seat3={ACES}
set    seat=3 {ACES_SET}
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
pay    seat=3 base 27.00
vigorish seat=3 1.50
close
"""
THREE_AND_JOKER = """
wager  seat=5 base 10.00 progressive 1.00
accepted seat=5 1.00 meter=2000.17
deal   dealer=Kd Ks Jh 9s 8d 5h 3h seat5=7s 7h 7d Jk 8c 4h 2d
set    seat=5 high=7s 7h 7d Jk 2d low=8c 4h
return seat=5 base 10.00
pay    seat=5 progressive 1.00
close
"""
DEUCE = """
wager  seat=1 ante 10.00 blind 10.00 progressive 1.00
deal   seat1=Kc Kd 2h 9s 7c dealer=9h 8c 5d 4d 3s side=6c
wager  seat=1 raise 20.00
pay    seat=1 ante 10.00
return seat=1 blind 10.00 push
pay    seat=1 raise 20.00
pay    seat=1 progressive 9.00
close
"""
ALONE = f"""
wager  seat=3 ace_high_bonus 5.00
deal   {KINGS} seat3={ACES}
take   seat=3 ace_high_bonus 5.00
close
"""
LOSING_PAIR = """
wager  seat=1 ante 10.00 blind 10.00 bad_beat 1.00
deal   seat1=Jc Jd 7h 8s 5c dealer=Kh Kd 9s 7c 3d
wager  seat=1 raise 20.00
take   seat=1 ante 10.00
take   seat=1 blind 10.00
take   seat=1 raise 20.00
pay    seat=1 bad_beat 15.00
close
"""
ROYAL_WITH_JOKER = """
wager  seat=3 base 25.00 progressive 1.00
deal   dealer=Kc Kd 9s 8h 6d 4c 2s seat3=Ah Kh Qh Jh Jk 3d 5c
set    seat=3 high=Jk Ah 3d 5c medium=Kh Jh low=Qh
pay    seat=3 base 25.00
pay    seat=3 progressive 100.00
close
"""
FOLDED = """
wager  seat=2 ante 10.00 blind 10.00 progressive 1.00
deal   seat2=Kd Kh Ks 9c 5h dealer=Qs Qd Th 9h 8c side=3c
decide seat=2 fold
take   seat=2 ante 10.00
take   seat=2 blind 10.00
pay    seat=2 progressive 9.00
close
"""
OVER_THE_ANTE = """
wager  seat=2 ante 10.00
deal   seat2=9c
wager  seat=2 over 15.00
deal   seat2=9d Kh
pay    seat=2 ante 10.00
pay    seat=2 over 15.00
close
"""
SHORT_RAISE = """
wager  seat=2 ante 10.00 blind 10.00
deal   seat2=Ac Ad 6h 5s 4c dealer=9h 7c 5d 4d 3s
wager  seat=2 raise 15.00
pay    seat=2 ante 10.00
return seat=2 blind 10.00 push
pay    seat=2 raise 15.00
close
"""
VOIDED_AFTER_LOOKING = f"""
wager  seat=3 base 25.00
deal   {KINGS} seat3=Jh Js 8d 7h 4c Ts 6h
exposed seat=3 8d by dealer
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=3 high=Jh Js 8d 7h 4c low=Ts 6h
elect  seat=3 void
return seat=3 base 25.00 void
close
"""
ABANDONED = """
seated seat=3 p-3
wager  seat=3 bettor=p-3 base 25.00
deal   dealer=As Kd Jc 9s 8c 4d 3c seat3=Qs Jh Th 7h 6s 5d 3h
left   seat=3 p-3
abandon seat=3
take   seat=3 base 25.00 abandoned
close
"""
SURRENDERED_WITH_UNDER = """
wager  seat=1 ante 10.00
deal   seat1=5c
surrender seat=1
wager  seat=1 under 10.00
deal   seat1=4h 6d
{settled}
close
"""
SURRENDER_PAID = SURRENDERED_WITH_UNDER.format(settled="pay    seat=1 ante 10.00\nreturn seat=1 under 10.00")
BOTH_SIDES = """
wager  seat=1 ante 10.00
deal   seat1=As
wager  seat=1 over 10.00
wager  seat=1 under 10.00
deal   seat1=4h 9d
pay    seat=1 ante 10.00
pay    seat=1 over 10.00
return seat=1 under 10.00
close
"""
VOID_AFTER_A_PAYMENT = f"""
wager  seat=3 base 25.00
wager  seat=6 base 25.00
deal   {KINGS} seat6={ACES} seat3=Ks Qd Tc 8h 6c 4h 2s 2d
set    dealer high=Kh Kd 8c 5d 3c low=Jc 9h
set    seat=6 {ACES_SET}
pay    seat=6 base 25.00
void   round wrong_count
return seat=3 base 25.00 void
close
"""

READINGS = [
    Named(
        "686a.7(g)", "D1311", "pa-686a", SURRENDER_PAID, "WAGER-SURRENDER seat=1",
        "can as well be read to be none, and goes back; so read, the Under 18 of seat 1 neither wins nor loses, as was done",
        ("surrender seat=1\n", ""),
    ),
    Named(
        "686a.8(a)", "D1311", "pa-686a", SURRENDER_PAID, "PAY-MISSED seat=1 wager=under -10.00",
        "the Under 18 of seat 1 neither wins nor loses, as was done", ("surrender seat=1\n", ""),
    ),
    Named(
        "686a.7(g)", "D111", "pa-686a", SURRENDER_PAID, "WAGER-SURRENDER seat=1", "the Ante of seat 1 wins 10.00, as was done",
        ("surrender seat=1\nwager  seat=1 under 10.00\n", "wager  seat=1 under 10.00\n"),
    ),
    Named(
        "686a.7(g)(3)", "D111", "pa-686a", SURRENDER_PAID, "PAY-LOSER seat=1 wager=ante +20.00",
        "the Ante of seat 1 wins 10.00, as was done", ("surrender seat=1\nwager", "wager"),
    ),
    Named(
        "686a.7(g)", "D1312", "pa-686a", BOTH_SIDES, "WAGER-LIMIT seat=1 wager=under",
        "can as well be read to be none, and goes back; so read, the Under 18 of seat 1 neither wins nor loses, as was done",
        ("deal   seat1=4h 9d", "withdraw seat=1 under 10.00\ndeal   seat1=4h 9d"),
    ),
    Named(
        "686a.7(j)", "D1312", "pa-686a", BOTH_SIDES, "PAY-NOT-TAKEN seat=1 wager=under +10.00",
        "the Under 18 of seat 1 neither wins nor loses, as was done", ("wager  seat=1 over 10.00\n", ""),
    ),
    Named(
        "688a.11(d)", "D111", "pa-688a ace_high_bonus=1",
        SURRENDERED.replace("take   seat=3 base 25.00 surrendered", "pay    seat=3 base 25.00"),
        "PAY-LOSER seat=3 wager=base +50.00", "the Base wager of seat 3 wins 25.00, as was done",
        (" ace_high_bonus 5.00\ndeal", "\ndeal"),
    ),
    Named(
        "688a.11(h)(1)(i)(A)", "D114", "pa-688a ace_high_bonus=1", ALONE.replace("take ", "return"),
        "PAY-NOT-TAKEN seat=3 wager=ace_high_bonus +5.00", "the Ace High Bonus of seat 3 neither wins nor loses, as was done",
        ("seat=3 ace_high_bonus 5.00\ndeal", "seat=3 base 5.00 ace_high_bonus 5.00\ndeal"),
    ),
    Named(
        "688a.13(d)", "D1227", "pa-688a", VOIDED_AFTER_LOOKING.replace("return seat=3 base 25.00 void", "take seat=3 base 25.00"),
        "PAY-VOID seat=3 wager=base -25.00", "the Base wager of seat 3 loses 25.00, as was done",
        ("set    seat=3 high=Jh Js 8d 7h 4c low=Ts 6h\nelect  seat=3 void\n", "elect  seat=3 void\n"),
    ),
    Named(
        "688a.13(g)", "D1229", "pa-688a", VOID_AFTER_A_PAYMENT, "PAY-VOID seat=6 wager=base +25.00",
        "§ 688a.13(g) can as well be read to give back what is not settled yet; so read, the Base wager of seat 6 wins 25.00, as "
        "was done", ("pay    seat=6 base 25.00\nvoid   round wrong_count", "void   round wrong_count\npay    seat=6 base 25.00"),
    ),
    Named(
        "686a.7(g)(1)", "D752", "pa-686a", OVER_THE_ANTE, "WAGER-LIMIT seat=2 wager=over",
        "§ 686a.7(g)(1) can as well be read to let so much of it count as it asks for, so that the rest goes back, and all of "
        "one that is less; so read, the Over 23 of seat 2 wins 10.00, and the patron has 5.00 too much", ("15.00", "10.00"),
    ),
    Named(
        "687a.7(d)(1)", "D752", "pa-687a", SHORT_RAISE, "WAGER-LIMIT seat=2 wager=raise",
        "the Raise of seat 2 neither wins nor loses, and the patron has 15.00 too much", ("15.00", "20.00"),
    ),
    Named(
        "688a.13(d)", "D1227", "pa-688a", VOIDED_AFTER_LOOKING, "DEAL-ELECTION seat=3",
        "the Base wager of seat 3 loses 25.00, and the patron has 25.00 too much",
        ("set    seat=3 high=Jh Js 8d 7h 4c low=Ts 6h\nelect  seat=3 void\n", "elect  seat=3 void\n"),
    ),
    Named(
        "688a.7(b)", "D1228", "pa-688a", ABANDONED, "PAY-TAKEN seat=3 wager=base -25.00",
        "the Base wager of seat 3 loses 25.00, as was done", ("left   seat=3 p-3\nabandon seat=3\n", ""),
    ),
    Named(
        "688a.7(e)", "D114", "pa-688a ace_high_bonus=1", ALONE, "WAGER-BASE seat=3 wager=ace_high_bonus",
        "the Ace High Bonus of seat 3 neither wins nor loses, and the patron has 5.00 too little",
        ("seat=3 ace_high", "seat=3 base 5.00 ace_high"),
    ),
    Named(
        "688a.11(h)", "D15", "pa-688a fortune_bonus=1", fortune("10.00"), "PAY-UNDER seat=3 wager=fortune_bonus -5.00",
        "the Fortune Bonus of seat 3 wins 10.00, as was done", ("7s 7h 7d 8c 9d Th Js", "7s 7h 7d 8c 9d Th 4s"),
    ),
    Named(
        "688a.12(d)", "D751", "pa-688a progressive=6", five_aces("800.00"), "PAY-METER seat=5 wager=progressive +599.99",
        "the Progressive of seat 5 wins 799.00, as was done", ("meter=2000.17", "meter=20000.17"),
    ),
    Named(
        "688a.7(d)", "D752", "pa-688a fortune_bonus=1 fortune_bonus.max=10.00", fortune_of("10.00", "30.00", "30.00"),
        "PAY-UNDER seat=3 wager=fortune_bonus -80.00",
        "the Fortune Bonus of seat 3 wins 30.00, and the patron has 20.00 too little",
        ("fortune_bonus 30.00", "fortune_bonus 10.00"),
    ),
    Named(
        "688a.11(d)", "D11", "pa-688a ace_high_bonus=1 adjacent_boxes=yes", TWO_BOXES, "PAY-LOSER seat=3 wager=base +50.00",
        "the Base wager of seat 3 wins 25.00, as was done", ("seat=4 bettor=p-1", "seat=4 bettor=p-2"),
    ),
    Named(
        "688a.11(d)", "D111", "pa-688a ace_high_bonus=1", SURRENDERED, "WAGER-SURRENDER seat=3",
        "the Base wager of seat 3 wins 25.00, and the patron has 50.00 too little", (" ace_high_bonus 5.00\ndeal", "\ndeal"),
    ),
    Named(
        "688a.11(b)(3)", "D249", "pa-688a", SET_AGAIN, "SET-CHANGED seat=3",
        "the Base wager of seat 3 neither wins nor loses, and the patron has 500.00 too much",
        ("high=As Ac 6d Qs 7c low=4s 2h", ACES_SET),
    ),
    Named(
        "686a.7(j)", "D12", "pa-686a", WRONG_SIDE, "PAY-NOT-TAKEN seat=1 wager=ante +10.00",
        "the Ante of seat 1 neither wins nor loses, as was done", ("seat1=3c 2h", "seat1=5c 4h"),
    ),
    Named(
        "686a.9(c)", "D23", "pa-686a", DEAD_HAND, "PAY-VOID seat=1 wager=over -10.00",
        "the Over 23 of seat 1 loses 10.00, as was done", ("take   seat=1 over 10.00", "return seat=1 over 10.00 void"),
    ),
    Named(
        "GEGR-002138", "D22", "ca-gegr-002138", COVERED, "CA-COVER seat=7 wager=base +25.00",
        "the Base wager of seat 7 wins 25.00, as was done", ("seat=4 50.00", "seat=4 75.00"),
    ),
    Named(
        "GEGR-002138", "D17", "ca-gegr-002138 fortune_bonus=yes",
        envy("player_dealer seat=4 5000.00\naction seat=5", "envy   seat=6 for=5 fortune_bonus 5.00"),
        "PAY-ENVY seat=6 wager=fortune_envy +5.00",
        "the Fortune Envy of seat 6 wins 5.00, as was done", ("7h 7d 7c Kc", "7h 7d Qc Kc"),
    ),
    Named(
        "688a.11(h)(2)(ii)", "D17", "pa-688a fortune_bonus=1", envy("", ""), "PAY-ENVY seat=6 wager=fortune_envy -5.00",
        "the Fortune Envy of seat 6 is due nothing, as was done",
        ("wager  seat=5 base 25.00", "wager  seat=5 base 25.00 fortune_bonus 5.00"),
    ),
    Named(
        "645c.1(a)", "D25", "pa-645c commission_free=no", VIGORISH, "PAY-VIG seat=3 wager=base -0.25",
        "the Base wager of seat 3 wins 25.50, as was done", ("27.00", "30.00"),
    ),
    Named(
        "688a.12(d)", "D18", "pa-688a progressive=6", THREE_AND_JOKER, "PAY-UNDER seat=5 wager=progressive -9.00",
        "the Progressive of seat 5 loses 1.00, and the patron has 1.00 too much", ("Jk", "7c"),
    ),
    Named(
        "687a.6(b)", "D6", "pa-687a progressive=1 progressive.rate=15%", DEUCE, "PAY-LOSER seat=1 wager=progressive +10.00",
        "the Progressive of seat 1 wins 9.00, as was done", ("2h", "4h"),
    ),
    Named(
        "687a.11(b)(3)", "D573", "pa-687a progressive=1 progressive.rate=15%", FOLDED,
        "PAY-LOSER seat=2 wager=progressive +10.00", "the Progressive of seat 2 wins 9.00, as was done", ("Ks 9c", "4s 9c"),
    ),
    Named(
        "659a.6(e)(3)", "D175", "pa-659a progressive=1", ROYAL_WITH_JOKER, "PAY-UNDER seat=3 wager=progressive -400.00",
        "the Progressive of seat 3 wins 99.00, as was done", ("Ah Kh Qh Jh Jk", "Th Kh Qh Jh Jk"),
    ),
    Named(
        "687a.12(e)", "D20", "pa-687a bad_beat=DJWBB-04", LOSING_PAIR, "PAY-LOSER seat=1 wager=bad_beat +16.00",
        "of seat 1 wins 15.00, as was done", ("Kh Kd 9s", "Th 4d 9s"),
    ),
]  # fmt: skip


def named(rules: str, lines: str) -> dict[str, str]:
    """Return the other readings that each finding names, by its line."""
    (judged,) = judge(f"rules {rules}\n{lines}", "readings.txt")
    return {each.line(): each.other_reading or "" for each in judged.conclusion.findings}


@pytest.mark.parametrize("case", READINGS, ids=lambda case: f"{case.section} {case.decision}")
def test_a_finding_names_the_other_reading_and_what_is_due_by_it(case: Named) -> None:
    words = named(case.rules, case.lines)
    assert case.finding in words, words
    assert f"{case.decision}: " in words[case.finding]
    assert case.names in words[case.finding]


@pytest.mark.parametrize("case", READINGS, ids=lambda case: f"{case.section} {case.decision}")
def test_a_finding_that_both_readings_make_names_none(case: Named) -> None:
    assert case.instead[0] in case.lines
    words = named(case.rules, case.lines.replace(*case.instead))
    assert not any(f"{case.decision}: " in each for each in words.values()), words


def test_a_setting_that_is_filed_leaves_no_other_reading() -> None:
    """The same round, and the same finding, with the reading that is followed filed."""
    (case,) = (each for each in READINGS if each.decision == "D15")
    assert named(f"{case.rules} fortune_pays=best_paid", case.lines)[case.finding] == ""


def test_every_reading_of_every_chapter_is_here() -> None:
    """A setting or a game's record that gains a reading needs a round that names it."""
    for key in known_chapters():
        book = parse_submission(submission_from_words([key]))
        left = {reading.decision for reading in other_readings(book)}
        assert left <= {case.decision for case in READINGS}, key


WITHOUT_A_ROUND = {
    "D13": "a chapter that is not held is no reading of one that is",
    "D191": "the setting of D573",
    "D553": "whether such a wager may lie there, not what it is due",
    "D662": "what other amounts a text that is not held has is not known",
}
"""Decisions that change money, with a setting or named, and no amount by the other reading."""


def test_every_decision_that_changes_money_is_here() -> None:
    fields = tomllib.loads((ROOT / "rulebook/decisions.toml").read_text(encoding="utf-8"))
    changing = {
        number
        for number, each in fields.items()
        if number != "subjects" and (each.get("money", "") == "named" or each.get("money", "").startswith("setting "))
    }
    assert changing == {case.decision for case in READINGS} | WITHOUT_A_ROUND.keys()
