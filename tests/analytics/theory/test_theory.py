"""What the wagers return: figures known from outside, and what every figure must hold to."""

from fractions import Fraction

import pytest

from analytics.theory.catalogue import RETURNS
from analytics.theory.result import End, Result
from analytics.theory.theory import returns
from rulebook.chapters.chapters import chapter, known_chapters

REQUIRED = {"base", "backline", "ante", "blind", "raise", "over", "under"}
"""Wagers that theory counts together, and the backline, which goes with the base wager of its seat."""

KNOWN = {
    ("face_up_pai_gow", "progressive", "1"): 75.751,
    ("face_up_pai_gow", "progressive", "2"): 78.073,
    ("over_under", "base", ""): 98.950,
    ("dj_wild", "trips", "DJWT-05"): 92.474,
    ("pai_gow_poker", "sum", "A"): 100 * 204 / 216,
    ("pai_gow_poker", "sum", "B"): 100 * 206 / 216,
    ("pai_gow_poker", "sum", "C"): 100 * 204 / 216,
    ("pai_gow_poker", "sum", "D"): 100 * 204 / 216,
    ("pai_gow_poker", "match", "1"): 100 * 206 / 216,
    ("pai_gow_poker", "beat_it", "A"): 100 * 200 / 216,
    ("pai_gow_poker", "beat_it", "B"): 100 * 210 / 216,
    ("pai_gow_poker", "beat_it", "C"): 100 * 210 / 216,
    ("pai_gow_poker", "mystery", "A-1"): 100 * 0.02 * 150 / 50,
    ("pai_gow_poker", "mystery", "D-5"): 100 * 0.02 * 625 / 375,
}
"""Published, or worked out by hand: the dice from 216 rolls, Must-Hit-By as rate x mean hit / (mean hit - minimum)."""

BY_ANOTHER_HOUSE_WAY = {
    ("dj_wild", "ante_blind_raise", "1"): 96.5,
    ("pai_gow_poker", "base", "commission_free"): 97.490,
    ("pai_gow_poker", "tiger_9", ""): 77.522,
    ("fortune_asia", "base", ""): 95.18,
}
"""Published per base unit, rounded to a tenth or for a dealer who sets by the house way of another casino."""

FORTUNE = (32, 72, 196, 1128, 26_020, 184_644, 307_472, 4_188_528, 6_172_088, 7_672_500, 11_034_204)


@pytest.fixture(scope="module")
def listed():
    return {(each.game, each.wager, each.paytable): each for each in returns()}


@pytest.mark.parametrize("key", KNOWN, ids=" ".join)
def test_known_figures(listed, key):
    assert listed[key].return_percent == pytest.approx(KNOWN[key], abs=5e-4)
    assert listed[key].house_advantage_percent == pytest.approx(100 - KNOWN[key], abs=5e-4)


@pytest.mark.parametrize("key", BY_ANOTHER_HOUSE_WAY, ids=" ".join)
def test_figures_published_for_another_house_way_are_near(listed, key):
    assert listed[key].return_percent_per_base_unit == pytest.approx(BY_ANOTHER_HOUSE_WAY[key], abs=0.05)


def test_fortune_lines_as_published(listed):
    lines = listed["face_up_pai_gow", "fortune_bonus", "2"].lines
    assert tuple(lines.values()) == FORTUNE
    assert list(lines)[-2:] == ["three_of_a_kind", "straight"]


def test_a_progressive_is_fixed_lines_rate_and_seed(listed):
    one = listed["face_up_pai_gow", "progressive", "1"]
    lines = one.lines
    fixed = 500 * lines["royal_flush"] + 100 * lines["straight_flush"] + 75 * lines["four_of_a_kind"] + 4 * lines["full_house"]
    assert one.parts["fixed_percent"] == pytest.approx(100 * fixed / one.total)
    assert one.parts["rate_percent"] == 28
    assert one.parts["seed_percent"] == pytest.approx(100 * 10_000 * (32 + 196) / one.total)
    assert one.return_percent == pytest.approx(sum(one.parts[f"{part}_percent"] for part in ("fixed", "rate", "seed")), abs=1e-5)
    meter = one.parts["break_even_meter"]
    shares = lines["seven_card_straight_flush_any"] + lines["five_aces"] / 10
    assert (fixed + meter * shares) / one.total == pytest.approx(1, abs=1e-6)


