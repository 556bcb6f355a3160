"""Fairness: planted biases are found where they are, honest devices raise no more alarms than stated, little is "cannot tell"."""

from math import comb
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analytics.fairness.device_samples import BY_FAIRNESS
from analytics.fairness.fairness import FAMILIES, LEAST_PAIRS, fairness, fairness_counts
from analytics.statistics.exact import NORMAL, chi_square_above
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, reading
from tests.analytics import devices, synthetic
from tests.dashboards import sample


@pytest.fixture(scope="module")
def honest() -> Warehouse:
    return devices.floor(1)


def alarms(db: Warehouse, by: str = "table") -> pl.DataFrame:
    return fairness(db, by).filter(pl.col("alarm"))


def test_every_family_is_tested_and_none_alarms(honest: Warehouse) -> None:
    found = fairness(honest, "table")
    assert set(found["family"]) == set(FAMILIES) - {"number"}
    assert not found["alarm"].any()
    # 4 tables: 3 dice each, totals, lag, start, 7 positions with cards and joker, the dealer's hand, repetitions
    assert found.height == 4 * (3 + 1 + 1 + 1 + 7 + 7 + 1 + 1)


def test_a_worn_die_is_found_at_its_table_and_named() -> None:
    found = alarms(devices.floor(2, worn={"fu-02": 0.25}))
    assert set(found["table_id"]) == {"fu-02"}
    assert set(found["family"]) <= {"die", "total", "start"}
    die = found.filter(pl.col("family") == "die").row(0, named=True)
    assert die["die"] == "red"
    assert die["most_off"].startswith("6: ")
    assert "inspect the device and its record" in die["sentence"]


@pytest.mark.parametrize(("bias", "family"), [({"top": 0.2}, "joker"), ({"sticky": 0.2}, "repeat"), ({"follows": 0.35}, "lag")])
def test_a_planted_bias_is_found(bias: dict[str, float], family: str) -> None:
    found = alarms(devices.floor(3, **bias), "property")
    assert family in set(found["family"])
    if family == "joker":
        assert "dealer" in set(found["position"])


def test_a_bias_that_no_simulated_sample_reaches_is_an_alarm_in_a_large_report_too() -> None:
    """264 tests: if simulating stops (1 in 20,001) is no alarm among this many, and must not hide what is far beyond it."""
    db = devices.floor(6, tables=12, rounds=150)
    assert not fairness(db)["alarm"].any()
    pairless, pair = "1+1+1+1+1+1+1", "2+1+1+1+1+1"
    db.execute(
        """
        UPDATE mart_hands SET pattern = $to WHERE table_id = 'fu-07' AND position = 'dealer' AND pattern = $from
        """,
        {"from": pair, "to": pairless},
    )
    found = fairness(db)
    assert found["p"].drop_nulls().len() > 200
    assert found.filter(pl.col("alarm")).select("family", "table_id").rows() == [("hand", "fu-07")]


def test_power_is_stated_and_true() -> None:
    """A die that comes so much more often than it should as the report says it would find is found about four times in five."""
    db = devices.floor(4, tables=1, rounds=2_000)
    die = fairness(db, "table").filter(pl.col("family") == "die").row(0, named=True)
    tests = fairness(db, "table")["p"].drop_nulls().len()
    more = die["detectable_percent"] / 100 / 6
    chances = np.full(6, (1 - 1 / 6 - more) / 5)
    chances[5] = 1 / 6 + more
    counts = np.random.default_rng(5).multinomial(2_000, chances, size=2_000)
    statistics = ((counts - 2_000 / 6) ** 2 / (2_000 / 6)).sum(axis=1)
    found = np.mean([chi_square_above(float(value), 5) <= 0.01 / tests for value in statistics])
    assert 0.75 <= found <= 0.86


def test_a_hand_s_cards_are_drawn_without_replacement(honest: Warehouse) -> None:
    """Scaled by 52 ÷ 46, the statistic of 53 cards has the mean of its 52 degrees of freedom."""
    cards = fairness(honest, "table").filter(pl.col("family") == "card")
    assert cards["statistic"].mean() == pytest.approx(52, abs=4)  # 28 tests: standard error 1.9
    assert set(cards["freedom"]) == {52}


@pytest.mark.slow
def test_rolls_that_are_just_enough_to_test_are_as_likely_as_they_are() -> None:
    """200,000 sequences of fair rolls: p = 0.1 % or less comes no more than half as often again; after 30 pairs it came more than
    twice as often. Three standard errors of such a share are 0.021 %."""
    dice = np.random.default_rng(7).integers(1, 7, (3, LEAST_PAIRS + 1, 200_000), dtype=np.int8)
    rolls = 2 * dice.sum(axis=0, dtype=np.int32) - 21
    z = (rolls[1:] * rolls[:-1]).sum(axis=0) / (35 * LEAST_PAIRS**0.5)
    rare = (abs(z) >= NORMAL.inv_cdf(0.9995)).mean()
    assert rare <= 0.0015 + 0.00021


def test_cards_that_come_from_a_pile_to_a_seat_are_one_position_of_the_repeats() -> None:
    """California: all seven piles are dealt, and each comes to a seat; both are recorded as dealt."""
    db = devices.floor(1, tables=1)
    before = fairness(db).filter(pl.col("family") == "repeat")
    db.execute("INSERT INTO mart_repeats SELECT * REPLACE ('pile-' || (row_number() OVER ()) AS position) FROM mart_repeats")
    assert fairness(db).filter(pl.col("family") == "repeat").equals(before)


