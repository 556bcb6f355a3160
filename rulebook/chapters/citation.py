"""Citations: the section of the regulation that a number, a line or a rule is in.

A chapter is cited as one of 58 Pa. Code unless its file says otherwise (`cited_as`): chapters that are known from the annex
to a rulemaking are cited by the annex (D14), the California text by the Bureau's number of the game.
"""

import functools
from typing import Final

from rulebook.chapters.chapter_files import citation_form

CODE: Final = "58 Pa. Code § {chapter}.{section}"
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
    """Return the citation of a section of a chapter, given by its number.

    >>> cite("688a", "12(b)")
    '58 Pa. Code § 688a.12(b)'
    >>> cite("687a", "12(c)")
    'Annex A, rulemaking 125-223, § 687a.12(c)'
    """
    form = citation_form(chapter) or CODE
    return Citation(form.format(chapter=chapter, section=section) + (ASSUMED if assumed else ""))