def test_envy_is_paid_for_each_other_player(listed):
    one = listed["face_up_pai_gow", "fortune_bonus", "1"]
    amounts = (1000, 250, 100, 50, 25, 10, 5)
    expected = sum(amount * number for amount, number in zip(amounts, one.lines.values(), strict=False)) / one.total / 5
    assert one.parts["envy_percent_per_other_player"] == pytest.approx(100 * expected)


def test_what_cannot_be_meant_is_said(listed):
    noticed = {key[1:]: each.notices for key, each in listed.items() if key[0] == "face_up_pai_gow" and each.notices}
    assert noticed["fortune_bonus", "5"] == [
        "four_of_a_kind is printed at 5:1, no more than full_house; other paytables print 20:1, 25:1"
    ]
    assert noticed["progressive", "7"] == ["returns 121.856 % of what is wagered: it cannot be meant as printed"]
    assert "reserve" in noticed["progressive", "4"][0]
    assert set(noticed) == {("fortune_bonus", "5"), ("progressive", "4"), ("progressive", "7")}


def test_the_base_wager_is_better_set_well_than_by_the_house_way(listed):
    base = listed["face_up_pai_gow", "base", ""]
    assert base.method.startswith("simulation")
    assert base.total >= 20_000_000
    assert 0 < base.std_error_percent < 0.05
    assert base.parts["house_way_return_percent"] < base.return_percent < 100
    pushes = base.lines["ace_high_push"] / base.total
    assert pushes == pytest.approx(14_430_780 / 154_143_080, abs=1e-4)


def test_every_wager_of_every_chapter_returns_something():
    for key in known_chapters():
        book = chapter(*key.split("-", 1))
        bonuses = RETURNS[book.game].bonuses
        assert set(book.wagers) - set(bonuses) <= REQUIRED, key
        found = {(each.wager, each.paytable) for each in returns(chapter_key=key)}
        for wager in set(book.wagers) & set(bonuses):
            assert {(wager, name) for name in book.wagers[wager].paytables or ("",)} <= found


def test_figures_agree_with_each_other(listed):
    for key, each in listed.items():
        assert each.return_percent + each.house_advantage_percent == pytest.approx(100), key
        assert 0 < each.hit_frequency < 1, key
        assert each.std_dev > 0, key
        assert all(isinstance(number, float) or 0 <= number <= each.total for number in each.lines.values()), key


def test_a_version_never_in_force_is_listed_when_asked_for_only():
    assert "pa-688a-proposed" not in {each.chapter for each in returns("face_up_pai_gow")}
    proposed = {(each.wager, each.paytable): each for each in returns(chapter_key="pa-688a-proposed")}
    assert proposed["fortune_bonus", "5"].lines["four_of_a_kind"] == 307_472
    assert not proposed["fortune_bonus", "5"].notices  # four of a kind pays 25 to 1 there


def test_figures_of_a_raise_are_per_amount_wagered_and_per_base_unit():
    ends = [End(1, Fraction(3), Fraction(3)), End(1, Fraction(-3), Fraction(3)), End(2, Fraction(-1))]
    result = Result(wager="base", paytable="", cite="", total=4, ends=ends, lines={})
    assert result.per_base_unit() == Fraction(1, 2)
    assert result.per_amount_wagered() == Fraction(3, 4)  # two units are wagered on average
    assert result.hits() == Fraction(1, 4)
    assert result.variance() == Fraction(20, 4) - Fraction(1, 4)


def test_ends_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="1 ends of 2"):
        Result(wager="x", paytable="", cite="", total=2, ends=[End(1, Fraction(1))], lines={})
