"""The words of findings: how much came late, who exposed which card, which limit, why no Envy Bonus is due."""

import re

import pytest

from replay.narrative.verdicts import RoundVerdict, narrate
from replay.transcript.transcript import judge
from tests.evidence.specimens import golden_cases

IDENTIFIER = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b")


def words(text: str, code: str) -> list[tuple[str, str]]:
    """What findings of a code expect and observe."""
    return [
        (found.expected, found.observed)
        for judged in judge(text, "words")
        for found in judged.conclusion.findings
        if found.code == code
    ]


HANDS = "deal dealer=Kh Qd Js 9c 8d 4h 3s  seat3=As Ah 7s 7d 5s 4c 2h\nset seat=3 high=As Ah 5s 4c 2h low=7s 7d\n"


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        ("wager seat=3 base 20.00\nno_more_bets\nwager seat=3 base 5.00\n", '5.00 placed after "no more bets"'),
        ("wager seat=3 base 25.00\nno_more_bets\nwithdraw seat=3 base 10.00\n", '10.00 withdrawn after "no more bets"'),
    ],
)
def test_a_late_wager_says_how_much_was_late(lines: str, part: str) -> None:
    ((_, observed),) = words(f"rules pa-688a\n{lines}{HANDS}pay seat=3 base 20.00\nclose\n", "WAGER-LATE")
    assert observed.startswith(f"{part}; ")


def test_a_wager_after_the_cards_is_not_said_to_be_after_a_word_that_nobody_spoke() -> None:
    text = f"rules pa-688a\nwager seat=3 base 20.00\n{HANDS}wager seat=3 base 5.00\npay seat=3 base 20.00\nclose\n"
    ((_, observed),) = words(text, "WAGER-LATE")
    assert observed.startswith("5.00 placed after the first card; ")


@pytest.mark.parametrize(("said", "ended"), [("", "the first card"), ("no_more_bets\n", '"no more bets"')])
def test_a_raise_that_is_taken_back_is_not_said_to_be_after_the_reveal(said: str, ended: str) -> None:
    """§ 687a.7(c): no wager is withdrawn after "no more bets"; .11(b) lets a raise be made later, not taken back."""
    text = f"""
        rules pa-687a
        wager seat=1 ante 10.00 blind 10.00
        {said}deal seat1=9c 9d 9h 5s 5d dealer=9s Th 3s 5c 4h
        wager seat=1 raise 20.00
        withdraw seat=1 raise 20.00
        reveal dealer
        close
    """
    ((_, observed),) = words(text, "WAGER-LATE")
    assert observed.startswith(f"20.00 withdrawn after {ended}; ")


def test_a_stub_beside_a_card_set_aside_says_how_many_should_be_left() -> None:
    text = f"rules pa-688a\nwager seat=3 base 20.00\nfound_face_up Jh\n{HANDS}stub 4\nclose\n"
    ((expected, observed),) = words(text, "DEAL-STUB")
    assert expected == "3 cards left beside 1 set aside"
    assert observed == "4 cards left; the round was not voided"


@pytest.mark.parametrize(
    ("fortune", "others", "part"),
    [
        ("4.00", "7h 7d 7s 7c Qh 2h 3d", "none for seat 4: no qualifying wager at seat 3"),
        ("5.00", "7h 7d 7s 6c Qh 2h 3d", "none for seat 4: no hand there that qualifies"),
    ],
)
def test_an_envy_bonus_paid_without_a_ground_says_which_is_missing(fortune: str, others: str, part: str) -> None:
    text = f"""
        rules pa-688a fortune_bonus=1
        wager seat=3 base 25.00 fortune_bonus {fortune}
        wager seat=4 base 25.00
        deal dealer=Ac Kd Jc 9c 8h 4d 3c seat3=9s Ks Qs Jd 5h 6h 2s seat4={others}
        envy seat=3 for=4 fortune_bonus 5.00
    """
    ((expected, _),) = words(text, "PAY-ENVY")
    assert expected == f"no Envy Bonus ({part})"


