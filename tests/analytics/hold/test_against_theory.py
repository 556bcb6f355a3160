"""Actual against theory: exact tails against distributions worked out otherwise, bands, verdicts, honest and dishonest floors."""

import json
from itertools import product
from math import comb, sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics import rules
from analytics.hold.against_theory import compare, win_against_theory
from analytics.hold.luck import Volume, band, chernoff
from analytics.hold.theoretical import theoretical_win
from analytics.theory.expectation import Expected, expected_of
from analytics.warehouse.game_facts import game_facts
from analytics.warehouse.loading import TableEvent
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, build, reading
from rulebook.chapters.chapters import chapter, known_chapters
from rulebook.chapters.editions import amendment_from_words
from rulebook.chapters.submission import simple_submission
from tests.analytics import synthetic
from tests.analytics.synthetic import CHAPTER
from tests.dashboards import sample


def wager(*ends: tuple[float, float], step: float = 1.0) -> Expected:
    """A wager that ends so: (probability, house win)."""
    mean = sum(p * win for p, win in ends)
    variance = sum(p * (win - mean) ** 2 for p, win in ends)
    return Expected(
        chapter="x",
        wager="x",
        paytable="",
        edge=mean,
        variance=variance,
        skewness=sum(p * (win - mean) ** 3 for p, win in ends) / variance**1.5,
        ends=tuple(sorted(ends, key=lambda e: e[1])),
        step=step,
        decided=False,
        shares="seat",
        notices=(),
    )


def volume(wagers: int, stake: float = 1.0) -> Volume:
    return Volume(units=wagers * stake, sum_2=wagers * stake**2, sum_3=wagers * stake**3, largest=stake)


LONG_SHOT = wager((0.01, -80.0), (0.99, 1.0))


@pytest.mark.parametrize("hits", [0, 1, 2, 3, 5, 9])
def test_tails_of_a_long_shot_are_the_binomial_distribution(hits: int) -> None:
    """200 wagers of 1 % at 80 to 1: so little or less for the house is this many hits or more."""
    at_least = sum(comb(200, k) * 0.01**k * 0.99 ** (200 - k) for k in range(hits, 201))
    at_most = sum(comb(200, k) * 0.01**k * 0.99 ** (200 - k) for k in range(hits + 1))
    found = band(LONG_SHOT, volume(200), 200 - 81 * hits)
    assert found.method == "exact"
    assert (found.p_low, found.p_high) == (pytest.approx(at_least, rel=1e-6), pytest.approx(at_most, rel=1e-6))


def test_the_band_of_a_long_shot_has_the_binomial_quantiles() -> None:
    """97.5 % of such days have 5 hits or fewer (94.8 % have 4), 99.85 % have 7 or fewer (99.6 % have 6)."""
    found = band(LONG_SHOT, volume(200), 0)
    assert (found.low_95, found.high_95) == (pytest.approx(200 - 5 * 81), pytest.approx(200))
    assert found.low_997 == pytest.approx(200 - 7 * 81)


def test_an_impossible_win_has_no_more_than_the_bound_that_always_holds() -> None:
    found = band(LONG_SHOT, volume(200), 200 - 81 * 40)
    assert 0 < found.p_low <= 1e-8
    assert found.p_low <= chernoff(LONG_SHOT.ends, 200, 40 * 81 - 200 * 0.81, -1) * 1.001


@pytest.mark.parametrize(("wagers", "narrow"), [(400, 2.0), (10_000, 10.0)])
def test_bands_narrow_with_the_root_of_volume(wagers: int, narrow: float) -> None:
    even = wager((0.5, -1.0), (0.5, 1.0))
    small, large = band(even, volume(100), 0), band(even, volume(wagers), 0)
    assert (small.high_95 / 100) / (large.high_95 / wagers) == pytest.approx(narrow)
    assert large.high_95 == pytest.approx(1.959964 * sqrt(wagers), rel=1e-5)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(-6, 6))
