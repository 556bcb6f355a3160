"""The people of the test property, who may act on findings; their sign-ins are those of the trial login."""

from pathlib import Path

from desk.review.desk import Desk
from desk.review.persons import Person, Persons, entry
from trial.property_folder import PERSONS

PEOPLE = Persons(
    [
        Person(id=name, name=name.upper(), accounts=(f"{name}@bellwether.example",))
        for name in ("m.ortiz", "s.lee", "r.haas", "k.may")
    ],
    PERSONS,
)


def pay_what_is_owed(desk: Desk) -> None:
    """Pay every patron who is short, signed by two people: no dispute is closed before."""
    for each in desk.cases():
        cents = each.finding.difference_cents or 0
        if cents < 0 and each.review.resolution is None:
            desk.resolve(each.finding.id, disposition="confirmed_paid_patron", amount_cents=-cents, by="r.haas", reason="paid")
            desk.sign(each.finding.id, by="k.may", reason="seen")


def register_people(folder: Path) -> None:
    """Write the register next to a log in a folder."""
    (folder / PERSONS).touch(0o600)
    (folder / PERSONS).write_text("\n".join(entry(person) for person in PEOPLE.all))