@pytest.mark.parametrize(
    ("paid_for", "part"), [("6", "none for seat 6: no fortune_bonus wager there"), ("4", "none for the player-dealer's hand")]
)
def test_an_envy_bonus_in_california_needs_a_wager_at_the_hand(paid_for: str, part: str) -> None:
    text = f"""
        rules ca-gegr-002138 fortune_bonus=yes
        player_dealer seat=4 1000.00
        wager seat=5 base 50.00 fortune_bonus 5.00
        wager seat=6 base 50.00
        deal dealer=Ah Ad As Ac 8c 5d 3c seat5=Ks 7d 9c Jd 4h 2s Tc seat6=Qc Qs Qd Qh 2h Kd 7c
        set dealer high=Ah Ad 8c 5d 3c low=As Ac
        envy seat=5 for={paid_for} fortune_bonus 5.00
    """
    ((expected, _),) = words(text, "PAY-ENVY")
    assert expected == f"no Envy Bonus ({part})"


@pytest.mark.parametrize(
    ("folder", "hand", "part", "names_a_reading"),
    [
        (1, "4c 5c 6c 7c 8c", "none for seat 1: its straight flush was folded, and folded hands do not qualify", True),
        (2, "4c 5c 6c 7c 8c", "none for seat 1: seat 2 folded, and folded hands get no Envy Bonus", True),
        (1, "4c 5c 6c 7c 9h", "none for seat 1: no hand there that qualifies", False),
    ],
)
def test_an_envy_bonus_for_a_folded_hand_says_who_folded(folder: int, hand: str, part: str, names_a_reading: bool) -> None:
    text = f"""
        rules pa-687a progressive=1 progressive.rate=15%
        wager seat=1 ante 10.00 blind 10.00 progressive 1.00
        wager seat=2 ante 10.00 blind 10.00 progressive 1.00
        deal seat1={hand} seat2=Ks Kd 9s 5d 3d dealer=As Jd 8h 6d 4d side=Ad
        decide seat={folder} fold
        wager seat={3 - folder} raise 20.00
        envy seat=2 for=1 progressive 300.00
        close
    """
    (only,) = judge(text, "envy.txt")
    (envy,) = (each for each in only.conclusion.findings if each.code == "PAY-ENVY")
    assert envy.expected == f"no Envy Bonus ({part})"
    assert (envy.other_reading or "").startswith("D573: ") is names_a_reading


def test_a_late_stake_that_came_back_is_more_than_the_stake() -> None:
    wagers = "wager seat=3 base 25.00\nno_more_bets\nwager seat=3 base 75.00\n"
    text = f"rules pa-688a\n{wagers}{HANDS}pay seat=3 base 100.00\nclose\n"
    ((_, observed),) = words(text, "WAGER-LATE")
    assert observed == '75.00 placed after "no more bets"; 100.00 paid, 100.00 returned for a stake of 25.00'


@pytest.mark.parametrize(
    ("moved", "line", "expected"),
    [
        ("withdraw seat=3 sum 5.00\nshake 3\n", "withdrawn", "a wager that was withdrawn or refused in time"),
        ("refuse seat=3 sum 5.00\nshake 3\n", "withdrawn", "a wager that was withdrawn or refused in time"),
        ("withdraw seat=3 sum 5.00\nshake 3\nwager seat=3 sum 5.00\nrefuse seat=3 sum 5.00\n", "late", "no wager in time"),
    ],
)
def test_what_was_withdrawn_in_time_is_not_called_late(moved: str, line: str, expected: str) -> None:
    text = f"rules pa-645c sum=A\nwager seat=3 base 25.00 sum 5.00\n{moved}dice 2 2 4\npay seat=3 sum 15.00\n"
    (judged,) = judge(text, "withdrawn")
    (sum_,) = (each for each in judged.conclusion.settlements if each.wager == "sum")
    (found,) = (each for each in judged.conclusion.findings if each.wager == "sum")
    assert (sum_.line, sum_.due_cents, sum_.cite) == (line, 0, "58 Pa. Code § 645c.2(f)")
    assert (found.code, found.cite) == ("PAY-OVER", "58 Pa. Code § 645c.2(f)")
    assert found.expected == f"{expected}, so nothing won and nothing lost"


