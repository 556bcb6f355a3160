"""Charts of marks in lanes or on a plane, as HTML without a script; positions are percents, so a chart fits its page.

A chart is drawn and printed in the page's own colors (by their names in style.css). A screen reader takes it as one picture with
a name; a mark shows its values when pointed at.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from dashboards.drawing.markup import Html
from desk.printable import escape

SHAPES = ("circle", "square", "plus", "diamond", "up", "down", "right", "left")
"""Shapes of points that differ at a glance; style.css draws them."""
LANE_TICKS, PLANE_TICKS = 8, 5
MOST_LABELS = 12
"""Labels that are under a plane at most; of more values every second, third, … has its label. A phone shows half of many."""


class Scale(NamedTuple):
    """The ends of an axis."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Return the position of a value, as a share of the axis.

        >>> Scale(-10.0, 30.0).share(0.0)
        0.25
        """
        return (value - self.low) / ((self.high - self.low) or 1.0)

    def ticks(self, count: int) -> list[float]:
        """Return some `count` round values on the axis.

        >>> Scale(-3.0, 17.0).ticks(5)
        [0.0, 5.0, 10.0, 15.0]
        """
        step = _step(self, count)
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def widened(self, count: int) -> "Scale":
        """Return the scale widened to round values.

        >>> Scale(-3.0, 17.0).widened(5)
        Scale(low=-5.0, high=20.0)
        """
        step = _step(self, count)
        return Scale(math.floor(self.low / step + 1e-9) * step, math.ceil(self.high / step - 1e-9) * step)


def _step(scale: Scale, count: int) -> float:
    rough = ((scale.high - scale.low) or 1.0) / count
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * each for each in (1.0, 2.0, 5.0, 10.0) if power * each >= rough * (1 - 1e-9))


def scale_of(values: Iterable[float | None]) -> Scale:
    """Return a scale that includes some values and zero."""
    known = [0.0, *(value for value in values if value is not None)]
    return Scale(min(known), max(known) if max(known) > min(known) else min(known) + 1.0)


class Lane(NamedTuple):
    """A row of a chart: its label, the tooltip of its marks, the marks, and the address of the label."""

    label: str
    tip: str
    marks: str
    href: str = ""

    def name(self) -> str:
        """Return the label (with `href` a link; then the chart is a group and no picture)."""
        words, end = f'class="rk-lane-of">{escape(self.label)}', "a" if self.href else "span"
        way = f'target="_self" href="{escape(self.href)}" ' if self.href else ""
        return f"<{end} {way}{words}</{end}>"


def lanes(rows: Sequence[Lane], scale: Scale, *, alt: str, title: str, height: int, across: str = "", key: str = "") -> Html:
    """Return labeled rows over one axis; `across` is drawn over all of them, `key` explains the marks."""
    grid = "".join(f'<i class="rk-rule" style="left:{_at(scale.share(tick))}"></i>' for tick in scale.ticks(LANE_TICKS))
    names = "".join(row.name() for row in rows)
    lines = "".join(f'<span class="rk-lane" title="{escape(row.tip)}">{row.marks}</span>' for row in rows)
    axis = "".join(
        f'<span class="rk-tick" style="left:{_at(scale.share(tick))}">{number(tick)}</span>' for tick in scale.ticks(LANE_TICKS)
    )
    return _chart(
        f'<div class="rk-lanes" style="--lane:{height}px"><div>{names}</div>'
        f'<div class="rk-lane-field">{grid}{lines}{across}</div><span></span>'
        f'<span class="rk-axis">{axis}</span></div><div class="rk-axis-of">{escape(title)}</div>',
        alt,
        key,
    )


def plane(
    marks: str,
    labels: Sequence[tuple[float, str]],
    scale: Scale,
    *,
    alt: str,
    titles: tuple[str, str],
    height: int,
    key: str = "",
) -> Html:
    """Return marks over two axes: labels from left to right at their shares, a scale upward, and their `titles`."""
    ticks = [(scale.share(tick), number(tick)) for tick in scale.ticks(PLANE_TICKS)]
    grid = "".join(f'<i class="rk-level" style="bottom:{_at(share)}"></i>' for share, _ in ticks)
    upward = "".join(f'<span class="rk-tick" style="bottom:{_at(share)}">{words}</span>' for share, words in ticks)
    widest = max((words for _, words in ticks), key=len, default="")
    shown = labels[:: max(1, math.ceil(len(labels) / MOST_LABELS))]
    thinned = len(shown) > MOST_LABELS // 2
    along = "".join(
        f'<span class="rk-tick{" rk-every-other" if thinned and place % 2 else ""}" style="left:{_at(share)}">'
        f"{escape(words)}</span>"
        for place, (share, words) in enumerate(shown)
    )
    below = f'<div class="rk-axis-of">{escape(titles[0])}</div>' if titles[0] else ""
    return _chart(
        f'<div class="rk-axis-of rk-upward-of">{escape(titles[1])}</div><div class="rk-plane">'
        f'<span class="rk-upward"><b>{widest}</b>{upward}</span>'
        f'<span class="rk-field" style="height:{height}px">{grid}{marks}</span>'
        f'<span></span><span class="rk-axis">{along}</span></div>{below}',
        alt,
        key,
    )


def _chart(inner: str, alt: str, key: str) -> Html:
    explained = f'<div class="rk-chart-key">{key}</div>' if key else ""
    role = "group" if "<a " in inner else "img"
    return Html(f'<div class="rk-chart" role="{role}" aria-label="{escape(alt)}">{explained}{inner}</div>')


def entry(words: str, color: str, shape: str) -> str:
    """Return the explanation of a mark for a chart's key."""
    return f'<span><i class="rk-point rk-{shape}" style="background:{color}"></i>{escape(words)}</span>'


