"""Entries that a chapter takes from another in place of a chapter that we do not hold (D13): the same data, cited as assumed.

Invariant: it merges tables without interpreting them; of their contents it knows only which entries cite sections.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from rulebook.chapters.citation import Citation, cite

Table = Mapping[str, Any]

_WHOLE: Final = re.compile(r"[0-9]{3}[a-c]\.")
"""How a section begins that is named with its chapter."""
_LISTS: Final = ("deal_method", "starting", "shuffler", "setting")


def cited(chapter_name: str, section: str) -> Citation:
    """Cite a section of the chapter itself, or, if the name includes a chapter, of the chapter that substitutes for one that we
    do not hold.

    >>> cited("645c", "1(g)"), cited("645c", "688a.12(d)")
    ('58 Pa. Code § 645c.1(g)', '58 Pa. Code § 688a.12(d), assumed (D13)')
    """
    if _WHOLE.match(section) is None:
        return cite(chapter_name, section)
    other, _, rest = section.partition(".")
    return cite(other, rest, assumed=True)


def with_lent(table: Table, read: Callable[[str], Table]) -> Table:
    """Return a chapter's table with the numbers, options and settings of the chapter that it names as `lent`.

    `read` returns the table of a chapter. An assumed section refuses no filing: those that demand something of a filing are left
    out.

    >>> lender = {"numbers": {"seats": {"value": 6, "cite": "2(a)"}}}
    >>> with_lent({"lent": "688a"}, lambda name: lender)["numbers"]
    {'seats': {'value': 6, 'cite': '688a.2(a)'}}
    """
    name: str | None = table.get("lent")
    if name is None:
        return table
    lender = read(name)

    def as_lent(entry: Table) -> Table:
        lent = {key: value for key, value in entry.items() if key != "needs_shuffler"}
        return {**lent, "cite": f"{name}.{entry['cite']}"} if "cite" in entry else lent

    joined = dict(table)
    for key in _LISTS:
        joined[key] = [*(as_lent(entry) for entry in lender.get(key, ())), *table.get(key, ())]
    numbers = {key: as_lent(entry) for key, entry in lender["numbers"].items()}
    joined["numbers"] = {**numbers, **table.get("numbers", {})}
    return joined
