"""Small pieces of HTML for the pages: badges, figures, tiles and tables. Pure functions.

Invariant: every text is escaped; every judgment has a sign, a word and a shape, never color alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from string import punctuation
from urllib.parse import urlencode

from dashboards.drawing.names import UNKNOWN, VERDICTS, Formats
from desk.printable import escape, straight

DOWN, UP = "\N{BLACK DOWN-POINTING TRIANGLE}", "\N{BLACK UP-POINTING TRIANGLE}"
UNBROKEN = re.compile(r"(?<=\d) (?=%)|(?<=§) ")
"""A space in a table's cell at which no line ends: a number stays with its percent sign, a section with its number."""
SEVERITIES = {
    "high": ("\N{BLACK CIRCLE}", "High"),
    "medium": ("\N{CIRCLE WITH LEFT HALF BLACK}", "Medium"),
    "low": ("\N{WHITE CIRCLE}", "Low"),
}
VERDICT_SHAPES = {
    "UPHELD": "\N{HEAVY CHECK MARK}\N{VARIATION SELECTOR-15}",
    "VARIANCE": "\N{BLACK DIAMOND}",
    "VOID": "\N{EMPTY SET}",
    "UNDETERMINED": "?",
}


class Html(str):
    """Escaped markup."""

    __slots__ = ()


def text(content: object) -> Html:
    """Return content as markup: escaped, unless it is markup."""
    return content if isinstance(content, Html) else Html(escape(str(content)))


def link(page: str, words: object, /, **query: object) -> Html:
    """Return a link to a page of ours with its query."""
    return Html(f'<a href="{escape(href(page, **query))}" target="_self">{text(words)}</a>')


def button_link(page: str, words: object, /, **query: object) -> Html:
    """Return a link that looks like a button."""
    return Html(f'<a class="rk-button" href="{escape(href(page, **query))}" target="_self">{text(words)}</a>')


def key_link(name: str, page: str, words: object, /, **query: object) -> Html:
    """Return a link that a key opens (`enter`: Enter, `next`: N); a page has at most one of each."""
    return Html(f'<a class="rk-button rk-{name}" href="{escape(href(page, **query))}" target="_self">{text(words)}</a>')


def chip(page: str, words: object, here: bool, /, **query: object) -> Html:
    """Return a small link to a view; the present view is marked."""
    now = ' aria-current="page"' if here else ""
    return Html(f'<a class="rk-chip" href="{escape(href(page, **query))}" target="_self"{now}>{text(words)}</a>')


def clear_chip(page: str, words: object, /, **query: object) -> Html:
    """Return a small link that removes a filter; `query` is the remaining query."""
    said = f'<span class="rk-hidden">Clear </span>{text(words)} <span aria-hidden="true">✕</span>'
    return Html(f'<a class="rk-chip rk-clear" href="{escape(href(page, **query))}" target="_self">{said}</a>')


def href(page: str, /, **query: object) -> str:
    """Return the address of one of our pages, relative to the present one.

    >>> href("round", table="fu-01", round=17)
    'round?table=fu-01&round=17'
    """
    given = {key: value for key, value in query.items() if value is not None}
    return f"{page}?{urlencode(given)}" if given else page


def severity_badge(severity: str) -> Html:
    """Return a severity by shape and word."""
    shape, word = SEVERITIES.get(severity, ("", severity))
    return Html(f'<span class="rk-badge rk-{escape(severity)}"><span aria-hidden="true">{shape}</span> {escape(word)}</span>')


def verdict_badge(verdict: str) -> Html:
    """Return a verdict by shape and word."""
    shape, word = VERDICT_SHAPES.get(verdict, ""), VERDICTS.get(verdict, verdict)
    return Html(
        f'<span class="rk-badge rk-v-{escape(verdict.lower())}"><span aria-hidden="true">{shape}</span> {escape(word)}</span>'
    )


def no_rounds_badge(words: str) -> Html:
    """Return the badge of a table without judged rounds, which is not shown as in order (D870)."""
    return Html(f'<span class="rk-badge rk-v-undetermined"><span aria-hidden="true">?</span> {escape(words)}</span>')


