"""Citations: the section of the regulation that a number, a line or a rule stands in.

Chapters 645c, 659a and 688a are cited as 58 Pa. Code; 686a, 687a and 688a as first proposed are known from the annex to
a rulemaking and are cited by it (D14); the California text by the Bureau's number of the game.
"""

from __future__ import annotations

import functools
from typing import Final

ANNEX: Final = "Annex A, rulemaking 125-223, § {chapter}.{section}"
CODE: Final = "58 Pa. Code § {chapter}.{section}"

# chapter -> (how it is cited, the number it is cited under). What is not here is a chapter of 58 Pa. Code.
_FORMS: Final = {
    "686a": (ANNEX, "686a"),
    "687a": (ANNEX, "687a"),
    "688a-proposed": (ANNEX, "688a"),
    "gegr-002138": ("{chapter}, {section}", "GEGR-002138"),
}


ASSUMED: Final = ", assumed (D13)"


class Citation(str):
    """The text of a citation, such as `58 Pa. Code § 688a.12(b)`."""

    __slots__ = ()

    @property
    def assumed(self) -> bool:
        """Whether the section is of a chapter that we do not hold, and is read as another one's (D13)."""
        return self.endswith(ASSUMED)


@functools.lru_cache(maxsize=4096)
def cite(chapter: str, section: str, assumed: bool = False) -> Citation:
    """Return the citation of a section of a chapter.

    >>> cite("688a", "12(b)")
    '58 Pa. Code § 688a.12(b)'
    >>> cite("687a", "12(c)")
    'Annex A, rulemaking 125-223, § 687a.12(c)'
    """
    form, number = _FORMS.get(chapter, (CODE, chapter))
    return Citation(form.format(chapter=number, section=section) + (ASSUMED if assumed else ""))
