"""Money, times, names and small pieces of markup."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from analytics.hold import hold
from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.warehouse import reading
from dashboards.drawing import markup
from dashboards.drawing.charts import dimension_label, drift_chart, funnel_chart, hold_chart, house_win_chart, rates_chart
from dashboards.drawing.names import Formats, day_name, percent, short_day
from replay.narrative.findings import finding_title
from replay.narrative.names import game_name, table_name
from tests.dashboards import plotted, sample

FORMATS = Formats.of(sample.FACTS)


@pytest.mark.parametrize(
    ("cents", "plain", "signed"),
    [
        (0, "$0.00", "$0.00"),
        (5, "$0.05", "+$0.05"),
        (-5, "−$0.05", "−$0.05"),
        (123456789, "$1,234,567.89", "+$1,234,567.89"),
        (None, "–", "–"),
    ],
)
def test_money(cents: int | None, plain: str, signed: str) -> None:
    assert (FORMATS.money(cents), FORMATS.signed(cents)) == (plain, signed)


def test_chips_are_said_short() -> None:
    assert (FORMATS.chips(2500), FORMATS.chips(250)) == ("$25", "$2.50")


def test_other_currencies_and_unknown_zones() -> None:
    other = Formats.of(PropertyFacts(name="", time_zone="Nowhere/Else", currency="XTS"))
    assert other.money(100) == "XTS 1.00"
    assert (other.clock(sample.EVENING), other.zone_name(sample.EVENING)) == ("02:00:00", "UTC")


def test_times_are_the_propertys() -> None:
    assert FORMATS.clock(sample.EVENING) == "21:00:00"
    assert FORMATS.day_and_clock(sample.EVENING) == "6 Mar, 21:00:00"
    assert FORMATS.zone_name(sample.EVENING) == "EST"
    assert (FORMATS.clock(None), FORMATS.day_and_clock(None), FORMATS.zone_name(None)) == ("–", "–", "")


def test_days_percentages_and_names() -> None:
    assert (day_name(date(2026, 3, 6)), short_day(date(2026, 3, 6)), day_name(None)) == ("Fri 6 Mar 2026", "Fri 6 Mar", "–")
    assert (percent(22.04), percent(-1234.5), percent(None)) == ("22.0 %", "−1,234.5 %", "–")
    assert (game_name("face_up_pai_gow"), game_name("new_game")) == ("Face Up Pai Gow Poker", "New game")
    assert (finding_title("PAY-UNDER"), finding_title("NEW-CODE")) == ("Wager underpaid", "NEW-CODE")
    assert table_name("fu-01") == "FU-01"


def test_every_text_is_escaped() -> None:
    attack = '<img src=x onerror="1">&'
    pieces = [
        markup.heading(attack, attack),
        markup.figure(attack, attack, attack),
        markup.empty(attack, attack),
        markup.table({attack: "text"}, [[attack]], attack),
        markup.link("round", attack, table=attack),
        markup.two_lines(attack, attack),
        markup.severity_badge(attack),
        markup.verdict_badge(attack),
        markup.section(attack, attack),
        markup.button_link("round", attack, table=attack),
    ]
    assert all("<img" not in piece for piece in pieces)
    assert all(isinstance(piece, markup.Html) for piece in pieces)


def test_over_and_under_differ_by_sign_word_and_shape() -> None:
    under, over = markup.difference(-10_000, FORMATS), markup.difference(4000, FORMATS)
    assert all(part in under for part in ("▼", "−$100.00", "short"))
    assert all(part in over for part in ("▲", "+$40.00", "over"))
    assert "no money" in markup.difference(None, FORMATS, "no money")


def test_severities_and_verdicts_differ_by_shape_and_word() -> None:
    assert len({markup.severity_badge(s).split("</span>")[0][-1] for s in ("high", "medium", "low")}) == 3
    assert "Undetermined" in markup.verdict_badge("UNDETERMINED")


def test_what_to_do_sets_commands_as_code() -> None:
    assert "<code>rack demo</code>" in markup.empty("Nothing", "Run `rack demo` first.")


def test_charts_draw_every_row_that_has_a_figure(tmp_path: Path) -> None:
    with reading(sample.make(tmp_path / "w")) as db:
        frames = {dimension: hold.hold_by(db, dimension) for dimension in hold.DIMENSIONS}
        days = hold.hold_by_table_day(db)
    for dimension, frame in frames.items():
        labels = [dimension_label(dimension, row) for row in frame.iter_rows(named=True)]
        drawn = house_win_chart(frame, dimension, labels, "House win %")
        assert len(plotted.tips(drawn)) == frame.drop_nulls("house_win_percent").height
        assert [tip.partition(" House win %:")[0] for tip in plotted.tips(drawn)] == labels
        assert plotted.names(drawn) == ([] if dimension == "gaming_day" else labels)
    counted = plotted.tips(hold_chart(days, "Hold %"))
    assert sorted(tip.rpartition(": ")[2] for tip in counted) == ["22.0 %", "24.0 %", "25.0 %"]


def test_a_wager_with_nothing_staked_has_no_bar() -> None:
    frame = pl.DataFrame(
        {
            "wager": ["fortune_envy", "base"],
            "handle_cents": [0, 100],
            "house_win_cents": [-500, 10],
            "house_win_percent": [None, 10.0],
        }
    )
    drawn = house_win_chart(frame, "wager", ["Fortune Envy", "Base wager"], "House win %")
    assert plotted.names(drawn) == ["Base wager"]


FAR = -1741.9
"""A hold % that flattened all others if the axis went there; three times the third quartile of the others is 96."""


def days_of(*values: float) -> pl.DataFrame:
    days = [date(2026, 3, day) for day in range(1, len(values) + 1)]
    return pl.DataFrame({"gaming_day": days, "table_id": ["fu-01"] * len(values), "hold_percent": list(values)})


@pytest.mark.parametrize(("last", "words"), [(FAR, ["↓ −1,741.9 %"]), (14.0, [])])
def test_a_point_that_the_axis_of_hold_cuts_off_says_where_it_lies(last: float, words: list[str]) -> None:
    assert plotted.words(hold_chart(days_of(32.0, 16.0, 20.0, 14.0, 25.0, last), "Hold %")) == words


@pytest.mark.parametrize(("last", "words"), [(FAR, ["↓ −1,741.9 %"]), (900.0, ["↑ 900.0 %"]), (14.0, [])])
def test_a_day_that_the_axis_of_house_win_cuts_off_says_where_it_lies(last: float, words: list[str]) -> None:
    frame = days_of(32.0, 16.0, 20.0, 14.0, 25.0, last).rename({"hold_percent": "house_win_percent"})
    frame = frame.with_columns(handle_cents=pl.lit(100), house_win_cents=pl.lit(1))
    labels = [str(day) for day in frame["gaming_day"]]
    assert plotted.words(house_win_chart(frame, "gaming_day", labels, "House win")) == words


@pytest.mark.parametrize(("last", "words"), [(-300.0, ["f ↓ −300.0 points"]), (1.0, [])])
def test_a_point_that_the_axis_of_the_funnel_cuts_off_says_where_it_lies(last: float, words: list[str]) -> None:
    frame = pl.DataFrame(
        {
            "unit_cents": [100] * 6,
            "win_percent": [1.0, 1.5, 2.0, 1.0, 1.5, last],
            "middle_percent": [0.0] * 6,
            "place": ["within"] * 5 + ["below_997" if last < 0 else "within"],
        }
        | {f"{end}_{limit}_percent": [side] * 6 for end, side in (("low", -3.0), ("high", 3.0)) for limit in ("95", "997")}
    )
    assert plotted.words(funnel_chart(frame, list("abcdef"), "Funnel")) == words


@pytest.mark.parametrize(("last", "words"), [(30.0, ["↑ +30.0 sd"]), (0.5, [])])
def test_a_day_that_the_axis_of_drift_cuts_off_says_where_it_lies(last: float, words: list[str]) -> None:
    limits = {"ewma": [0.0] * 6, "ewma_low": [-1.0] * 6, "ewma_high": [1.0] * 6}
    frame = pl.DataFrame({"z": [1.0, -0.5, 0.7, 0.2, -1.0, last]} | limits)
    assert plotted.words(drift_chart(frame, list("abcdef"), "Drift")) == words


@pytest.mark.parametrize(("rate", "high", "words"), [(900.0, 950.0, ["→ 900.0"]), (5.0, 900.0, ["→ 900.0"]), (5.0, 9.0, [])])
def test_a_rate_that_the_axis_cuts_off_says_where_it_lies(rate: float, high: float, words: list[str]) -> None:
    frame = pl.DataFrame(
        {"rate": [1.0, 2.0, 3.0, 2.0, rate], "low": [0.5] * 5, "high": [4.0, 5.0, 6.0, 5.0, high], "look": [False] * 5}
    )
    assert plotted.words(rates_chart(frame, list("abcde"), "of 1,000", "Rates")) == words


def test_a_link_carries_a_query_by_any_name() -> None:
    """The search of *Queue* is `words`: with another filter beside it, the page could not be drawn."""
    query = {"words": "paid", "page": "2", "name": "x", "here": "y"}
    address = "queue?words=paid&amp;page=2&amp;name=x&amp;here=y"
    assert markup.href("queue", **query) == address.replace("&amp;", "&")
    for made in (
        markup.link("queue", "Open", **query),
        markup.button_link("queue", "Open", **query),
        markup.key_link("enter", "queue", "Open", **query),
        markup.chip("queue", "Open", True, **query),
        markup.clear_chip("queue", "Open", **query),
    ):
        assert f'href="{address}"' in made