def test_a_late_wager_on_the_dice_names_the_shaker() -> None:
    text = "rules pa-645c sum=A\nwager seat=3 base 25.00\nshake 3\nwager seat=3 sum 5.00\ndice 2 2 4\ntake seat=3 sum 5.00\n"
    ((_, observed),) = words(text, "WAGER-LATE")
    assert observed == "5.00 placed after the shaker was used; 5.00 collected"


def test_a_late_wager_on_the_dice_names_no_more_bets_where_that_came_first() -> None:
    wagers = "wager seat=4 base 10.00\nno_more_bets\nwager seat=4 sum 2.00\n"
    text = f"rules pa-645c sum=A\n{wagers}shake 3\ndice 2 3 3\npay seat=4 sum 6.00\n"
    ((_, observed),) = words(text, "WAGER-LATE")
    assert observed == '2.00 placed after "no more bets"; 6.00 paid, 2.00 of the stake returned'


def test_a_late_wager_beside_a_card_that_was_not_read_says_how_much_was_late() -> None:
    text = """
        rules pa-659a
        wager seat=2 base 10.00
        no_more_bets
        wager seat=2 base 100.00
        deal dealer=Kh ?? 9c 7s 5d 4c 2h seat2=As Ah Jc Ts 8d 6c 3d
        set seat=2 high=As Ah 6c 3d medium=Jc Ts low=8d
        pay seat=2 base 110.00
        close
    """
    ((expected, observed),) = words(text, "WAGER-LATE")
    assert expected == "at most 10.00 paid"
    assert observed == '100.00 placed after "no more bets"; 110.00 paid, 110.00 returned for a stake of 10.00'


LATE_PROGRESSIVE = """
    rules pa-645c progressive=1 mystery=B-1
    wager seat=1 base 10.00
    no_more_bets
    wager seat=1 progressive 1.00
    contributed seat=1 1.00 meter=300.05
    mystery_hit seat=1 meter=300.05 target=300.00 after=100.00
    deal dealer=Ah Ad 9h 7d 5c 4s 2c seat1=Qs Jd 8c 6h 5h 3s 2d
    return seat=1 base 10.00 push
    pay seat=1 mystery 300.05
    close
"""


def test_a_late_progressive_that_was_kept_was_not_returned() -> None:
    ((_, observed),) = words(LATE_PROGRESSIVE, "WAGER-LATE")
    assert observed == '1.00 placed after "no more bets"; not returned'


def test_a_bonus_paid_to_one_who_does_not_qualify_says_so() -> None:
    ((expected, _),) = words(LATE_PROGRESSIVE, "MYST-TRIGGER")
    assert expected == "nothing paid (lose); the contribution of seat 1 does not qualify: no progressive wager in time"


def test_a_bonus_paid_to_the_wrong_seat_names_whose_contribution_hit() -> None:
    cases = [each for each in golden_cases() if "the hit is seat 1's, and seat 3 is paid" in each.title]
    said = [expected for each in cases for expected, _ in words(each.transcript, "MYST-TRIGGER")]
    assert said == ["nothing paid (lose); the contribution of seat 1 hit the meter, at 300.05"]


