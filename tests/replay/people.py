"""The people of the test property, who may act on findings; their sign-ins are those of the trial login."""

from __future__ import annotations

from pathlib import Path

from rack.settings import PERSONS
from replay.review.persons import Person, Persons, entry

PEOPLE = Persons(
    [
        Person(id=name, name=name.upper(), accounts=(f"{name}@bellwether.example",))
        for name in ("m.ortiz", "s.lee", "r.haas", "k.may")
    ],
    PERSONS,
)


def register_people(folder: Path) -> None:
    """Write the register beside a log in a folder."""
    (folder / PERSONS).touch(0o600)
    (folder / PERSONS).write_text("\n".join(entry(person) for person in PEOPLE.all))
