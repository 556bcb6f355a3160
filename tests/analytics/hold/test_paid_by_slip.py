"""House win counts what theory counts: each golden line, paid as due by slip or in chips, is an end of theory (D690)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics.hold import hold, periods, reconciliation, theoretical
from analytics.theory.expectation import expectations
from analytics.warehouse.warehouse import build, reading
from replay.findings import LedgerEntry
from replay.transcript.transcript import judge
from tests.dashboards import sample
from tests.golden.rounds import round_files

FILES = [
    path
    for chapter in ("688a", "659a")
    for path in round_files(chapter)
    if path.stem.startswith(("12c_fortune_", "12b_fortune_", "12d_progressive"))
]
DUE = re.compile(r"^expect due seat=(\d) (fortune_bonus|progressive) \+([\d.]+)$", re.MULTILINE)
STAKE = r"\b{wager}\s+([\d.]+)"
PAYTABLE = r"^rules\s+(\S+)\b.*\b{wager}=(\S+)"


def cents(text: str) -> int:
    return round(float(text) * 100)


def golden_wins(path: Path) -> Iterator[tuple[str, str, int, str, str, str, int, int]]:
    """Yield title, round, seat, chapter, wager, paytable, stake and net of each golden round that one line is won in."""
    for title, _, text in (case.partition("\n") for case in path.read_text().split("\n=== ")[1:]):
        body = "\n".join(line for line in text.split("\n") if not line.startswith(("expect", "#")))
        won = DUE.findall(text)
        alone = len(won) == 1 and not re.search(r"^(pay|take|return|collect|set|void|close|order|max)\b", body, re.MULTILINE)
        if not alone or body.count("rules ") != 1 or "max_payout" in body:
            continue
        ((seat, wager, net),) = won
        stake = re.search(rf"^wager\s+seat={seat}\b.*?{STAKE.format(wager=wager)}", body, re.MULTILINE)
        rules = re.search(PAYTABLE.format(wager=wager), body, re.MULTILINE)
        if stake is not None and rules is not None:
            yield title, body, int(seat), rules[1], wager, rules[2], cents(stake[1]), cents(net)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
@pytest.mark.parametrize("how", ["slip", "inventory"])
def test_688a_12_a_line_paid_as_due_is_an_end_of_theory(path: Path, how: str) -> None:
    tried = 0
    for title, body, seat, chapter, wager, paytable, stake, net in golden_wins(path):
        expected = expectations(chapter).get((wager, paytable))
        if expected is None:
            continue
        for winnings in (net + stake, net):  # without the stake, or next to it
            text = f"{body}\npay seat={seat} {wager} {winnings / 100:.2f} {how}\n"
            made = judge(text, title)[0].conclusion.settlements
            (settled,) = [each for each in made if (each.seat, each.wager) == (seat, wager)]
            if settled.done_cents == net:
                break
        assert settled.done_cents == net, title
        house_win = (settled.meter_cents - settled.done_cents) / stake
        assert house_win in [pytest.approx(win, abs=1e-9) for _, win in expected.ends], (title, house_win)
        tried += 1
    assert tried >= 3


ENTRIES = [("opener", 10_000_00), ("closer", 10_005_00), ("drop", 0)]


def test_a_fortune_bonus_paid_by_slip_is_house_win_and_takes_no_chips_from_the_tray(tmp_path: Path) -> None:
    """
    Seat 1 wins $40,000.00 on Fortune by slip, seat 2 loses $5.00, seat 3 wins $1,000.00 of a meter by slip.

    House win: -40,000.00 + 5.00 = -39,995.00, and the stake of the meter's winner, 1.00. The tray has $6.00 more by the
    record, and was counted with $5.00 more: $1.00 is missing.
    """
    rounds = [
        sample.adjudication(
            "table/fu-01",
            1,
            [
                sample.settlement(1, "fortune_bonus", 500, 4_000_000, 4_000_000, "straight", paytable="1", slip=4_000_000),
                sample.settlement(2, "fortune_bonus", 500, -500, -500, "lose", paytable="1"),
                sample.settlement(3, "progressive", 100, 99_900, 99_900, "five_aces", paytable="1", slip=100_000),
            ],
            [sample.finding("table/fu-01", 1, "WAGER-PROGRESSIVE", None, "progressive", None, "1 chip", "0 chips")],
        )
    ]
    ledger = [
        LedgerEntry(stream="table/fu-01", seq=number, gaming_day=sample.DAY_2, kind=kind, amount_cents=amount, reference="")
        for number, (kind, amount) in enumerate(ENTRIES, 1)
    ]
    path = tmp_path / "warehouse.duckdb"
    build(path, adjudications=rounds, ledger=ledger, facts=sample.FACTS)
    with reading(path) as db:
        (total,) = hold.hold_by(db, "game").iter_rows(named=True)
        assert (total["house_win_cents"], total["from_meter_cents"]) == (-3_999_400, 100_000)
        assert total["handle_cents"] - total["payouts_cents"] == total["house_win_cents"]
        (tray,) = periods.tray_differences(db).iter_rows(named=True)
        assert (tray["not_from_tray_cents"], tray["difference_cents"]) == (4_000_000, -100)
        assert (tray["unsettled"], tray["chips_not_collected"]) == (0, 1)
        (row,) = reconciliation.reconciliation(db).iter_rows(named=True)
        terms = ("house_win_cents", "not_from_tray_cents", "box_less_buy_ins_cents", "tray_difference_cents")
        assert sum(row[name] for name in terms) - row["uncounted_house_win_cents"] == row["win_cents"] == 500
        assert row["tray_difference_cents"] == -100


def test_what_no_theory_covers_and_what_no_count_shows_is_unknown_and_not_zero(tmp_path: Path) -> None:
    """One wager without a filed paytable on a day without any count: its house win of $5.00 is all that is known."""
    path = tmp_path / "warehouse.duckdb"
    lost = sample.adjudication("table/fu-01", 1, [sample.settlement(1, "base", 500, -500, -500)])
    build(path, adjudications=[lost], ledger=[], facts=sample.FACTS)
    with reading(path) as db:
        (of_theory,) = theoretical.theoretical_win(db, "table", bands=True).iter_rows(named=True)
        names = ("theoretical_win_cents", "difference_cents", "low_95_cents", "theoretical_percent")
        assert [of_theory[name] for name in names] == [None] * 4
        assert (of_theory["handle_cents"], of_theory["unknown_house_win_cents"]) == (0, 500)
        (row,) = reconciliation.reconciliation(db).iter_rows(named=True)
        counted = ("not_from_tray_cents", "box_less_buy_ins_cents", "tray_difference_cents", "win_cents")
        assert [row[name] for name in counted] == [None] * 4
        assert (row["house_win_cents"], row["uncounted_house_win_cents"]) == (500, 500)


@pytest.mark.parametrize(("with_round", "differences"), [(True, 1), (False, 0)], ids=["recorded", "counts only"])
def test_a_table_of_which_only_counts_are_recorded_has_no_tray_difference(
    tmp_path: Path, with_round: bool, differences: int
) -> None:
    made = [sample.adjudication("table/fu-01", 1, [sample.settlement(1, "base", 500, -500, -500)])] if with_round else []
    ledger = [
        LedgerEntry(stream="table/fu-01", seq=number, gaming_day=sample.DAY_2, kind=kind, amount_cents=cents, reference="")
        for number, (kind, cents) in enumerate((("opener", 10_000_00), ("closer", 12_000_00), ("drop", 900_00)), 1)
    ]
    path = tmp_path / "warehouse.duckdb"
    build(path, adjudications=made, ledger=ledger, facts=sample.FACTS)
    with reading(path) as db:
        assert periods.tray_differences(db).height == differences


@pytest.mark.parametrize(
    ("left", "moved"),
    [
        ("take seat=4 base 40.00 lost\n", True),
        ("return seat=4 base 40.00 push\n", True),
        ("pay seat=4 base 38.00\n", True),
        ("", False),
    ],
    ids=["taken", "returned", "paid", "left lying"],
)
def test_d691_what_was_not_taken_paid_or_returned_is_not_settled(tmp_path: Path, left: str, moved: bool) -> None:
    """Seat 3's $25.00 is returned; seat 4's $40.00 is a figure of money if, and only if, something was done with it."""
    text = (
        "rules pa-688a\nwager seat=3 base 25.00\nwager seat=4 base 40.00\n"
        "deal dealer=Kh Kd Jc 9h 8c 5d 2c seat3=2s 2h 5c 7d Tc Qs Ks seat4=Ad 6s 6c 9d Jh 4c 3s\n"
        f"return seat=3 base 25.00 push\n{left}close\n"
    )
    made = judge(text, "test")[0].conclusion.settlements
    assert [each.moved for each in made] == [True, moved]
    path = tmp_path / "warehouse.duckdb"
    build(path, adjudications=[sample.adjudication("table/fu-01", 1, made)], ledger=(), facts=sample.FACTS)
    with reading(path) as db:
        (total,) = hold.hold_by(db, "game").iter_rows(named=True)
    assert (total["unsettled"], total["handle_cents"]) == ((0, 65_00) if moved else (1, 25_00))
    assert total["handle_cents"] - total["payouts_cents"] == total["house_win_cents"]


def test_a_voided_side_wager_has_the_paytable_that_is_filed_for_it() -> None:
    """A wager of no paytable would be one more paytable in take-up."""
    text = (
        "rules pa-688a fortune_bonus=3\nwager seat=3 base 25.00 fortune_bonus 5.00\n"
        "deal dealer=Kh Kd Jc 9h 8c 5d 2c seat3=2s 2h 5c 7d Tc Qs\n"
        "void round wrong_count\nreturn seat=3 base 25.00 void\nreturn seat=3 fortune_bonus 5.00 void\nclose\n"
    )
    made = {each.wager: each for each in judge(text, "test")[0].conclusion.settlements}
    assert (made["fortune_bonus"].line, made["fortune_bonus"].paytable) == ("void", "3")
    assert made["base"].paytable == ""
