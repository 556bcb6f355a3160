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


def test_a_bonus_paid_to_one_who_does_not_qualify_says_so() -> None:
    ((expected, _),) = words(LATE_PROGRESSIVE, "MYST-TRIGGER")
    assert expected == "nothing paid (lose); the contribution of seat 1 does not qualify: no progressive wager in time"


def test_a_bonus_paid_to_the_wrong_seat_names_whose_contribution_hit() -> None:
    cases = [each for each in golden_cases() if "the hit is seat 1's, and seat 3 is paid" in each.title]
    said = [expected for each in cases for expected, _ in words(each.transcript, "MYST-TRIGGER")]
    assert said == ["nothing paid (lose); the contribution of seat 1 hit the meter, at 300.05"]


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