# ---------------------------------------------------------------------------------------------------------------- marks


def bar(low: float, high: float, color: str, thickness: int) -> str:
    """Return a bar along a lane, between two shares of it."""
    left, right = sorted((low, high))
    style = f"left:{_at(left)};width:{_at(right - left)};height:{thickness}px;background:{color}"
    return f'<i class="rk-bar" style="{style}"></i>'


def line_across(share: float, color: str, height: int) -> str:
    """Return a short line across a lane."""
    return f'<i class="rk-across" style="left:{_at(share)};height:{height}px;background:{color}"></i>'


def lane_point(share: float, color: str, shape: str = "circle") -> str:
    """Return a point on a lane."""
    return f'<i class="rk-point rk-{shape}" style="left:{_at(share)};top:50%;background:{color}"></i>'


def lane_words(share: float, words: str) -> str:
    """Return words right of a share of a lane."""
    return f'<b class="rk-words" style="left:{_at(share)}">{escape(words)}</b>'


def column(x: float, width: float, low: float, high: float, color: str, tip: str = "") -> str:
    """Return an upright bar on a plane; `width` and the other lengths are shares of it."""
    bottom, top = sorted((low, high))
    place = f"left:{_at(x - width / 2)};width:{_at(width)};bottom:{_at(bottom)};height:{_at(top - bottom)}"
    return f'<i class="rk-column" style="{place};background:{color}"{_title(tip)}></i>'


def post(x: float, low: float, high: float, color: str, thickness: int) -> str:
    """Return an upright bar on a plane, this many pixels thick."""
    place = f"left:{_at(x)};width:{thickness}px;bottom:{_at(low)};height:{_at(high - low)}"
    return f'<i class="rk-post" style="{place};background:{color}"></i>'


def level(x: float, width: float, y: float, color: str) -> str:
    """Return a horizontal line at a height of a plane, centered at a place."""
    return f'<i class="rk-mark" style="left:{_at(x - width / 2)};width:{_at(width)};bottom:{_at(y)};background:{color}"></i>'


def point(x: float, y: float, color: str, shape: str, tip: str, href: str = "") -> str:
    """Return a point on a plane; `href` makes it a link (then the chart is a group, not a picture)."""
    if href:
        name = escape(tip.replace("\n", ", "))
        return (
            f'<a class="rk-point-link" target="_self" href="{escape(href)}" aria-label="{name}" title="{escape(tip)}" '
            f'style="left:{_at(x)};top:{_at(1 - y)}"><i class="rk-point rk-{shape}" style="background:{color}"></i></a>'
        )
    return f'<i class="rk-point rk-{shape}" style="left:{_at(x)};top:{_at(1 - y)};background:{color}"{_title(tip)}></i>'


def point_words(x: float, y: float, words: str) -> str:
    """Return words right of a point of a plane."""
    return f'<b class="rk-words" style="left:{_at(x)};top:{_at(1 - y)}">{escape(words)}</b>'


def area(low: Sequence[tuple[float, float]], high: Sequence[tuple[float, float]], color: str) -> str:
    """Return the area between two lines of a plane."""
    corners = ",".join(f"{_at(x)} {_at(1 - y)}" for x, y in [*high, *reversed(low)])
    return f'<i class="rk-area" style="background:{color};clip-path:polygon({corners})"></i>'


def path(points: Sequence[tuple[float, float]], color: str) -> str:
    """Return a line through points of a plane: a stroke for each two neighbors."""
    strokes = []
    for (x, y), (next_x, next_y) in pairwise(points):
        along, down = f"{100 * (next_x - x):.3f}cqw", f"{100 * (y - next_y):.3f}cqh"
        place = f"left:{_at(x)};top:{_at(1 - y)};width:hypot({along},{down});rotate:atan2({down},{along})"
        strokes.append(f'<i class="rk-stroke" style="{place};background:{color}"></i>')
    return "".join(strokes)


def level_across(y: float) -> str:
    """Return a broken line across a whole plane."""
    return f'<i class="rk-level rk-broken" style="bottom:{_at(y)}"></i>'


def upright_across(share: float) -> str:
    """Return a broken line across all lanes."""
    return f'<i class="rk-rule rk-broken" style="left:{_at(share)}"></i>'


def number(value: float) -> str:
    """Return a number next to an axis.

    >>> number(-50.0), number(0.25), number(1_500_000.0)
    ('−50', '0.25', '1.5M')
    """
    size = abs(value)
    words = f"{size / 1e6:.6g}M" if size >= 1e6 else f"{size / 1e3:.6g}k" if size >= 1e3 else f"{size:.6g}"
    return f"−{words}" if value < 0 else words


def _at(share: float) -> str:
    return f"{100 * share:.2f}%"


def _title(tip: str) -> str:
    return f' title="{escape(tip)}"' if tip else ""
