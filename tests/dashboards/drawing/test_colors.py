"""The colors of the pages, light and dark: what is written can be read (WCAG 2.2, 1.4.3, 1.4.11); each color has one home."""

import re
import tomllib
from pathlib import Path

import polars as pl
import pytest

from dashboards.drawing import charts, drawing

HERE = Path(drawing.__file__).parents[1]
STYLE = (HERE / "style.css").read_text("utf-8")
THEME = tomllib.loads((HERE / "theme.toml").read_text("utf-8"))["theme"]
COLORS = dict(re.findall(r"^  --rk-([a-z-]+): light-dark\((.+)\);$", STYLE, re.MULTILINE))
TEXT, SHAPE = 4.5, 3.0
"""The least contrast of what is written, and of what is only drawn."""

WRITTEN = {
    "paper": ("ink", "soft", "accent", "alert-ink", "over", "right-ink", "caution", "alert", "unknown"),
    "shade": ("ink", "soft", "alert-ink"),
    "tint": ("ink",),
    "accent": ("on-accent",),
    "alert-tint": ("ink", "soft", "alert-ink", "accent", "over"),
    "alert-fill": ("alert-ink",),
    "right-fill": ("right-ink", "ink"),
    "caution-fill": ("caution-ink",),
    "muted-fill": ("muted-ink",),
    "unknown-fill": ("unknown-ink",),
}
"""Background → what is written on it."""

DRAWN = {"paper": ("accent", "alert", "over", "amber", "over-far", "caution", "unknown", "muted-ink", "count")}
"""Background → what is drawn on it and says something by its place."""

FELT = ("#f3f7f5", "#bcd5cc", "#ffd9a0")
"""What is written on the felt."""


def pair(name: str) -> tuple[str, str]:
    """Return a color of the style as it is in the light and in the dark."""
    light, dark = re.split(r", (?=#|rgb)", COLORS[name])
    return light, dark


def luminance(color: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it.

    >>> luminance("#ffffff"), luminance("#000000")
    (1.0, 0.0)
    """
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return round(0.2126 * red + 0.7152 * green + 0.0722 * blue, 6)


def contrast(one: str, other: str) -> float:
    """The contrast of two colors, 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    """Black on white is 21 to 1; #777777 on white fails by a little, #767676 passes."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") < TEXT <= contrast("#767676", "#ffffff")


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_what_is_written_can_be_read(scheme: int) -> None:
    pale = [
        f"{name} on {ground}"
        for least, grounds in ((TEXT, WRITTEN), (SHAPE, DRAWN))
        for ground, names in grounds.items()
        for name in names
        if contrast(pair(name)[scheme], pair(ground)[scheme]) < least
    ]
    assert pale == []


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_what_lies_on_the_table_can_be_read(scheme: int) -> None:
    """Words on the felt; on a card the ranks and suits, and a finding's flag."""
    felt, card = pair("felt")[scheme], pair("card")[scheme]
    assert {color for color in FELT if contrast(color, felt) < TEXT} == set()
    on_card = (drawing.INK, drawing.RED, drawing.JOKER, drawing.OVER, drawing.UNDER)
    assert {color for color in on_card if contrast(color, card) < TEXT} == set()


@pytest.mark.parametrize(("scheme", "name"), [(0, "light"), (1, "dark")])
def test_the_pages_colors_are_those_of_the_theme(scheme: int, name: str) -> None:
    """Our markup is next to Streamlit's widgets: paper, ink, line and accent are the same, and readable on the page."""
    theirs = THEME[name]
    for ours, key in {
        "accent": "primaryColor",
        "paper": "secondaryBackgroundColor",
        "line": "borderColor",
        "ink": "textColor",
    }.items():
        assert pair(ours)[scheme] == theirs[key]
    for written in ("ink", "soft", "accent", "alert-ink", "muted-ink"):
        assert contrast(pair(written)[scheme], theirs["backgroundColor"]) >= TEXT


def test_a_color_is_named_once_and_used_by_name() -> None:
    """Next to its definition and the print, which is always light, no rule and no chart holds a color of its own."""
    screen = re.sub(r"^  --rk-.*$", "", STYLE, flags=re.MULTILINE).partition("@media print")[0]
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", re.sub(r"dialog#\S+", "", screen)) == []
    frame = pl.DataFrame({"value": ["1"], "observed": [3], "expected": [2.0]})
    drawn = charts.counts_chart(frame, "Counts")
    assert re.findall(r"#[0-9a-fA-F]{6}", drawn) == []
    used = set(re.findall(r"var\(--rk-([a-z-]+)\)", STYLE + drawn + Path(charts.__file__).read_text("utf-8")))
    sizes = {"small", "normal", "medium", "large", "title"}
    assert used - sizes - COLORS.keys() == set()
    assert COLORS.keys() - used - {"felt", "felt-edge", "felt-line", "card"} == set()