def test_few_wagers_of_one_stake_are_as_counted_one_by_one(stakes: list[int], win: int) -> None:
    """Every way that wagers of one stake can end, written out."""
    ends = ((0.2, -4.0), (0.3, 0.0), (0.5, 1.0))
    stake, number = stakes[0], len(stakes)
    won = [(np.prod([p for p, _ in way]), stake * sum(w for _, w in way)) for way in product(ends, repeat=number)]
    found = band(wager(*ends), volume(number, stake), win * stake)
    assert found.p_low == pytest.approx(sum(p for p, total in won if total <= win * stake + 1e-9), abs=1e-9)
    assert found.p_high == pytest.approx(sum(p for p, total in won if total >= win * stake - 1e-9), abs=1e-9)


STAKES = np.array([1.0] * 12 + [5.0] * 6 + [10.0] * 2 + [100.0])


@pytest.mark.parametrize("hit", [1 / 20, 1 / 60])
def test_stakes_that_differ_never_make_luck_less_likely_than_it_is(hit: float) -> None:
    """21 wagers of 1 to 100 units on a long shot, 20,000 times: p-values of 1 % or less come no more often than that.

    Three standard errors of such a share are 0.21 %.
    """
    paid = 0.9 / hit
    expected = wager((hit, -paid), (1 - hit, 1.0), step=paid + 1)
    many = Volume(units=STAKES.sum(), sum_2=(STAKES**2).sum(), sum_3=(STAKES**3).sum(), largest=STAKES.max())
    hits = np.random.default_rng(3).random((20_000, len(STAKES))) < hit
    wins = np.unique((np.where(hits, -paid, 1.0) @ STAKES).round(9), return_counts=True)
    for side in ("p_low", "p_high"):
        rare = sum(n for win, n in zip(*wins, strict=True) if getattr(band(expected, many, float(win)), side) <= 0.01)
        assert rare / 20_000 <= 0.01 + 0.0021


def test_a_good_day_on_wagers_of_all_sizes_is_as_likely_as_it_is() -> None:
    """1,500 wagers of 5 to 100 dollars on the dealer's ace high, 20,000 times: so much or more with p = 0.1 % at most comes no
    more often. Three standard errors of such a share are 0.067 %. Reckoned as 75 wagers of 100 dollars alone it came nine times
    as often: the longer the patrons' tail, the shorter the house's."""
    ends = ((0.0087, -40.0), (0.0086, -15.0), (0.0763, -5.0), (0.9064, 1.0))
    shares, wins = zip(*ends, strict=True)
    placed = {5.0: 900, 10.0: 375, 25.0: 150, 100.0: 75}
    units, sum_2, sum_3 = (sum(number * stake**power for stake, number in placed.items()) for power in (1, 2, 3))
    many = Volume(units=units, sum_2=sum_2, sum_3=sum_3, largest=100.0)
    chance = np.random.default_rng(5)
    won = sum(stake * (chance.multinomial(number, shares, 20_000) @ np.array(wins)) for stake, number in placed.items())
    times = zip(*np.unique(won, return_counts=True), strict=True)
    rare = sum(n for win, n in times if band(wager(*ends), many, float(win)).p_high <= 0.001)
    assert rare / 20_000 <= 0.001 + 0.00067


def test_losing_every_wager_is_as_likely_as_it_is() -> None:
    """Ten patrons without a hit at 1 in 20: 60 %, whatever they staked."""
    expected = wager((0.05, -18.0), (0.95, 1.0), step=19)
    many = Volume(units=55, sum_2=385, sum_3=3025, largest=10)
    assert band(expected, many, 55).p_high >= 0.95**10


def test_no_volume_is_no_question() -> None:
    with pytest.raises(ValueError, match="nothing was wagered"):
        band(LONG_SHOT, Volume(units=0, sum_2=0, sum_3=0, largest=0), 0)


# ------------------------------------------------------------------------------------------------------------ the floor


@pytest.fixture(scope="module")
def honest() -> Warehouse:
    return synthetic.warehouse(mart_against_theory=synthetic.against_theory(np.random.default_rng(1)))


def test_seats_that_end_independently_do_not_widen_the_band_by_much(honest: Warehouse) -> None:
    """1,800 rounds of 3 seats for each of 12 dealers, independent: variance of single wagers is right."""
    base = next(each for each in compare(honest, "property") if each.key["wager"] == "base")
    expected = expected_of(CHAPTER, "base", "")
    assert expected is not None
    assert base.variance_cents == pytest.approx(expected.variance * 12 * 30 * 60 * 3 * 2500**2, rel=0.05)