def test_the_joker_s_p_value_is_twice_the_smaller_tail() -> None:
    """100 hands of seven cards of 53, 13.2 with the joker by chance: counts on both sides, and those next to the mean."""
    db, counts = devices.floor(1, tables=1, rounds=2), range(6, 22)
    hands = pl.DataFrame(
        [
            {
                "table_id": str(seen),
                "game": "face_up_pai_gow",
                "gaming_month": synthetic.FIRST_DAY,
                "method": "automated",
                "position": "1",
                "cards": 7,
                "pattern": "",
                "joker": joker,
                "hands": number,
            }
            for seen in counts
            for joker, number in ((True, seen), (False, 100 - seen))
        ]
    )
    db.register("hands", hands.to_arrow())
    db.execute("CREATE OR REPLACE TABLE mart_hands AS SELECT * FROM hands")
    found = fairness(db).filter(pl.col("family") == "joker")
    chances = [comb(100, n) * (7 / 53) ** n * (46 / 53) ** (100 - n) for n in range(101)]
    assert dict(found.select("table_id", "p").iter_rows()) == {
        str(n): pytest.approx(min(1.0, 2 * min(sum(chances[: n + 1]), sum(chances[n:])))) for n in counts
    }


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        (dict.fromkeys(range(1, 8), 1000), "within"),
        ({n: 1000 + 400 * (n == 3) for n in range(1, 8)}, "alarm"),
        (dict.fromkeys(range(1, 11), 1000), "cannot_tell"),
    ],
)
def test_numbers_are_held_against_seven_and_beyond_that_against_nothing(numbers: dict[int, int], verdict: str) -> None:
    """Of numbers beyond 7 no one has said from how many one is drawn (D320): that they are not sevenths is no bias."""
    db = devices.floor(1, tables=1, rounds=2)
    starts = pl.DataFrame(
        [
            {
                "stream": "table/ca-01",
                "table_id": "ca-01",
                "game": "player_dealer",
                "gaming_month": synthetic.FIRST_DAY,
                "kind": "number",
                "value": str(number),
                "rounds": times,
            }
            for number, times in numbers.items()
        ]
    )
    db.register("starts", starts.to_arrow())
    db.execute("CREATE OR REPLACE TABLE mart_starts AS SELECT * FROM starts")
    [row] = fairness(db).filter(pl.col("family") == "number").iter_rows(named=True)
    assert (row["n"], row["verdict"]) == (sum(numbers.values()), verdict)
    if verdict == "cannot_tell":
        assert (row["how"], row["sentence"]) == ("no odds", "inconclusive: 10,000 observed, the expected odds are not known")


@pytest.mark.nightly
@pytest.mark.slow
def test_honest_devices_raise_no_more_alarms_than_one_report_in_a_hundred() -> None:
    """25 honest floors: more than two reports with an alarm have a chance of 1 in 500."""
    alarmed = sum(not alarms(devices.floor(seed, tables=2, rounds=120)).is_empty() for seed in range(25))
    assert alarmed <= 2


def test_little_is_answered_with_cannot_tell_and_how_large_a_bias_it_would_take(honest: Warehouse) -> None:
    few = fairness(devices.floor(1, tables=1, rounds=25))
    assert set(few.filter(pl.col("p").is_null())["sentence"]) >= {"inconclusive: 25 observed, too few to test"}
    found = fairness(honest, "property")
    by_power = found.drop_nulls("detectable_percent").filter(pl.col("p") > 0.05)
    for row in by_power.iter_rows(named=True):
        assert row["verdict"] == ("within" if row["detectable_percent"] <= 25 else "cannot_tell")


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in ("lag", "repeat")])
def test_counts_beside_what_chance_gives_add_up(honest: Warehouse, family: str) -> None:
    found = fairness_counts(honest, family, "property")
    if family == "number":
        assert found.is_empty()
        return
    sums = found.group_by("die", "position", "method").agg(pl.col("observed").sum(), pl.col("expected").sum())
    for observed, expected in sums.select("observed", "expected").iter_rows():
        assert observed == pytest.approx(expected)


@pytest.mark.parametrize("by", BY_FAIRNESS)
def test_told_apart_by(honest: Warehouse, by: str) -> None:
    found = fairness(honest, by)
    families = {"dice_set": {"die", "total", "lag"}, "deck": {"joker", "hand", "repeat"}}
    assert set(found["family"]) == families.get(by, set(FAMILIES) - {"number"})
    assert fairness(honest, by, Selection(table="none")).is_empty()


def test_what_cannot_be_asked(honest: Warehouse) -> None:
    with pytest.raises(ValueError, match="one of property, game, table, dice_set, deck"):
        fairness(honest, "dealer")
    with pytest.raises(ValueError, match="no counts of 'lag'"):
        fairness_counts(honest, "lag")


def test_the_models_give_what_is_tested(tmp_path: Path) -> None:
    """The sample floor: two rolls, 8 and 9, of one set; every position was dealt in round 17, the dealer in 18 too."""
    with reading(sample.make(tmp_path / "w")) as db:
        totals = fairness_counts(db, "total", "dice_set")
        assert totals.filter(pl.col("observed") > 0).select("dice_set", "value", "observed").rows() == [
            ("dice-7", "8", 1),
            ("dice-7", "9", 1),
        ]
        jokers = fairness_counts(db, "joker", "property").filter(pl.col("value") == "joker")
        assert dict(jokers.select("position", "observed").iter_rows()) == {
            "dealer": 1,
            "1": 0,
            "2": 0,
            "3": 0,
            "4": 0,
            "5": 0,
            "6": 0,
        }
        (again,) = db.sql("SELECT position, pairs, repeated FROM mart_repeats").fetchall()
        assert again == ("dealer", 1, 6)
        assert set(fairness(db, "property")["verdict"]) == {"cannot_tell"}