def test_a_progressive_accepted_at_another_seat_than_placed_is_named() -> None:
    text = """
        rules pa-659a progressive=yes
        wager seat=3 base 10.00
        wager seat=6 base 10.00 progressive 1.00
        accepted seat=3 1.00 meter=10000.28
        lock accepted=1 collected=1
        deal seat3=As Ah Jc Ts 8d 6c 3d seat6=Qs Qd Jd Tc 8c 6h 3h
    """
    ((_, observed),) = words(text, "WAGER-PROGRESSIVE")
    assert observed == (
        "1 chip collected, the system counts 1; accepted at seat 3, not placed there; placed at seat 6, not accepted there"
    )


def test_a_payout_validated_too_late_is_not_called_unvalidated() -> None:
    cases = [each for each in golden_cases() if "a bonus validated only when it was paid" in each.title]
    assert [observed for each in cases for _, observed in words(each.transcript, "PAY-VALIDATED")] == [
        "validated after it was paid"
    ]


def test_a_start_found_otherwise_than_the_rules_have_it_is_not_said_to_be_filed() -> None:
    """The rules line of a transcript files nothing that it leaves out."""
    cases = [each for each in golden_cases() if "dice are filed and a number is drawn, in a record" in each.title]
    assert [expected for each in cases for expected, _ in words(each.transcript, "DEAL-START")] == [
        "by the rules in force, the start found by dice"
    ]


@pytest.mark.parametrize("card", ["7s", "??"])
def test_an_exposed_card_is_named_with_who_exposed_it(card: str) -> None:
    text = f"rules pa-688a\ncovers settlement\nwager seat=3 base 25.00\n{HANDS}exposed seat=3 {card} by dealer\n"
    ((_, observed),) = words(text, "DEAL-EXPOSED")
    assert observed == f"{'a card' if card == '??' else card} of seat 3 exposed by the dealer; no election"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("688a envy", "none for the own hand"),
        ("659a envy", "none for the dealer's hand"),
        ("659a envy", "which the same player holds"),
    ],
)
def test_an_envy_bonus_says_why_none_is_due(place: str, expected: str) -> None:
    chapter, stem = place.split()
    cases = [each for each in golden_cases() if (each.path.parent.name, each.path.stem) == (chapter, stem)]
    assert any(expected in said for each in cases for said, _ in words(each.transcript, "PAY-ENVY"))


def test_a_maximum_payout_is_named() -> None:
    cases = [each for each in golden_cases() if (each.path.parent.name, each.path.stem) == ("688a", "limits")]
    said = [expected for each in cases for expected, _ in words(each.transcript, "PAY-LIMIT")]
    assert said
    assert all("the maximum payout" in each for each in said)


def test_a_hit_of_another_names_whose_contribution_passed_the_target() -> None:
    cases = [each for each in golden_cases() if (each.path.parent.name, each.path.stem) == ("645c", "3_hits")]
    found = [
        found
        for each in cases
        for judged in judge(each.transcript, "hits")
        for found in judged.conclusion.findings
        if found.code == "MYST-TRIGGER"
    ]
    assert found
    assert {each.cite for each in found} == {"58 Pa. Code § 645c.3(c)(3)"}
    assert any("the contribution that lifts the meter above 150.00: seat 5" in each.expected for each in found)


def test_who_left_is_not_called_never_seated() -> None:
    start = "rules pa-688a\nseated seat=1 p-1\nseated seat=3 p-3\nround 1\n"
    left = words(f"{start}left seat=3 p-3\nwager seat=3 bettor=p-3 base 25.00\n", "WAGER-SEATED")
    never = words(f"{start}wager seat=4 bettor=p-9 base 25.00\n", "WAGER-SEATED")
    assert ([observed for _, observed in left], [observed for _, observed in never]) == (
        ["the patron had left seat 3"],
        ["the patron is not seated"],
    )


@pytest.mark.parametrize(
    ("deal", "why"),
    [("", "the cards of seat 3 are not on record"), ("  seat3=As Ah 7s 7d 5s 4c ??", "the cards of seat 3 were not all read")],
)
def test_cards_never_dealt_are_not_called_unread(deal: str, why: str) -> None:
    (judged,) = judge(f"rules pa-688a\nwager seat=3 base 25.00\ndeal dealer=Kh Qd Js 9c 8d 4h 3s{deal}\n", "unread")
    assert judged.conclusion.undetermined == (f"seat 3 base: what is due cannot be told ({why})",)


