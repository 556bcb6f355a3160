"""The register of persons: who may act on findings and disputes, under one id each.

The idea of this file: a second signature needs two people, not two names. So a typed name is never taken as it is. It is looked
up in a file kept by the property's administrator, in the form that all its spellings share, and the person's id is recorded. Two
entries that could be one person are refused when the file is read.

    [[person]]
    id = "m.ortiz"
    name = "Maria Ortiz"
    accounts = ["m.ortiz@bellwether.example"]    # other names of the same person, such as that of the sign-in
    roles = ["pit", "compliance"]                # what the person may write at tables, next to reviews
"""

import json
import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from events.log.plain_file import read_toml

LONGEST_TOKEN = 25
"""The longest id of a person in the source of an event: `filing-` and 25 characters are 32."""
ID = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
LONGEST_NAME = 80
MOST_NAMED = 12
"""At most this many persons are named in a refusal."""
ROLES = ("administrator", "analyst", "auditor", "compliance", "count", "pit", "surveillance")
"""The roles of a person. At tables `pit` writes its entries, `count` what drop boxes held, `compliance` the rules."""


class ReviewRefused(ValueError):
    """The request contradicts the review's state or names something unknown: nothing was written. It says what to do."""


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """One person: the recorded id, the readable name, the other sign-in names, the roles."""

    id: str
    name: str
    accounts: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()

    @property
    def token(self) -> str:
        """The id in the form of table events; no two people share it (see `Persons`).

        >>> Person(id="m.ortiz", name="Maria Ortiz").token
        'm-ortiz'
        """
        return re.sub(r"[._@+]", "-", self.id)


class Persons:
    """Everyone registered. Raises `ReviewRefused` if two entries could be one person, or a value is invalid.

    >>> Persons([Person(id="m.ortiz", name="M. Ortiz", accounts=("ortiz@x",))], "persons.toml").find(" ORTIZ@x ").id
    'm.ortiz'
    """

    def __init__(self, persons: Sequence[Person], where: str) -> None:
        self.all, self.where = tuple(persons), where
        self._by_spelling: dict[str, Person] = {}
        letters: dict[str, tuple[Person, str]] = {}
        for person in self.all:
            _check(person, where)
            for spelling in (person.id, *person.accounts):
                other, as_written = letters.setdefault(_letters(spelling), (person, spelling))
                if other is not person:
                    raise ReviewRefused(
                        f"{where}: {spelling!r} and {as_written!r} are one name but for punctuation, and two names must be two "
                        "people; make them accounts of one person, or choose an id with other letters or digits"
                    )
                self._by_spelling[normal(spelling)] = person

    def find(self, spelling: str) -> Person | None:
        """Return the person with this id or account, however it is spelled, or None."""
        return self._by_spelling.get(normal(spelling))

    def known(self, spelling: str) -> Person:
        """Return the person with this id or account. Raises `ReviewRefused` if no one is registered under it."""
        person = self.find(spelling)
        if person is None:
            names = ", ".join(sorted(each.id for each in self.all)[:MOST_NAMED]) or "nobody"
            more = f" and {len(self.all) - MOST_NAMED} more" if len(self.all) > MOST_NAMED else ""
            raise ReviewRefused(
                f"{spelling[:LONGEST_NAME]!r} is not registered, and only registered persons act. "
                f"In {self.where} are: {names}{more}. Use one of these ids, or have the administrator register the person: "
                "rack review register ID --name TEXT (--account NAME for the name of a sign-in)"
            )
        return person


def acting(persons: Persons, spelling: str, *roles: str) -> Person:
    """Return the acting person, in one of these roles. Raises `ReviewRefused` if that person may not."""
    person = persons.known(spelling)
    if not set(roles) & set(person.roles):
        raise ReviewRefused(
            f"{person.id} has {', '.join(person.roles) or 'no role'} in {persons.where}, and this takes {' or '.join(roles)}; "
            "have the administrator add the role, or let somebody else do it"
        )
    if len(person.token) > LONGEST_TOKEN:
        raise ReviewRefused(
            f"{person.id}: events of a table have room for an id of {LONGEST_TOKEN} characters; register a shorter id, and this "
            "one as an account"
        )
    return person


