"""The views of the page Hold by AppTest, each a link; and the charts next to them."""

from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace

from analytics.warehouse import floor_data
from analytics.warehouse.warehouse import reading
from dashboards.access import access
from dashboards.access.page_list import Role
from dashboards.analysis import hold_counts, hold_luck, verdicts
from dashboards.drawing.charts import drift_chart, funnel_chart, rates_chart
from tests.dashboards import plotted, sample
from tests.dashboards.running import log_in, run, said, unfold

DAY = {"from": "2026-03-06", "to": "2026-03-06", "compare": "true"}


def test_what_was_counted_stands_under_its_own_name(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("hold", warehouse, monkeypatch))
    for words in ("Drop", "$24,200.00", "Win", "$5,704.00", "Hold %", "23.6 %", "3 of 4 table days", "By table and month"):
        assert words in page
    assert "Dealer" not in page  # what is counted per box is never split by dealer (D27)


def test_a_count_period_from_the_address(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("hold", warehouse, monkeypatch, period="gaming_day", table="fu-01"))
    assert "By table and gaming day" in page
    assert "FU-02" not in page


def test_a_month_of_which_days_are_chosen_begins_with_them(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of March 2026 only the 6th is shown: its row does not say that it begins on the 1st."""
    day = {"from": "2026-03-06", "to": "2026-03-06"}
    page = said(run("hold", warehouse, monkeypatch, **day))
    assert "Fri 6 Mar 2026" in page
    assert "Sun 1 Mar 2026" not in page
    assert "Sun 1 Mar 2026" in said(run("hold", warehouse, monkeypatch))


def test_from_the_wagers_by_a_dimension(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("hold", warehouse, monkeypatch, view="wagers", by="dealer")
    page = said(test)
    for words in ("Handle", "House win %", "Paid by meters", "$1,250.00", "1 wager not settled", "D-11"):
        assert words in page
    assert 'href="hold?view=behind&amp;dealer=d-11"' in page
    assert test.query_params["by"] == "dealer"


def test_a_figure_opens_down_to_its_wagers(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four Ace High Bonus wagers and the like were made; the two of round 17 lead there."""
    page = said(run("hold", warehouse, monkeypatch, view="behind", wager="ace_high_bonus"))
    assert "Ace High Bonus" in page
    assert "2 wagers: their sums are the figure&#x27;s." in page or "2 wagers" in page
    assert 'href="round?table=fu-01&amp;round=17"' in page
    assert "−$100.00" in page  # the house paid seat 3 so much


def test_luck_is_reckoned_wager_by_wager(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("hold", warehouse, monkeypatch, view="luck")
    for words in ("Actual vs. theoretical", "Comparison with the floor"):
        assert words in said(test)
    assert "No theory" not in said(test)
    unfold(test, "inconclusive row")
    assert "No theory" in said(test)
    assert "No theoretical return is known" in said(test)


@pytest.mark.parametrize(("view", "is_offered"), [("counted", True), ("day", True), ("wagers", False), ("pace", False)])
def test_d1441_no_wager_is_of_several_games(
    view: str, is_offered: bool, warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = floor_data.choices
    monkeypatch.setattr(floor_data, "choices", lambda db: replace(choices(db), games=["face_up_pai_gow", "several_games"]))
    (games,) = (each.options for each in run("hold", warehouse, monkeypatch, view=view).selectbox if each.label == "Game")
    assert ("Several games" in games) == is_offered


def test_over_time_and_pace(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "as fast as the floor deals" in said(run("hold", warehouse, monkeypatch, view="pace"))
    page = said(run("hold", warehouse, monkeypatch, view="time"))
    assert "Too few days" in page or "Day by day" in page


@pytest.mark.parametrize("view", ["counted", "wagers", "luck", "time", "pace", "behind"])
def test_a_part_of_the_floor_without_wagers_says_so(warehouse: Path, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    test = run("hold", warehouse, monkeypatch, view=view, table="fu-02", game="face_up_pai_gow", **DAY)
    assert test.query_params["table"] == "fu-02"


def test_what_is_offered_to_narrow_down(warehouse: Path) -> None:
    with reading(warehouse) as db:
        found = floor_data.choices(db)
    assert (found.games, found.tables) == (["face_up_pai_gow"], ["fu-01", "fu-02"])
    assert found.dealers == ["d-03", "d-07", "d-11", "d-12"]
    assert [month.isoformat() for month in found.months] == ["2026-03-01"]


def test_charts_tell_places_by_shape_and_word() -> None:
    places = ["within", "below_95", "below_997", "above_95", "above_997"]
    frame = pl.DataFrame(
        {"unit_cents": [100] * 5, "win_percent": [1.0] * 5, "middle_percent": [2.0] * 5, "place": places}
        | {f"{end}_{limit}_percent": [1.5] * 5 for end in ("low", "high") for limit in ("95", "997")}
    )
    drawn = plotted.parsed(funnel_chart(frame, list("abcde"), "Distance from the floor"))
    key, *points = plotted.marks(drawn, "chart-key") + plotted.marks(drawn, "field")[0].findall("i[@title]")
    assert len({each.get("class") for each in points}) == len(points) == 5
    assert [each.get("class") for each in plotted.marks(key, "point")] == [each.get("class") for each in points]
    assert len({"".join(each.itertext()) for each in key}) == 5
    rates = pl.DataFrame({"rate": [1.0, 2.0], "low": [0.5, 1.0], "high": [2.0, 3.0], "look": [False, True]})
    drawn = rates_chart(rates, ["a", "b"], "of 1,000", "Rates")
    assert [tip.split(" of 1,000")[0] for tip in plotted.tips(drawn)] == ["a Within chance", "b Needs review"]
    lanes = plotted.marks(plotted.parsed(drawn), "lane")
    within, review = (plotted.marks(lane, "point")[0].get("class") for lane in lanes)
    assert within != review
    days = pl.DataFrame({"z": [0.5, -1.0], "ewma": [0.1, 0.0], "ewma_low": [-1.0, -1.0], "ewma_high": [1.0, 1.0]})
    drawn = drift_chart(days, ["Fri", "Sat"], "Day by day")
    assert plotted.tips(drawn) == [
        "Fri The day alone: +0.50 Weighted mean: +0.10",
        "Sat The day alone: -1.00 Weighted mean: +0.00",
    ]


def test_a_signal_says_how_far_beyond_its_limit() -> None:
    assert hold_luck._signal("low", 5.78, 5.0) == "low: +5.78, limit 5.00"
    assert hold_luck._signal("", 0.1, 5.0) == "within"


@pytest.mark.parametrize("verdict", ["alarm", "outside_997", "outside_95", "within", "cannot_tell", "no_theory", "above"])
def test_every_verdict_has_a_shape_and_a_word_of_its_own(verdict: str) -> None:
    others = {verdicts.VERDICTS[each][1:] for each in verdicts.VERDICTS if each != verdict}
    assert verdicts.VERDICTS[verdict][1:] not in others
    assert verdicts.VERDICTS[verdict][2] in verdicts.badge(verdict)


@pytest.mark.parametrize("view", ["wagers", "luck", "pace"])
def test_who_may_not_see_names_is_shown_no_dealer(warehouse: Path, monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    nameless = access.Session(None, access.RIGHTS[Role.ANALYST])
    monkeypatch.setattr(access, "session", lambda: nameless)
    page = said(run("hold", warehouse, monkeypatch, view=view, by="dealer", of="dealer", dealer="d-07"))
    assert "D-07" not in page
    assert "D-11" not in page


@pytest.mark.parametrize(
    ("name", "value", "words"), [("view", "nothing", "View nothing is not here"), ("by", "moon", "Group by moon is not here")]
)
def test_a_link_to_a_view_or_grouping_that_is_gone_says_so(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    test = run("hold", warehouse, monkeypatch, **({"view": "luck"} | {name: value}))
    assert words in said(test)
    assert test.query_params.get(name) != [value]


def test_a_choice_of_the_filter_bar_can_be_cleared(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("hold", warehouse, monkeypatch, table="fu-01")
    assert test.selectbox(key="choose-table").value == "fu-01"
    test.selectbox(key="choose-table").set_value(None).run()
    assert "table" not in test.query_params
    assert test.selectbox(key="choose-table").value is None


def test_of_many_tables_the_highest_and_the_lowest_hold_are_drawn() -> None:
    numbers = list(range(hold_counts.MOST_BARS + 1))
    frame = pl.DataFrame({"table_id": [f"t-{number}" for number in numbers], "hold_percent": map(float, numbers)})
    shown = hold_counts.highest_and_lowest(frame)["hold_percent"].to_list()
    assert shown == [each for each in map(float, reversed(numbers)) if each != hold_counts.MOST_BARS / 2]


def test_a_point_of_the_chart_leads_to_the_parts_of_its_day(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts and their links are for an analyst, too, who has no queue; the largest mispayment is named with its round."""
    page = said(run("hold", warehouse, monkeypatch))
    assert f'href="hold?view=day&amp;table=fu-01&amp;from={sample.DAY_2}&amp;to={sample.DAY_2}"' in page
    day = {"view": "day", "table": "fu-01", "from": sample.DAY_2, "to": sample.DAY_2}
    log_in("a.novak@bellwether.example", "analyst")
    page = said(run("hold", warehouse, monkeypatch, **day))
    for words in ("What moved it most", "Luck", "Dealer errors: patrons underpaid", "Unexplained tray variance"):
        assert words in page
    assert 'href="round?table=fu-01&amp;round=17' in page
    assert 'href="queue' not in page
