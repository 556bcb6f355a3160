"""Mistakes: rates by hand on the sample floor, recurring errors on synthetic floors, and how codes stood up."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from analytics.errors.dealer_errors import (
    BY_MISTAKES,
    error_prone_rules,
    error_rates,
    false_alarms,
    findings_behind,
    time_to_detection,
)
from analytics.errors.patterns import repeat_patterns
from analytics.warehouse.loading import ReviewTimes
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, build, reading
from replay.findings import NOTHING_SETTLED, Settlement
from tests.analytics import synthetic
from tests.dashboards import sample

MINUTE = 60_000_000


def by(db: Warehouse, name: str, **how: Any) -> dict[Any, dict[str, Any]]:
    return {row[row_key(name)]: row for row in error_rates(db, name, **how).iter_rows(named=True)}


def row_key(name: str) -> str:
    return {"table": "table_id"}.get(name, name)


def test_rounds_of_which_no_settlement_is_on_record_are_not_judged(tmp_path: Path) -> None:
    """
    Nine rounds settled as due, one underpaid; eight of which nothing is on record of how they were settled: 1 of 13.

    One more is a variance (something else was found in it), and was judged; of another one, one wager was settled. In one
    no rules were in force, so that nothing could be settled; in another nothing was at stake, and it was judged.
    """

    def settled(*done: int | None) -> list[Settlement]:
        return [sample.settlement(seat, "base", 500, -500, cents) for seat, cents in enumerate(done, 1)]

    table, cut = "table/fu-01", ("DEAL-CUT", None, None, None, "a cut", "none")
    short = sample.finding(table, 10, "PAY-UNDER", 1, "base", -500, "$5.00", "nothing")
    rounds = [sample.adjudication(table, number, settled(-500, -500)) for number in range(1, 10)]
    rounds.append(sample.adjudication(table, 10, settled(-1000, -500), [short]))
    rounds += [
        sample.adjudication(table, number, settled(None, None), verdict="UNDETERMINED", undetermined=(NOTHING_SETTLED,))
        for number in range(11, 19)
    ]
    rounds.append(sample.adjudication(table, 19, settled(None, None), [sample.finding(table, 19, *cut)]))
    rounds.append(sample.adjudication(table, 20, settled(-500, None)))
    rounds.append(sample.adjudication(table, 21, [], verdict="UNDETERMINED", undetermined=("no rules are in force",)))
    rounds.append(sample.adjudication(table, 22, []))
    path = tmp_path / "warehouse.duckdb"
    build(path, adjudications=rounds, ledger=(), facts=sample.FACTS)
    with reading(path) as db:
        (dealer,) = error_rates(db).iter_rows(named=True)
        assert (dealer["rounds"], dealer["rounds_wrong"], dealer["wagers"]) == (13, 1, 24)
        (seat, _) = error_rates(db, "seat").sort("seat").iter_rows(named=True)
        assert (seat["rounds"], seat["rounds_wrong"], seat["wagers"]) == (12, 1, 12)
        assert error_prone_rules(db)["rounds"].to_list() == [13, 13]
        assert db.execute("SELECT sum(rounds) FROM mart_pace").fetchone() == (22,)


def test_rates_of_dealers_by_hand(db: Warehouse) -> None:
    """
    d-07 dealt rounds 15 to 19: PAY-UNDER 100.00 in 17, PAY-MISSED 25.00 in 18: 2 of 5 rounds, 20 wagers.
    d-11 dealt 1, 3 and 4 of FU-02: PAY-OVER 40.00 and DEAL-SHAKE without money in 4. d-12: two findings, no money.
    """
    rows = by(db, "dealer")
    one = rows["d-07"]
    assert (one["findings"], one["mispayments"], one["overpaid_cents"], one["underpaid_cents"]) == (2, 2, 0, 12_500)
    assert (one["rounds"], one["wagers"], one["rounds_wrong"]) == (5, 20, 2)
    assert (one["per_1000_rounds"], one["per_1000_wagers"]) == (400.0, 100.0)
    # Clopper and Pearson (1934), 2 of 5: 0.0527 to 0.8534
    assert (one["per_1000_rounds_low"], one["per_1000_rounds_high"]) == (
        pytest.approx(52.7, abs=0.1),
        pytest.approx(853.4, abs=0.1),
    )
    assert one["expected"] == pytest.approx(5 * 3 / 10)
    assert (rows["d-11"]["findings"], rows["d-11"]["mispayments"], rows["d-11"]["overpaid_cents"]) == (2, 1, 4_000)
    assert (rows["d-12"]["findings"], rows["d-12"]["counted"]) == (2, 0)
    assert by(db, "dealer", money_only=False)["d-12"]["counted"] == 2


@pytest.mark.parametrize("money_only", [True, False])
@pytest.mark.parametrize("name", BY_MISTAKES)
def test_of_a_thousand_rounds_never_more_than_a_thousand_go_wrong(db: Warehouse, name: str, money_only: bool) -> None:
    found = error_rates(db, name, money_only=money_only).drop_nulls("per_1000_rounds_high")
    assert not found.is_empty()
    for low, rate, high in found.select("per_1000_rounds_low", "per_1000_rounds", "per_1000_rounds_high").iter_rows():
        assert 0 <= low <= rate + 1e-9 <= high + 2e-9
        assert high <= 1000
    wagers = found.select("per_1000_wagers_low", "per_1000_wagers", "per_1000_wagers_high").drop_nulls()
    assert all(low <= rate + 1e-9 <= high + 2e-9 for low, rate, high in wagers.iter_rows())


def test_of_a_rule_the_interval_is_that_of_the_rounds_it_went_wrong_in(db: Warehouse) -> None:
    rules = error_prone_rules(db)
    assert not rules.is_empty()
    for row in rules.iter_rows(named=True):
        assert row["per_1000_rounds_low"] <= row["per_1000_rounds"] <= row["per_1000_rounds_high"]
        assert row["per_1000_rounds_high"] <= 1000 * max(1, row["findings"])


@pytest.mark.parametrize("name", BY_MISTAKES)
def test_whatever_tells_them_apart_the_money_is_the_same(db: Warehouse, name: str) -> None:
    frame = error_rates(db, name)
    assert (frame["overpaid_cents"].sum(), frame["underpaid_cents"].sum()) == (4_000, 12_500)
    assert not frame["look"].any()
    if name not in ("code", "property", "game"):
        assert frame["expected"].sum() == pytest.approx(frame["rounds_wrong"].sum())


def test_what_a_meter_s_own_record_shows_is_no_table_s_mistake(tmp_path: Path) -> None:
    """It names a round by its number, and no table, game or dealer."""
    of_meter = sample.finding("meter/link", 17, "PAY-METER", 4, "progressive", 700, "1,000.00", "1,007.00")
    build(tmp_path / "w", sample.adjudications(), (), stream_findings=[of_meter], facts=sample.FACTS)
    with reading(tmp_path / "w") as db:
        assert db.sql("SELECT count(*) FROM fct_findings WHERE code = 'PAY-METER'").fetchall() == [(1,)]
        for name in BY_MISTAKES:
            assert error_rates(db, name)["overpaid_cents"].sum() == 4_000
            assert time_to_detection(db, name)["findings"].sum() == 6
        assert "PAY-METER" not in {*error_prone_rules(db)["code"], *findings_behind(db)["code"]}


def test_a_selection_and_an_empty_floor(db: Warehouse) -> None:
    assert by(db, "code", selection=Selection(dealer="d-11")).keys() == {"PAY-OVER", "DEAL-SHAKE"}
    nobody = Selection(dealer="nobody")
    for name in BY_MISTAKES:
        assert error_rates(db, name, nobody).is_empty()
    assert repeat_patterns(db, nobody).is_empty()
    assert error_prone_rules(db, nobody).is_empty()
    assert time_to_detection(db, "code", nobody).is_empty()
    with pytest.raises(ValueError, match="one of property, dealer"):
        error_rates(db, "paytable")


def test_rules_that_are_got_wrong(db: Warehouse) -> None:
    frame = error_prone_rules(db)
    assert set(frame["code"]) == {"PAY-UNDER", "PAY-OVER", "PAY-MISSED", "DEAL-SHAKE", "WAGER-LIMIT", "PAY-SOURCE"}
    assert set(frame["dealers"]) == {1}
    assert set(frame["rounds"]) == {10}
    assert findings_behind(db, code="PAY-UNDER")["difference_cents"].to_list() == [-10_000]


def test_time_from_the_event_to_the_round_s_end_to_review_to_disposition(tmp_path: Path) -> None:
    """Round 17 ends at 21:15:30; it is shown by event 1246, 45 × 1.5 s after 21:14:00; noted at 21:20:30, settled at 21:45:30."""
    opened = sample.EVENING + 14 * MINUTE
    closed = opened + 90 * sample.SECOND
    reviewed = ReviewTimes(
        finding_id=sample.DISPUTE.id,
        state="resolved",
        assigned_to=None,
        disposition="confirmed_paid_patron",
        amount_cents=10_000,
        first_at_us=closed + 5 * MINUTE,
        settled_at_us=closed + 30 * MINUTE,
    )
    build(tmp_path / "w", sample.adjudications(), (), sample.rounds_events(), reviews=[reviewed], facts=sample.FACTS)
    shown_after = (sample.PAID_SEQ - sample.DISPUTE_FIRST_SEQ) * 1.5
    with reading(tmp_path / "w") as db:
        row = time_to_detection(db, "code").filter(pl.col("code") == "PAY-UNDER").row(0, named=True)
        waiting = time_to_detection(db, "property").row(0, named=True)
    assert row["to_close_seconds"] == pytest.approx(90 - shown_after)
    assert (row["to_review_seconds"], row["to_disposition_seconds"]) == (300.0, 1800.0)
    assert (waiting["findings"], waiting["reviewed"], waiting["waiting"]) == (6, 1, 5)


@pytest.mark.parametrize(
    ("state", "disposition", "counts"),
    [
        ("resolved", "false_alarm", False),
        ("resolved", "record_wrong", False),
        ("resolved", "duplicate", False),
        ("awaiting_signature", "false_alarm", True),
        ("resolved", "confirmed_coached", True),
        ("resolved", "cannot_tell", True),
        ("open", None, True),
    ],
)
def test_d692_what_was_resolved_as_no_fault_is_no_error_of_the_dealer(
    tmp_path: Path, state: str, disposition: str | None, counts: bool
) -> None:
    reviewed = ReviewTimes(
        finding_id=sample.DISPUTE.id,
        state=state,
        assigned_to=None,
        disposition=disposition,
        amount_cents=None,
        first_at_us=sample.EVENING,
        settled_at_us=sample.EVENING if disposition else None,
    )
    build(tmp_path / "w", sample.adjudications(), (), sample.rounds_events(), reviews=[reviewed], facts=sample.FACTS)
    with reading(tmp_path / "w") as db:
        rates = error_rates(db, "code", money_only=False)
        assert ("PAY-UNDER" in rates["code"].to_list()) == counts
        assert ("PAY-UNDER" in error_prone_rules(db)["code"].to_list()) == counts
        assert bool(findings_behind(db, code="PAY-UNDER").height) == counts


def test_false_alarms_by_code_and_findings_that_a_correction_took_back(tmp_path: Path) -> None:
    """Four are disposed of: a false alarm, a wrong record, two confirmed; one more is a duplicate: 50 %, 6.8 to 93.2."""
    found = [sample.finding("table/a", n, "PAY-UNDER", 1, "base", -100, "", "", evidence=(n,)) for n in range(1, 6)]
    said = ("false_alarm", "record_wrong", "confirmed_coached", "confirmed_paid_patron", "duplicate")
    reviews = [
        ReviewTimes(
            finding_id=f.id, state="resolved", assigned_to=None, disposition=d, amount_cents=None, first_at_us=1, settled_at_us=2
        )
        for f, d in zip(found, said, strict=True)
    ]
    rounds = [sample.adjudication("table/a", f.round_no or 0, [], [f]) for f in found]
    late = sample.finding("table/a", 6, "WAGER-LATE", 1, "base", None, "", "", evidence=(6,))
    moved = sample.finding("table/a", 7, "PAY-OVER", 1, "base", 100, "", "", evidence=(7,))
    again = sample.finding("table/a", 7, "PAY-OVER", 1, "base", 200, "", "", evidence=(7, 8))
    rounds += [
        sample.adjudication("table/a", 6, [], [late]),
        sample.adjudication("table/a", 6, [], revision=2, withdrawn=(late.id,)),
        sample.adjudication("table/a", 7, [], [moved]),
        sample.adjudication("table/a", 7, [], [again], revision=2),
    ]
    build(tmp_path / "w", rounds, (), reviews=reviews)
    with reading(tmp_path / "w") as db:
        rows = {row["code"]: row for row in false_alarms(db).iter_rows(named=True)}
    under = rows["PAY-UNDER"]
    assert (under["findings"], under["disposed"], under["duplicates"], under["confirmed"]) == (5, 4, 1, 2)
    assert (under["false_alarms"], under["record_wrong"], under["false_alarm_percent"]) == (1, 1, 50.0)
    assert (under["low_percent"], under["high_percent"]) == (pytest.approx(6.76, abs=0.01), pytest.approx(93.24, abs=0.01))
    assert (rows["WAGER-LATE"]["withdrawn"], rows["WAGER-LATE"]["findings"]) == (1, 0)
    assert (rows["PAY-OVER"]["withdrawn"], rows["PAY-OVER"]["findings"]) == (0, 1)
    assert rows["PAY-OVER"]["false_alarm_percent"] is None


# --------------------------------------------------------------------------------------------------------- repetitions


def month(
    random: np.random.Generator,
    *,
    wrong: float = 0.01,
    stealing: dict[tuple[str, str], float] | None = None,
    rounds: int = 12_000,
) -> Warehouse:
    """A month of 8 dealers and 30 patrons, two in a round; a round goes wrong now and then, for one of them or
    for both; `stealing`: (dealer, patron) → how often the patron is overpaid besides."""
    dealers = np.array([f"d-{n:02d}" for n in range(8)])[random.integers(0, 8, rounds)]
    weights = np.arange(1, 31) / np.arange(1, 31).sum()
    first = random.choice(30, rounds, p=weights)
    second = (first + random.integers(1, 30, rounds)) % 30
    findings, played = [], []
    for n in range(rounds):
        seated = [f"p-{first[n]}", f"p-{second[n]}"]
        played += [(dealers[n], patron) for patron in seated]
        hit: list[tuple[str, int]] = []
        if random.random() < wrong:
            cents = 2500 if random.random() < 0.5 else -2500
            hit = [(patron, cents) for patron in (seated if random.random() < 0.3 else [seated[random.integers(0, 2)]])]
        hit += [(p, 10_000) for p in seated if random.random() < (stealing or {}).get((str(dealers[n]), p), 0.0)]
        findings += [
            {
                "stream": "table/a",
                "table_id": "a",
                "round_no": n,
                "game": "g",
                "shift": "day",
                "dealer": dealers[n],
                "gaming_day": synthetic.FIRST_DAY,
                "code": "PAY-OVER",
                "bettor": patron,
                "difference_cents": cents,
                "seat": seat,
                "overpaid_cents": max(cents, 0),
                "underpaid_cents": max(-cents, 0),
            }
            for seat, (patron, cents) in enumerate(hit)
        ]
    same = [
        pl.lit("table/a").alias("stream"),
        pl.lit("a").alias("table_id"),
        pl.lit("g").alias("game"),
        pl.lit("day").alias("shift"),
        pl.lit(synthetic.FIRST_DAY).alias("gaming_day"),
    ]
    pairs = pl.DataFrame(played, schema=["dealer", "bettor"], orient="row")
    bettors = pairs.group_by("dealer", "bettor").agg(pl.len().cast(pl.Int64).alias("wagers")).with_columns(same)
    pace = pl.DataFrame({"dealer": dealers}).group_by("dealer").agg(pl.len().cast(pl.Int64).alias("rounds"))
    pace = pace.with_columns(*same, (2 * pl.col("rounds")).alias("wagers"), pl.lit(1).alias("hour"))
    judged = [pl.col(name).alias(f"judged_{name}") for name in ("rounds", "wagers")]
    return synthetic.warehouse(fct_findings=pl.DataFrame(findings), mart_bettors=bettors, mart_pace=pace.with_columns(judged))


def test_a_dealer_who_overpays_one_patron_is_where_to_look_and_nobody_is_accused() -> None:
    db = month(np.random.default_rng(7), stealing={("d-03", "p-20"): 0.1})
    frame = repeat_patterns(db)
    looked = frame.filter(pl.col("look"))
    assert ("dealer_patron", "overpaid", "d-03", "p-20") in looked.select("kind", "direction", "dealer", "bettor").rows()
    assert set(looked["direction"]) == {"overpaid"}
    assert set(looked["dealer"].drop_nulls()) == {"d-03"}
    assert set(looked["bettor"].drop_nulls()) == {"p-20"}
    for sentence in frame["sentence"]:
        assert sentence.endswith("the cause is not known")
        assert not {"theft", "steal", "fraud", "cheat", "guilty", "suspect"} & set(sentence.lower().split())


def test_rounds_in_which_nobody_was_tapped_in_are_no_dealer_s() -> None:
    """They count among everybody's, and no pattern is made of what they have in common."""
    known = month(np.random.default_rng(7), stealing={("d-03", "p-20"): 0.1})
    frame = repeat_patterns(known)
    known.execute("UPDATE fct_findings SET dealer = '' WHERE dealer = 'd-03'")
    known.execute("UPDATE mart_bettors SET dealer = '' WHERE dealer = 'd-03'")
    unnamed = repeat_patterns(known)
    assert set(unnamed["dealer"].drop_nulls()) == set(frame["dealer"].drop_nulls()) - {"d-03"}
    kept = pl.col("dealer").is_null() | (pl.col("dealer") != "d-03")
    shown = ["kind", "direction", "dealer", "bettor", "times", "of", "expected"]
    assert unnamed.select(shown).sort(shown).rows() == frame.filter(kept).select(shown).sort(shown).rows()


def test_a_dealer_who_errs_thrice_as_often_stands_out_and_the_others_do_not() -> None:
    db = month(np.random.default_rng(8), stealing={("d-05", f"p-{n}"): 0.012 for n in range(30)})
    frame = error_rates(db, "dealer")
    assert frame.filter(pl.col("look"))["dealer"].to_list() == ["d-05"]


@pytest.mark.slow
def test_honest_months_say_look_here_no_more_often_than_stated() -> None:
    """Two reports of 20 months, each at 1 in 100 or less: more than 3 in 40 has a chance of 1 in 1,400."""
    looked = 0
    for seed in range(20):
        db = month(np.random.default_rng(seed), wrong=0.02, rounds=6_000)
        looked += bool(repeat_patterns(db)["look"].any()) + bool(error_rates(db, "dealer")["look"].any())
    assert looked <= 3