def test_what_hangs_on_the_dealers_hand_alone_counts_as_one_wager_of_the_round() -> None:
    marts = synthetic.against_theory(np.random.default_rng(1), dealers=1, days=2, wagers=[("ace_high_bonus", "1")])
    (row,) = compare(synthetic.warehouse(mart_against_theory=marts), "property")
    expected = expected_of(CHAPTER, "ace_high_bonus", "1")
    assert expected is not None
    assert row.variance_cents == pytest.approx(expected.variance * 120 * (3 * 2500) ** 2)


def test_few_rounds_are_answered_with_cannot_tell_and_how_many_it_takes() -> None:
    marts = synthetic.against_theory(np.random.default_rng(1), dealers=1, days=1, wagers=[("base", "")])
    (row,) = win_against_theory(synthetic.warehouse(mart_against_theory=marts), "table").iter_rows(named=True)
    assert row["verdict"] == "cannot_tell"
    assert row["rounds"] < row["rounds_needed"]
    assert row["sentence"].startswith("inconclusive: 60 rounds; to detect a difference of 5 % takes about")


def test_theoretical_win_adds_up_over_every_dimension(honest: Warehouse) -> None:
    sums = {
        by: theoretical_win(honest, by).select("handle_cents", "house_win_cents", "theoretical_win_cents").sum().row(0)
        for by in ("property", "game", "table", "dealer", "shift", "hour", "gaming_day", "month", "wager", "paytable")
    }
    for by, found in sums.items():
        assert found[:2] == sums["property"][:2], by
        assert found[2] == pytest.approx(sums["property"][2], abs=400), by


def test_a_selection_leaves_the_rest_out(honest: Warehouse) -> None:
    one = theoretical_win(honest, "dealer", Selection(dealer="d-03"))
    assert one["dealer"].to_list() == ["d-03"]
    with pytest.raises(ValueError, match="one of property, game"):
        win_against_theory(honest, "seat")


@pytest.mark.nightly
@pytest.mark.slow
def test_honest_floors_raise_no_more_alarms_than_one_report_in_a_hundred() -> None:
    """60 honest floors of 8 dealers, the Fortune Bonus with its heavy tail among the wagers: at most 3 reports with an alarm.

    At the stated rate of 1 in 100 the chance of more than 3 in 60 is 1 in 300.
    """
    alarmed = 0
    for seed in range(60):
        marts = synthetic.against_theory(np.random.default_rng(seed), dealers=8, days=2)
        alarmed += bool(win_against_theory(synthetic.warehouse(mart_against_theory=marts), "dealer")["alarm"].any())
    assert alarmed <= 3


def test_a_dealer_who_overpays_is_an_alarm_and_nobody_else_is() -> None:
    marts = synthetic.against_theory(np.random.default_rng(5), days=30, stolen={"d-04": 0.08})
    found = win_against_theory(synthetic.warehouse(mart_against_theory=marts), "dealer")
    assert set(found.filter(found["alarm"])["dealer"]) == {"d-04"}


def test_wagers_that_theory_does_not_know_are_named_and_not_judged(tmp_path: Path) -> None:
    """The sample floor's chapter is not one that this version has."""
    with reading(sample.make(tmp_path / "w")) as db:
        found = win_against_theory(db, "property")
        assert set(found["verdict"]) == {"no_theory"}
        assert theoretical_win(db, "property")["unknown_handle_cents"].item() > 0


@pytest.mark.parametrize(
    ("filed", "wager"),
    [
        ('[settings]\nfortune_pays = "best_paid"', "fortune_bonus"),
        ('[settings]\nfortune_pays = "highest_rank"', "fortune_bonus (fortune_pays = highest_rank)"),
        ("settings = { 'fortune_pays'='highest_rank' }", "fortune_bonus (fortune_pays = highest_rank)"),
        ('settings.progressive_joker = "wild"', "fortune_bonus"),
    ],
)
def test_what_is_settled_by_a_reading_that_theory_does_not_count_is_compared_with_nothing(
    tmp_path: Path, filed: str, wager: str
) -> None:
    """A lawful filing that pays otherwise is no bad luck of the house; the other wagers are compared as ever."""
    placed = [sample.settlement(1, "base", 2_500, 0, 0), sample.settlement(1, "fortune_bonus", 500, -500, -500, paytable="3")]
    judged = replace(sample.adjudication("table/fu-01", 1, placed), chapter=CHAPTER)
    rules = json.dumps({"sha256": judged.rules_digest, "submission": "x", "effective_gaming_day": "2026-03-01", "toml": filed})
    build(tmp_path / "w", [judged], (), table_events=[TableEvent(stream="table/fu-01", seq=1, type="rules_filed", payload=rules)])
    with reading(tmp_path / "w") as db:
        found = win_against_theory(db, "property")
    assert dict(zip(found["wager"], found["verdict"] == "no_theory", strict=True)) == {"base": False, wager: "(" in wager}


