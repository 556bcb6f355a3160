"""The exact returns of the games: every wager and paytable of the chapters, from counts of all possible deals or rolls.

Invariant: no paytable is here. Counts are stored (`analytics.theory.returns`), paytables are those of the chapters
(`games/<game>/chapters`), and the game decides the line of a hand. The arithmetic uses fractions; figures are shown as floats.
docs/theory.md explains each figure.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import sqrt
from typing import Final

import msgspec

from analytics.theory.catalogue import RETURNS
from analytics.theory.result import Result
from rulebook.chapters.chapters import Chapter, chapter, known_chapters
from rulebook.chapters.rulebook import Rulebook, WagerOffer


class Return(msgspec.Struct, frozen=True, kw_only=True):
    """The returns of one wager with one paytable.

    `return_percent` and `house_advantage_percent` (100 less it) are per amount wagered, raises included;
    `return_percent_per_base_unit` per unit of the starting wager. `std_dev` is of the net in base units, `hit_frequency` the
    share of rounds that win. `lines` counts the lines of the paytable of `total`; `parts` are the parts of the return and related
    figures; `notices` report errors in the text and parts left out.
    """

    chapter: str
    game: str
    wager: str
    paytable: str
    cite: str
    return_percent: float
    house_advantage_percent: float
    return_percent_per_base_unit: float
    std_dev: float
    hit_frequency: float
    method: str
    std_error_percent: float
    total: int
    lines: dict[str, int | float]
    parts: dict[str, float]
    notices: list[str]


OTHERWISE: Final = 3
"""A line is out of line if all other paytables pay at least this many times as much for it."""


def games_listed() -> tuple[str, ...]:
    """Return the games with chapters and returns, sorted.

    >>> "face_up_pai_gow" in games_listed()
    True
    """
    return tuple(sorted({each.game for each in _chapters(None) if each.game in RETURNS}))


def returns(game: str | None = None, chapter_key: str | None = None) -> list[Return]:
    """Return the returns of every wager of a game, or of all games; with a chapter, only of that.

    >>> figures = {(each.wager, each.paytable): each for each in returns("face_up_pai_gow")}
    >>> round(figures["progressive", "1"].return_percent, 3)
    75.751
    """
    return [each for listed in _chapters(chapter_key) if game in (None, listed.game) for each in of_chapter(listed)]


def _chapters(key: str | None) -> Iterator[Chapter]:
    """Return the requested chapters; without a name, those ever in force (D14)."""
    for known in known_chapters():
        listed = chapter(*known.split("-", 1))
        if key == known or (key is None and listed.in_force):
            yield listed


def of_chapter(listed: Chapter) -> Iterator[Return]:
    """Yield the returns of each wager of a chapter, in its order; combined wagers as one."""
    record = RETURNS.get(listed.game)
    if record is None:
        return
    for result in record.required_results(listed):
        yield _as_return(listed, result)
    for wager in listed.wagers.values():
        bonus = record.bonuses.get(wager.name)
        if bonus is None:
            continue
        for name, result in bonus.results(listed, wager.paytables):
            yield _as_return(listed, result, _out_of_line(listed, wager.name, name))


def return_of(book: Rulebook, offer: WagerOffer, by_paytable: Mapping[tuple[str, str], Return]) -> Return | None:
    """Return theory's figure for a filed wager, or None; for combined wagers it is that of the first."""
    record = RETURNS.get(book.game)
    if record is not None and offer.wager == record.combined[0]:
        return by_paytable.get((record.theory_wager, record.version(book)))
    name = offer.paytable.name if offer.paytable is not None else ""
    return by_paytable.get((offer.wager, name)) or by_paytable.get((offer.wager, ""))


def percent_of(book: Rulebook) -> dict[str, float]:
    """Return the return of each wager of filed rules, in percent of the amount wagered, if known.

    >>> from rulebook.chapters.rulebook import parse_submission, simple_submission
    >>> round(percent_of(parse_submission(simple_submission(paytables={"fortune_bonus": "1"})))["base"], 2)
    98.12
    """
    figures = {(each.wager, each.paytable): each for each in of_chapter(book.chapter)}
    found = {offer.wager: return_of(book, offer, figures) for offer in book.offers.values()}
    return {wager: each.return_percent for wager, each in found.items() if each is not None}


def _as_return(listed: Chapter, result: Result, suspicions: Iterable[str] = ()) -> Return:
    per_unit, of_wagered = result.per_base_unit(), result.per_amount_wagered()
    notices = [*suspicions, *result.notices]
    if of_wagered > 1:
        notices.insert(0, f"returns {float(100 * of_wagered):.3f} % of what is wagered: it cannot be meant as printed")
    std_dev = sqrt(result.variance())
    simulated = result.method.startswith("simulation")
    return Return(
        chapter=listed.key,
        game=listed.game,
        wager=result.wager,
        paytable=result.paytable,
        cite=result.cite,
        return_percent=_percent(of_wagered),
        house_advantage_percent=_percent(1 - of_wagered),
        return_percent_per_base_unit=_percent(per_unit),
        std_dev=round(std_dev, 6),
        hit_frequency=round(float(result.hits()), 9),
        method=result.method,
        std_error_percent=round(100 * std_dev / sqrt(result.total), 6) if simulated else 0.0,
        total=result.total,
        lines=dict(result.lines),
        parts={name: float(f"{value:.9g}") for name, value in result.parts.items()},
        notices=notices,
    )


def _percent(part: Fraction) -> float:
    return round(float(100 * part), 6)


def _out_of_line(listed: Chapter, wager: str, name: str) -> Iterator[str]:
    """Return notices of lines that pay no more than a lower one, and far less than on every other paytable of the wager."""
    if not name:
        return
    paytable = listed.paytable(wager, name)
    others = [listed.paytable(wager, other) for other in listed.wagers[wager].paytables if other != name]
    for line, lower in zip(paytable.lines, paytable.lines[1:], strict=False):
        if line.odds is None or lower.odds is None or line.odds.is_better_than(lower.odds):
            continue
        elsewhere = [each.odds for other in others for each in other.lines if each.hand == line.hand and each.odds]
        ratio = Fraction(line.odds.numerator, line.odds.denominator)
        if elsewhere and all(Fraction(odds.numerator, odds.denominator) >= OTHERWISE * ratio for odds in elsewhere):
            printed = ", ".join(dict.fromkeys(str(odds) for odds in elsewhere))
            yield f"{line.hand} is printed at {line.odds}, no more than {lower.hand}; other paytables print {printed}"
