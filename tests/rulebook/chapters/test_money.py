"""Money in cents and odds as ratios; no floats, fractions go down to the cent (D25)."""

import pickle
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulebook.chapters.citation import Citation, cite
from rulebook.chapters.money import CENTS_MAX, Odds, parse_money, show_money

CENTS = st.integers(0, CENTS_MAX)
ODDS = st.builds(Odds, st.integers(0, 10_000), st.integers(1, 100))


@pytest.mark.parametrize(
    ("odds", "stake_cents", "winnings_cents", "exact"),
    [
        ("20:1", 1000, 20_000, True),
        ("1:1", 1, 1, True),
        ("0:1", 500, 0, True),
        ("15:2", 100, 750, True),
        ("15:2", 101, 757, False),  # 757.5 goes down
        ("15:2", 0, 0, True),
        ("8000:1", 50_000, 400_000_000, True),
    ],
)
def test_winnings(odds, stake_cents, winnings_cents, exact):
    assert Odds.parse(odds).winnings(stake_cents) == winnings_cents
    assert Odds.parse(odds).is_exact(stake_cents) is exact


@given(ODDS, CENTS)
def test_winnings_are_never_more_than_the_odds_give_and_less_than_a_cent_short(odds, stake_cents):
    due = Fraction(stake_cents * odds.numerator, odds.denominator)
    assert 0 <= due - odds.winnings(stake_cents) < 1
    assert odds.is_exact(stake_cents) is (due == odds.winnings(stake_cents))


@given(ODDS, ODDS)
def test_better_odds_are_the_greater_fraction(one, other):
    greater = Fraction(one.numerator, one.denominator) > Fraction(other.numerator, other.denominator)
    assert one.is_better_than(other) is greater
    assert Odds.parse(str(one)) == one


@pytest.mark.parametrize("text", ["20 to 1", "20", "20:0", "-1:1", "020:1", "1.5:1", "20:1 ", "", "٣:1"])
def test_what_are_not_odds(text):
    with pytest.raises(ValueError, match="are not odds"):
        Odds.parse(text)


@pytest.mark.parametrize(("numerator", "denominator"), [(-1, 1), (1, 0), (1, -2)])
def test_odds_that_cannot_be_made(numerator, denominator):
    with pytest.raises(ValueError, match="are not odds"):
        Odds(numerator, denominator)


def test_a_negative_stake_is_refused():
    with pytest.raises(ValueError, match="stake"):
        Odds(1, 1).winnings(-1)


def test_odds_are_frozen():
    with pytest.raises(AttributeError):
        Odds(1, 1).numerator = 2
    assert msgspec.structs.asdict(pickle.loads(pickle.dumps(Odds(15, 2)))) == {"numerator": 15, "denominator": 2}


@pytest.mark.parametrize(
    ("text", "cents"), [("25.00", 2500), ("25", 2500), ("7.50", 750), ("0", 0), ("0.01", 1), ("90071992547409.91", CENTS_MAX)]
)
def test_amounts(text, cents):
    assert parse_money(text) == cents


@pytest.mark.parametrize(
    "text", ["", "25.0", "25.", ".50", "1,000.00", "$25", "-1", "+1", "1e3", "025", "25.000", " 25", "25\n", "90071992547409.92"]
)
def test_what_is_not_an_amount(text):
    with pytest.raises(ValueError, match=r"not an amount|more than can be kept"):
        parse_money(text)


@given(CENTS)
def test_reading_what_is_shown_gives_the_cents_back(cents):
    assert parse_money(show_money(cents)) == cents
    assert show_money(cents, thousands=True).replace(",", "") == show_money(cents)
    assert show_money(-cents) == ("-" if cents else "") + show_money(cents)


@pytest.mark.parametrize(
    ("chapter", "section", "text"),
    [
        ("688a", "12(b)", "58 Pa. Code § 688a.12(b)"),
        ("659a", "12(d)(3)", "58 Pa. Code § 659a.12(d)(3)"),
        ("686a", "8(a)", "Annex A, rulemaking 125-223, § 686a.8(a)"),
        ("688a-proposed", "12(c)", "Annex A, rulemaking 125-223, § 688a.12(c)"),
        ("gegr-002138", "Envy Bonus", "GEGR-002138, Envy Bonus"),
    ],
)
def test_citations(chapter, section, text):
    assert cite(chapter, section) == text
    assert isinstance(cite(chapter, section), Citation)