def difference(cents: int | None, formats: Formats, nothing: str = UNKNOWN) -> Html:
    """Return the difference from the patron's due: shape, sign, amount and word; `nothing` if there is no money."""
    if not cents:
        return Html(f'<span class="rk-soft">{escape(nothing)}</span>')
    shape, word, kind = (DOWN, "short", "under") if cents < 0 else (UP, "over", "over")
    return Html(
        f'<span class="rk-money-{kind}"><span aria-hidden="true">{shape}</span> {escape(formats.signed(cents))} {word}</span>'
    )


def figure(label: str, value: object, note: object = "") -> Html:
    """Return a figure with its name."""
    below = f'<div class="rk-note">{text(note)}</div>' if note else ""
    return Html(
        f'<div class="rk-figure"><div class="rk-label">{escape(label)}</div>'
        f'<div class="rk-value">{text(value)}</div>{below}</div>'
    )


def figures(items: Iterable[Html]) -> Html:
    """Return figures side by side."""
    return Html(f'<div class="rk-figures">{"".join(items)}</div>')


def heading(title: object, below: object = "", side: object = "") -> Html:
    """Return a page's heading, the line under it and the content at its right."""
    under = f'<p class="rk-under">{text(below)}</p>' if below else ""
    right = f'<div class="rk-side">{text(side)}</div>' if side else ""
    return Html(f'<div class="rk-head"><div><h1 class="rk-h1">{text(title)}</h1>{under}</div>{right}</div>')


def section(title: str, below: str = "") -> Html:
    """Return a section's heading."""
    under = f'<p class="rk-under">{coded(below)}</p>' if below else ""
    return Html(f'<h2 class="rk-h2">{escape(title)}</h2>{under}')


def table(
    columns: Mapping[str, str],
    rows: Sequence[Sequence[object]],
    label: str,
    *,
    marked: Iterable[int] = (),
    sortable: bool = False,
) -> Html:
    """Return a table, on a phone a card for each row. `columns`: heading → `"text"`, `"number"` or `"short"` (one line)."""
    names, kinds = list(columns), list(columns.values())
    head = "".join(
        f'<th scope="col" role="columnheader" class="rk-{kind}">{_heading(name, sortable)}</th>' for name, kind in columns.items()
    )
    special = set(marked)
    body = "".join(
        f'<tr role="row"{" class=rk-marked" if i in special else ""}>'
        + "".join(
            f'<td role="cell" class="rk-{kind}" data-label="{escape(name)}">{text(cell)}</td>'
            for cell, kind, name in zip(row, kinds, names, strict=True)
        )
        + "</tr>"
        for i, row in enumerate(rows)
    )
    body = UNBROKEN.sub("\N{NO-BREAK SPACE}", body)
    return Html(
        f'<div class="rk-scroll"><table class="rk-table" role="table" aria-label="{escape(label)}">'
        f'<thead><tr role="row">{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _heading(name: str, sortable: bool) -> Html:
    return Html(f'<button type="button" class="rk-sort">{escape(name)}</button>') if sortable else text(name)


def two_lines(first: object, second: object) -> Html:
    """Return a cell with a second, softer line."""
    below = f'<div class="rk-soft">{text(second)}</div>' if second else ""
    return Html(f"<div>{text(first)}</div>{below}")


def notice(title: object, below: object) -> Html:
    """Return a warning: the fault, and what to do; a fragment follows a colon."""
    end = "." if str(below)[:1].isupper() else ":"
    return Html(
        f'<div class="rk-notice" role="alert"><span aria-hidden="true">!</span><div><strong>{text(title)}{end}</strong> '
        f"{text(below)}</div></div>"
    )


def empty(title: str, what_to_do: str) -> Html:
    """Return the text of an empty view: why, and what to do. `code` in back quotes is set as code."""
    return Html(f'<div class="rk-empty"><h2 class="rk-h2">{escape(title)}</h2><p>{coded(what_to_do)}</p></div>')


def plain_markdown(words: str) -> str:
    """Return words escaped for markdown: no emphasis, formula or link is made of them or of an e-mail address.

    >>> plain_markdown("5 *to* m@a").encode("ascii", "namereplace").decode()
    '5 \\\\*to\\\\* m\\\\N{WORD JOINER}\\\\@a'
    """
    escaped = "".join(f"\\{each}" if each in punctuation else each for each in straight(words))
    return escaped.replace("\\@", "\N{WORD JOINER}\\@")


def coded(words: str) -> Html:
    """Return words with text in back quotes set as code."""
    parts = escape(words).split("`")
    return Html("".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts)))