def normal(spelling: str) -> str:
    """Return the common form of a name's spellings: normalized (NFKC), case folded, no blanks.

    >>> normal(" M.Ortiz"), normal("\\uff4d.ortiz\\u200b"), normal("m.ortiz") == normal("m.\\u043ertiz")
    ('m.ortiz', 'm.ortiz', False)
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", spelling).casefold())
    return "".join(char for char in folded if unicodedata.category(char)[0] not in "CZ")


def read(path: Path) -> Persons:
    """Read a register. Raises `ReviewRefused`, which names the file, the entry, and what to do."""
    try:
        if path.stat().st_mode & 0o022:
            raise ReviewRefused(f"{path}: other users can change this file, which says who may sign; run chmod go-w on it")
        content = read_toml(path)
    except FileNotFoundError:
        raise ReviewRefused(
            f"{path}: there is no register of persons, and only registered persons act; "
            "make it with rack review register ID --name TEXT, once for each person"
        ) from None
    except ValueError as error:
        raise ReviewRefused(f"{path}: expected TOML with an entry [[person]] for each person: {error}") from error
    if set(content) - {"person"}:
        raise ReviewRefused(f"{path}: expected only entries [[person]], found {min(set(content) - {'person'})!r}")
    try:
        persons = msgspec.convert(content.get("person", []), list[_Entry])
    except msgspec.ValidationError as error:
        raise ReviewRefused(f"{path}: [[person]] has id, name and accounts: {error}") from error
    return Persons(
        [Person(id=each.id, name=each.name, accounts=tuple(each.accounts), roles=tuple(each.roles)) for each in persons],
        str(path),
    )


def register(path: Path, person: Person) -> Persons:
    """Add a person to a register, made if none exists; return it. Raises `ReviewRefused`, and `OSError`."""
    before = read(path) if path.exists() else Persons((), str(path))
    after = Persons((*before.all, person), str(path))
    fresh = path.with_name(f".{path.name}.new")
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
            file.write((path.read_text(encoding="utf-8").rstrip("\n") + "\n\n" if path.exists() else "") + entry(person))
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except FileExistsError:
        raise ReviewRefused(f"{fresh} exists: somebody else is registering a person; if not, remove that file") from None
    return after


def entry(person: Person) -> str:
    """Return a person's entry of the file."""
    accounts = f"accounts = {_quoted(list(person.accounts))}\n" if person.accounts else ""
    roles = f"roles = {_quoted(list(person.roles))}\n" if person.roles else ""
    return f"[[person]]\nid = {_quoted(person.id)}\nname = {_quoted(person.name)}\n{accounts}{roles}"


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    name: str
    accounts: list[str] = []
    roles: list[str] = []


def _check(person: Person, where: str) -> None:
    for spelling in (person.id, *person.accounts):
        if not ID.fullmatch(spelling):
            raise ReviewRefused(
                f"{where}: {spelling[:LONGEST_NAME]!r} is no id of a person: expected 1 to 64 small letters a to z, digits "
                "and . _ @ + - with a letter or digit first, such as m.ortiz"
            )
    unknown = sorted(set(person.roles) - set(ROLES))
    if unknown:
        raise ReviewRefused(f"{where}: {person.id}: {unknown[0]!r} is no role: expected one of {', '.join(ROLES)}")
    if not person.name.strip() or len(person.name) > LONGEST_NAME or not person.name.isprintable():
        raise ReviewRefused(f"{where}: {person.id} needs a name of 1 to {LONGEST_NAME} printable characters")


def _letters(spelling: str) -> str:
    """A name without punctuation: `m.ortiz` and `m_ortiz` must not be two people."""
    return re.sub(r"[._@+-]", "", spelling)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