def test_every_reading_that_is_compared_with_nothing_can_be_filed() -> None:
    """Of the settings that change what a wager returns, those that the records of the games name, by the chapters."""
    offered = {
        (name, str(value))
        for key in known_chapters()
        for name, setting in chapter(*key.split("-", 1)).settings.items()
        for value in setting.values
        if value != setting.default
    }
    looked_for = {(setting, value) for _, setting, value in game_facts()["raw_other_readings"]}
    assert looked_for
    assert looked_for <= offered


def test_what_is_settled_together_is_expected_together() -> None:
    assert expected_of("pa-687a", "ante_blind_raise", "1") is not None
    assert expected_of("no-such", "base", "") is None


SECOND = amendment_from_words(["pa-688a", "2", "2026-03-02", "line=ace_high_bonus/1/both_ace_high/25:1"])
THIRD = amendment_from_words(["pa-688a", "3", "2026-03-03", "strike_section=13(i)"])


@pytest.mark.parametrize("published", [(SECOND, THIRD), ()], ids=["published", "text not held"])
def test_each_day_is_compared_with_the_paytable_in_force_on_it(tmp_path: Path, published: tuple[str, ...]) -> None:
    """§ 688a.12(b), paytable 1: both ace high comes 0.869044 times in a hundred and pays 20 to 1, from the second day on 25 to 1.

    Of an edition that changes more than paytables, or whose text is not held, theory knows nothing.
    """
    won = sample.settlement(1, "ace_high_bonus", 10_000_000, -10_000_000, -10_000_000, paytable="1")
    rounds = [
        replace(
            sample.adjudication("table/fu-01", number, [won]),
            chapter="pa-688a",
            gaming_day=f"2026-03-0{number}",
            edition=number,
            edition_digest="x" if number > 1 else "",
        )
        for number in (1, 2, 3)
    ]
    events = [
        TableEvent(stream="table/fu-01", seq=n, type="chapter_published", payload=json.dumps({"toml": text}))
        for n, text in enumerate(published, 1)
    ]
    build(tmp_path / "w", rounds, (), table_events=events)
    with reading(tmp_path / "w") as db:
        by_day = dict(theoretical_win(db, "gaming_day").select(pl.col("gaming_day").cast(str), "theoretical_percent").iter_rows())
        known = rules.read(simple_submission(paytables={"ace_high_bonus": "1"}), {}, "2026-03-02", published)
        told = isinstance(known, str) or rules.what_if(db, known, "ace_high_bonus", "2")
    first, second = 3.590, 3.590 - 5 * 0.869044
    expected = {"2026-03-01": first, "2026-03-02": second if published else None, "2026-03-03": None}
    assert by_day == {day: each if each is None else pytest.approx(each, abs=0.001) for day, each in expected.items()}
    assert not isinstance(told, bool)
    assert told is not None
    assert (told.wagers, round(told.advantage_percent, 3)) == (1, round(second if published else first, 3))


def test_an_edition_whose_number_does_not_tell_its_amendments_is_unknown() -> None:
    """The second takes effect after the third: a round of edition 3 was judged with it, or without."""
    late = amendment_from_words(["pa-688a", "2", "2026-03-05", "line=ace_high_bonus/1/both_ace_high/25:1"])
    early = amendment_from_words(["pa-688a", "3", "2026-03-03", "strike=fortune_bonus"])
    assert expected_of("pa-688a#3", "ace_high_bonus", "1", (late, early)) is None
    assert expected_of("pa-688a#3", "ace_high_bonus", "1", (SECOND, early)) is not None
    assert expected_of("pa-688a#3", "fortune_bonus", "1", (SECOND, early)) is None
