"""The figures of an analysis: as files that are complete and on record, and with the SQL that made them; the period before."""

import csv
import io
from datetime import date
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

from analytics.hold import figure_detail, hold
from analytics.warehouse.selection import Selection
from analytics.warehouse.statements import recorded_statements
from analytics.warehouse.warehouse import build, reading
from dashboards.analysis import figures
from dashboards.analysis.hold_wagers import beside_theory
from dashboards.drawing.charts import against_theory_chart, drift_chart, house_win_chart, rates_chart
from desk.review.desk import desk_at
from tests.analytics.counts import DAYS, DROP, entry, month, opened_for
from tests.dashboards import plotted, sample
from tests.dashboards.exporting import floor_of_many, recorded, saved
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, press, run, said, start, unfold

COMPARED = {"from": "2026-03-06", "to": "2026-03-06", "compare": "true"}


@pytest.fixture
def floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    return floor_of_many(tmp_path, monkeypatch)


def test_an_analyst_takes_every_wager_away_and_the_log_has_the_digest(floor: Living) -> None:
    """Sixty rounds of two wagers: a page shows 100, the file has 120, and no column of people."""
    log_in("a.nalyst@bellwether.example", "analyst")
    test = start("hold", view="behind")
    unfold(test, "Export and SQL")
    test.selectbox(key="export-figures").set_value("Wagers in detail").run()
    assert recorded(floor) == []
    file = saved(press(test, "Export CSV"))
    assert file is not None
    rows = list(csv.DictReader(io.StringIO(file.data.decode())))
    assert len(rows) == 120
    assert {(row["wager"], row["staked_cents"], row["house_win_cents"]) for row in rows} >= {("ace_high_bonus", "1000", "-10000")}
    assert not {"dealer", "bettor"} & set(rows[0])
    (event,) = recorded(floor)
    assert (event.what, event.format, event.by, event.digest) == (
        "table",
        "csv",
        "a.nalyst@bellwether.example",
        sha256(file.data).hexdigest(),
    )


def test_what_is_on_view_is_in_the_file_with_every_column_of_it(floor: Living) -> None:
    """The table by wager shows theory and its band next to the house win; so does the file that is offered first."""
    log_in("s.lee", "auditor")
    test = start("hold", view="wagers", by="wager")
    unfold(test, "Export and SQL")
    file = saved(press(test, "Export CSV"))
    assert file is not None
    columns = set(file.data.decode().splitlines()[0].split(","))
    assert columns >= {"house_win_cents", "theoretical_percent", "low_95_percent", "high_95_percent"}


