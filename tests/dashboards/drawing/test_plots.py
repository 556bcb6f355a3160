"""Charts as markup: where marks are, what they say, and that nothing in a name becomes markup."""

from xml.etree import ElementTree

import pytest

from dashboards.drawing import plots
from dashboards.drawing.plots import Lane, Scale
from tests.dashboards import plotted


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-7.0, 7.0, [-5.0, 0.0, 5.0]),
        (0.0, 0.0, [0.0]),
        (-0.3, -0.1, [-0.3, -0.25, -0.2, -0.15, -0.1]),
    ],
)
def test_an_axis_has_round_values_within_its_ends(low: float, high: float, ticks: list[float]) -> None:
    assert Scale(low, high).ticks(5) == pytest.approx(ticks)


def test_a_scale_of_nothing_or_of_one_value_holds_zero() -> None:
    assert plots.scale_of([]) == plots.scale_of([None]) == Scale(0.0, 1.0)
    assert plots.scale_of([-3.0]) == Scale(-3.0, 0.0)
    assert plots.scale_of([3.0]) == Scale(0.0, 3.0)


@pytest.mark.parametrize(
    ("value", "words"), [(-50.0, "−50"), (0.0, "0"), (999.0, "999"), (1000.0, "1k"), (999_000.0, "999k"), (1e6, "1M")]
)
def test_numbers_of_an_axis_are_short(value: float, words: str) -> None:
    assert plots.number(value) == words


def test_a_bar_reaches_from_its_lower_to_its_upper_end_either_way() -> None:
    for ends in ((0.25, 0.75), (0.75, 0.25)):
        mark = ElementTree.fromstring(plots.bar(*ends, "var(--rk-accent)", 12))
        assert (plotted.at(mark, "left"), plotted.at(mark, "width")) == (25.0, 50.0)


def test_a_line_goes_through_its_points() -> None:
    strokes = plotted.parsed(f"<b>{plots.path([(0.0, 0.5), (0.5, 1.0), (1.0, 1.0)], 'var(--rk-accent)')}</b>")
    up, level = strokes
    assert (plotted.at(up, "left"), plotted.at(up, "top")) == (0.0, 50.0)
    assert "rotate:atan2(-50.000cqh,50.000cqw)" in up.get("style", "")
    assert (plotted.at(level, "left"), plotted.at(level, "top")) == (50.0, 0.0)
    assert "rotate:atan2(0.000cqh,50.000cqw)" in level.get("style", "")


@pytest.mark.parametrize(("days", "labels", "thinned"), [(2, 2, 0), (6, 6, 0), (7, 7, 3), (12, 12, 6), (13, 7, 3)])
def test_labels_of_many_days_are_thinned(days: int, labels: int, thinned: int) -> None:
    names = [(day / days, f"day {day}") for day in range(days)]
    drawn = plots.plane("", names, Scale(0.0, 1.0), alt="Days", titles=("Day", "Win"), height=200)
    (axis,) = plotted.marks(plotted.parsed(drawn), "axis")
    assert (len(axis), len(plotted.marks(axis, "every-other"))) == (labels, thinned)


def test_a_chart_is_a_picture_with_a_name_and_its_words_stay_words() -> None:
    words = '<b onmouseover="x">'
    marks = plots.lane_words(0.5, words) + plots.lane_point(0.5, "var(--rk-accent)")
    drawn = plots.lanes([Lane(words, words, marks)], Scale(0.0, 1.0), alt=words, title=words, height=20)
    chart = plotted.parsed(drawn)
    assert (chart.get("role"), chart.get("aria-label")) == ("img", words)
    assert plotted.names(drawn) == plotted.words(drawn) == plotted.tips(drawn) == [words]
    assert not [each for each in chart.iter() if each.get("onmouseover")]
