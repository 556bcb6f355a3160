"""What a chart shows, read from its markup: the words of its rows and points, and where its marks are."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element


def parsed(chart: str) -> Element:
    """Return a chart as a tree."""
    return ElementTree.fromstring(chart)


def marks(place: Element, kind: str) -> list[Element]:
    """Return the marks of a kind, in order."""
    return [each for each in place.iter() if f"rk-{kind}" in each.get("class", "").split()]


def names(chart: str) -> list[str]:
    """Return the names of the rows."""
    return [each.text or "" for each in marks(parsed(chart), "lane-of")]


def words(chart: str) -> list[str]:
    """Return what is written next to bars and points."""
    return [each.text or "" for each in marks(parsed(chart), "words")]


def tips(chart: str) -> list[str]:
    """Return what rows, points and columns say to whoever points at them."""
    return [each.get("title", "") for each in parsed(chart).iter() if each.get("title")]


def at(mark: Element, side: str) -> float:
    """Return where a mark is, or how far it reaches, in percent of its chart."""
    given = dict(each.split(":", 1) for each in mark.get("style", "").split(";"))
    return float(given[side].removesuffix("%"))