@pytest.mark.slow
def test_no_sentence_prints_an_identifier() -> None:
    for each in golden_cases()[::7]:
        for judged in judge(each.transcript, "names", lambda name, each=each: (each.path.parent / name).read_text()):
            sentence = narrate(RoundVerdict.of(judged.conclusion)).sentence
            assert IDENTIFIER.search(sentence) is None, f"{each.path.name}:{each.line}: {sentence}"


def test_a_bound_has_its_currency_in_the_sentence_of_the_round() -> None:
    """A die was not read: 6 + 5 and any other pay at most 25 to 1, 125.00; 130.00 is too much in every case."""
    text = "rules pa-645c sum=A\nwager seat=3 base 25.00 sum 5.00\nshake 3\ndice ? 6 5\npay seat=3 sum 130.00\n"
    (judged,) = judge(text, "bound")
    sentence = narrate(RoundVerdict.of(judged.conclusion), currency="USD").sentence
    assert "expected at most $125.00 paid, observed $130.00 paid" in sentence


@pytest.mark.parametrize("share", range(4))
def test_no_finding_and_no_reason_names_a_patron(share: int) -> None:
    """Patrons are tokens: sentences speak of the seat. The golden rounds call theirs p-1, p-2 and so on."""
    for each in golden_cases()[share::4]:
        if "bettor=" not in each.transcript and "seated" not in each.transcript and "bar " not in each.transcript:
            continue
        for judged in judge(each.transcript, "names", lambda name, each=each: (each.path.parent / name).read_text()):
            said = [text for found in judged.conclusion.findings for text in (found.expected, found.observed)]
            for text in (*said, *judged.conclusion.undetermined):
                assert re.search(r"\bp-\w+", text) is None, f"{each.path.name}:{each.line}: {text}"


def test_what_the_player_dealer_does_not_cover_is_an_amount() -> None:
    cases = [each for each in golden_cases() if (each.path.parent.name, each.path.stem) == ("gegr-002138", "coverage")]
    said = [expected for each in cases for expected, _ in words(each.transcript, "CA-COVER")]
    assert "25.00 returned (uncovered); the 25.00 won is beyond the player-dealer's wager" in said
    assert "25.00 returned (uncovered); the 25.00 lost is beyond the player-dealer's wager" in said
    assert "15.00 paid (win); of 25.00 won, 10.00 is beyond the player-dealer's wager" in said
    assert "15.00 collected (lose); of 25.00 lost, 10.00 is beyond the player-dealer's wager" in said


def test_688a_11_c_a_foreign_card_is_named_with_the_box_that_it_came_from_and_one_that_was_set_twice_as_such() -> None:
    text = """rules pa-688a
        wager seat=3 base 10.00
        wager seat=4 base 10.00
        wager seat=5 base 10.00
        deal dealer=Kd Kc Qs 9h 7d 4c 2s seat3=As Ad 6c Jh 8d 5c 3h seat4=Kh Qc Tc 9c 6h 4s 2h seat5=Ah Ac Jd 8s 7c 5h 3s
        set seat=3 high=As Ad 8d 5c 3h low=Kh Jh
        set seat=4 high=6s 6h 9c 4s 2h low=Qc Tc
        set seat=5 high=Ah Ac 7c 5h 3s low=Jd 7c
        close
    """
    (judged,) = judge(text, "foreign.txt")
    cards = {each.seat: each.observed for each in judged.conclusion.findings if each.code == "SET-CARDS"}
    assert cards == {3: "Kh (dealt to seat 4) in the hands set", 4: "6s in the hands set", 5: "7c twice in the hands set"}
