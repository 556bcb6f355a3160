"""The known editions of every chapter: the changes and first day of each, and the amendments whose text we do not hold."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from rulebook.chapters.chapter_files import amendment_texts, chapter_names, table_of
from rulebook.chapters.editions import Amendment, read_amendment


class KnownEdition(NamedTuple):
    """An edition of a chapter. `edition` and `effective` are None if the amendment's text is not held.

    `held`: by the program, by the property that published it, or by neither.
    """

    chapter: str
    edition: int | None
    effective: str | None
    published: str
    cite: str
    changes: str
    held: Literal["program", "property", "not held"]


def known_editions(published: Iterable[str] = ()) -> list[KnownEdition]:
    """Return every edition of every chapter, with the amendments of these texts that a property published.

    >>> [(each.cite, each.held) for each in known_editions() if each.chapter == "pa-687a"][1:]
    [('55 Pa.B. 261', 'not held')]
    """
    brought = [read_amendment(text) for text in published]
    editions: list[KnownEdition] = []
    for jurisdiction, names in chapter_names().items():
        for name in names:
            key, table = f"{jurisdiction}-{name}", table_of(jurisdiction, name)
            said = table.get("published", "")
            editions.append(KnownEdition(key, 1, table["effective"].isoformat(), said, said, "the first edition", "program"))
            held = [read_amendment(text) for text in amendment_texts(jurisdiction, name)]
            numbers = {each.edition for each in held}
            added = [each for each in brought if each.key == key and each.edition not in numbers]
            editions += [_known(each, "program") for each in held] + [_known(each, "property") for each in added]
            editions += [
                KnownEdition(key, None, None, each["published"], each["cite"], each["changes"], "not held")
                for each in table.get("not_held", ())
                if each["cite"] not in {made.cite for made in (*held, *added)}
            ]
    return editions


def _known(made: Amendment, held: Literal["program", "property"]) -> KnownEdition:
    return KnownEdition(made.key, made.edition, made.effective, made.published, made.cite, "; ".join(what_changes(made)), held)


def what_changes(made: Amendment) -> Iterator[str]:
    """Yield what an amendment changes, a phrase each.

    >>> from rulebook.chapters.editions import amendment_from_words
    >>> words = "pa-688a 2 2027-02-01 line=ace_high_bonus/1/both_ace_high/25:1 strike=fortune_bonus"
    >>> list(what_changes(read_amendment(amendment_from_words(words.split()))))
    ['strikes fortune_bonus', 'line ace_high_bonus/1/both_ace_high']
    """
    for strike in made.strikes:
        named = [getattr(strike, name) for name in strike.__struct_fields__ if getattr(strike, name) is not None]
        yield f"strikes {'/'.join(named)}"
    for line in made.table.get("line", ()):
        yield f"line {line.get('wager')}/{line.get('paytable')}/{line.get('hand')}"
    for key, value in made.table.items():
        if key in ("numbers", "sections"):
            yield f"{key} {', '.join(value)}"
        elif isinstance(value, list) and key not in ("line", "strike"):
            yield f"{key} {', '.join(map(_name, value))}"
        elif key in ("title", "wager_forms") or key.endswith("_cite"):
            yield key


def _name(entry: Any) -> str:
    return "/".join(str(entry[key]) for key in ("wager", "name") if key in entry)