def test_the_period_before_is_in_the_file_of_a_comparison(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[figures.Figure] = []
    monkeypatch.setattr(figures, "_offer_files", lambda figure, selection: shown.append(figure))
    test = run("hold", warehouse, monkeypatch, view="wagers", by="wager", **COMPARED)
    unfold(test, "Export and SQL")
    page = said(test)
    assert page.count("before: ") == 4, "handle, payouts, house win and its share"
    with reading(warehouse) as db:
        prior = hold.hold_by(db, "game", Selection(first=date(2026, 3, 5), last=date(2026, 3, 5)))
    assert f"before: ${prior['handle_cents'].sum() / 100:,.2f}" in page
    assert shown[-1].title == "House win by wager"
    assert {"prior_percent", "change_points", "theoretical_percent"} <= set(shown[-1].rows.columns)
    of_house_win = [each.parameters for each in shown[-1].statements if "house_win_cents" in each.sql]
    assert {str(each["first"]) for each in of_house_win} == {"2026-03-05", "2026-03-06"}


@pytest.mark.parametrize(
    ("view", "title"), [("counted", "By table and month"), ("behind", "Wagers in detail"), ("wagers", "House win by wager")]
)
def test_the_table_of_a_view_is_offered_before_its_totals(floor: Living, view: str, title: str) -> None:
    test = start("hold", view=view)
    unfold(test, "Export and SQL")
    assert test.selectbox(key="export-figures").value == title


def test_parquet_has_the_figures_of_the_command(floor: Living) -> None:
    log_in("s.lee", "auditor")
    test = start("hold", view="wagers", by="wager")
    unfold(test, "Export and SQL")
    test.selectbox(key="export-figures").set_value("House win by wager").run()
    file = saved(press(test, "Export Parquet"))
    assert file is not None
    with reading(floor.warehouse) as db:
        figures_of_command = hold.hold_by(db, "wager")
        assert pl.read_parquet(io.BytesIO(file.data)).select(figures_of_command.columns).equals(figures_of_command)


def test_another_part_of_the_floor_is_another_export(floor: Living) -> None:
    log_in("s.lee", "auditor")
    test = start("hold", view="pace")
    unfold(test, "Export and SQL")
    assert saved(press(test, "Export CSV")) is not None
    test.selectbox(key="choose-game").set_value("face_up_pai_gow").run()
    assert saved(test) is None


@pytest.mark.parametrize("role", ["administrator", None])
def test_who_may_not_export_cannot(floor: Living, role: str | None) -> None:
    if role:
        log_in("a.dmin", role)
    test = start("hold")
    unfold(test, "Export and SQL")
    (button,) = (each for each in test.button if each.label == "Export CSV")
    assert button.disabled
    assert "may not export figures" in str(button.help)
    figure = figures.Figure("Totals", pl.DataFrame({"a": [1]}), [], None)
    assert figures._export(figure, "csv", Selection()) is None  # as a forged message would have it
    assert recorded(floor) == []


def test_nothing_leaves_where_it_cannot_be_recorded(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.log.turn.TURN_WAIT_S", 0.1)
    log_in("s.lee", "auditor")
    test = start("hold")
    unfold(test, "Export and SQL")
    with desk_at(floor.log) as at, at.log.turn():
        press(test, "Export CSV")
    assert "Nothing was exported: the export cannot be recorded" in said(test)
    assert saved(test) is None


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1"])
def test_numbers_stay_numbers_and_no_text_is_computed(text: str) -> None:
    rows = pl.DataFrame({"why": [text], "win_cents": [-5], "p": [0.25], "none": [None], "list": [["a"]]})
    (line,) = csv.DictReader(io.StringIO(figures.as_file(rows, "csv").decode("utf-8-sig"), newline=""))
    assert line == {"why": f"'{text}", "win_cents": "-5", "p": "0.25", "none": "", "list": '["a"]'}


def test_the_sql_on_the_page_is_what_ran(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("hold", warehouse, monkeypatch, view="wagers", by="table", table="fu-01")
    unfold(test, "Export and SQL")
    test.selectbox(key="export-figures").set_value("House win by table").run()
    with reading(warehouse) as db, recorded_statements() as statements:
        hold.hold_by(db, "table", Selection(table="fu-01"))
    shown = [element.value for element in test.code]
    assert shown[:2] == [statements[0].sql, figures.values(statements[0])], "those of theory follow"
    assert '"table": "fu-01"' in shown[1]


def test_what_is_shown_of_a_shift_and_hour_are_its_wagers(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("hold", warehouse, monkeypatch, view="wagers", by="shift"))
    assert 'href="hold?view=behind&amp;shift=swing"' in page
    with reading(warehouse) as db:
        count = figure_detail.sums_behind(db, Selection(shift="swing"))["wagers"].item()
    page = said(run("hold", warehouse, monkeypatch, view="behind", shift="swing", hour="99"))
    assert f"shift swing. {count} wagers" in page


def test_the_period_before_stands_beside_each_figure(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("hold", warehouse, monkeypatch, **COMPARED)
    unfold(test, "inconclusive table")
    page = said(test)
    for words in ("Fri 6 Mar 2026, compared with Thu 5 Mar 2026", "before: $3,900.00", "Change of hold %", "−2.0"):
        assert words in page, words
    page = said(run("hold", warehouse, monkeypatch, view="wagers", **COMPARED))
    assert all(words in page for words in ("Before", "Change"))
    assert "Change of the rate" in said(run("dealers", warehouse, monkeypatch, **COMPARED))


def test_win_and_house_win_are_reconciled_on_the_page(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FU-01 on the 5th: $75.00 of the wagers and $2,325.00 of chips beyond those due are the $2,400.00 counted."""
    page = said(run("hold", warehouse, monkeypatch, table="fu-01", **{"from": "2026-03-05", "to": "2026-03-05"}))
    assert "<dt>House win of the wagers</dt><dd>$75.00</dd>" in page
    assert "<dt>Unexplained tray variance</dt><dd>+$2,325.00</dd><dt>Win</dt><dd>$2,400.00</dd>" in page


def test_d870_d871_a_house_without_wagers_on_record_sees_dashes_and_the_drop_that_was_entered_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = entry("fu-01", 500, DAYS[0], "drop", DROP, "b-1")
    path = tmp_path / "w"
    build(path, (), [*month("fu-01"), twice], table_events=[opened_for("fu-01", "over_under")], facts=sample.FACTS)
    test = run("hold", path, monkeypatch, table="fu-01")
    unfold(test, "Counts by table day")
    unfold(test, "Every count")
    page = said(test)
    assert "Reconciles to the cent" not in page
    assert "Wagers are not recorded at these tables: their trays can only be compared with drop" in page
    assert "1 drop entered twice" in page
    assert page.count("1 entry repeated") == 2  # of the month, and of the table day
    assert "same as event 13" in page
    assert page.count('data-label="Handle">–') == page.count('data-label="House win">–') == 1
    page = said(run("hold", path, monkeypatch, view="wagers"))
    assert "No wagers are on record for 30 of 30 table days" in page
    assert "$0.00" not in page


@pytest.mark.parametrize(("first", "last"), [("2026-02-30", "2026-03-01"), ("2026-03-06", "2026-03-05"), ("2026-03-06", "")])
def test_days_that_are_none_mean_all(warehouse: Path, monkeypatch: pytest.MonkeyPatch, first: str, last: str) -> None:
    test = run("hold", warehouse, monkeypatch, **{"from": first, "to": last})
    assert test.selectbox(key="choose-days").value is None


def test_a_value_far_off_does_not_flatten_a_chart_and_is_said() -> None:
    wins = [2.0, 3.0, 4.0, 3.0, -700.0]
    frame = pl.DataFrame({"house_win_percent": wins, "handle_cents": [100] * 5, "house_win_cents": [1] * 5})
    drawn = house_win_chart(frame, "table", list("abcde"), "House win %")
    lengths = [plotted.at(bar, "width") for bar in plotted.marks(plotted.parsed(drawn), "bar")]
    assert [length / lengths[0] for length in lengths] == pytest.approx([1.0, 1.5, 2.0, 1.5, 6.0], rel=0.01)
    assert plotted.words(drawn)[-1] == "−700.0 %"


def test_no_chart_is_flattened_by_one_value_and_its_tip_has_the_value() -> None:
    """A dealer with one wrong round of two has an interval up to 1,000 of 1,000; the others' are told apart all the same."""
    rates = pl.DataFrame({"rate": [2.0, 3.0, 2.5, 500.0], "low": [1.0] * 4, "high": [4.0, 5.0, 4.5, 1000.0], "look": [False] * 4})
    drawn = rates_chart(rates, list("abcd"), "of 1,000", "Rates")
    lengths = [plotted.at(bar, "width") for bar in plotted.marks(plotted.parsed(drawn), "bar")]
    assert [length / lengths[0] for length in lengths] == pytest.approx([1.0, 4 / 3, 3.5 / 3, 14 / 3], rel=0.01)
    assert plotted.tips(drawn)[-1].endswith("95 %: 1.00 to 1000.00")
    ends = {"ewma_low": [-1.0] * 4, "ewma_high": [1.0] * 4}
    days = pl.DataFrame({"z": [1.0, -1.0, 2.0, -40.0], "ewma": [0.1] * 4, **ends})
    drawn = drift_chart(days, list("abcd"), "Day by day")
    one, _, two, far = (plotted.at(point, "top") for point in plotted.marks(plotted.parsed(drawn), "point"))
    assert (far - two) / (one - two) == pytest.approx(8.0, rel=0.01)  # drawn at -6
    assert "The day alone: -40.00" in plotted.tips(drawn)[-1]


def test_theory_and_its_band_stand_on_the_bars() -> None:
    """Two games share a wager: $10 and $20 of theory on $1,000, half-widths of $30 and $40 that add by squares to $50."""
    found = pl.DataFrame({"wager": ["base", "envy"], "handle_cents": [100_000, 0], "house_win_percent": [9.0, None]})
    theory = pl.DataFrame(
        {"game": ["a", "b"], "wager": ["base", "base"], "unknown_handle_cents": [0, 1_000]}
        | {"theoretical_win_cents": [1_000, 2_000], "low_95_cents": [-2_000, -2_000], "high_95_cents": [4_000, 6_000]}
    )
    base, envy = beside_theory(found, theory, ["wager"]).iter_rows(named=True)
    assert (base["theoretical_percent"], base["low_95_percent"], base["high_95_percent"]) == (3.0, -2.0, 8.0)
    assert envy["theoretical_percent"] is None
    unknown = theory.with_columns(pl.lit(600).alias("unknown_handle_cents"))
    assert beside_theory(found, unknown, ["wager"])["theoretical_percent"][0] is None
    rows = beside_theory(found, theory, ["wager"]).with_columns(pl.lit(900).alias("house_win_cents"))
    drawn = house_win_chart(rows, "wager", ["Base", "Envy"], "House win %")
    assert plotted.words(drawn) == ["9.0 % ◐ outside 95 %"]
    (theory,), (band, bar) = (plotted.marks(plotted.parsed(drawn), kind) for kind in ("across", "bar"))
    low, zero = plotted.at(band, "left"), plotted.at(bar, "left")
    assert plotted.at(theory, "left") - zero == pytest.approx(plotted.at(bar, "width") / 3, rel=0.01)  # 3 % of 9 %
    assert low < zero


def test_each_verdict_against_theory_is_said_beside_its_point() -> None:
    frame = pl.DataFrame(
        {"z": [-9.0, 1.0], "verdict": ["alarm", "within"], "house_win_cents": [-900, 100], "theoretical_win_cents": [0, 0]}
        | {f"{end}_{limit}_cents": [200 if end == "high" else -200] * 2 for end in ("low", "high") for limit in ("95", "997")}
    )
    drawn = against_theory_chart(frame, ["a", "b"], "Distance from theory")
    assert plotted.words(drawn) == ["◆ Needs review −9.0 sd", "✔ Within chance +1.0 sd"]
    assert [tip.partition("95 %: ")[2] for tip in plotted.tips(drawn)] == ["-2.0 to +2.0"] * 2
