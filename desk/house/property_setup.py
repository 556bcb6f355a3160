"""Writes the files of a running property from `property.toml`: people, cameras, alarms, reports, and systemd units.

A file that people wrote is never overwritten: to have it made, move it away. The exception is the register of people: it gains
and changes entries, and keeps those that the file does not name.
"""

import json
import os
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from desk.house.property_file import FILE, Property
from desk.house.units import units
from desk.review.persons import entry
from desk.review.persons import read as read_persons
from desk.sign_in.login_file import local_login_text

MADE: Final = f"# Made from {FILE} by `rack apply`: change that file, and apply it again.\n"


class Written(NamedTuple):
    """A file that applying writes (`+`, `~`), leaves unchanged (`=`), or leaves to its author (`!`)."""

    mark: str
    path: Path
    text: str
    says: str
    mode: int = 0o640

    def write(self) -> None:
        """Write the file if needed, whole or not at all."""
        if self.mark not in "+~":
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name(f".{self.path.name}.new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, self.mode), "w", encoding="utf-8") as file:
            file.write(self.text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)


def running_files(made: Property) -> Iterator[Written]:
    """Yield each file of a property and what applying does to it."""
    yield _persons(made)
    for name, content in (("cameras.toml", _cameras(made)), ("alarms.toml", _alarms(made)), ("reports.toml", _reports(made))):
        if content is not None:
            yield _file(made.folder / name, MADE + toml_of(content))
    login = _login(made)
    if login is not None:
        yield login
    for name, text in units(made).items():
        yield _file(made.folder / "units" / name, MADE + text)


def _file(path: Path, text: str) -> Written:
    name = path.name
    if not path.exists():
        return Written("+", path, text, f"{name}, a new file")
    before = path.read_text(encoding="utf-8")
    if before == text:
        return Written("=", path, text, f"{name} as it is")
    if not before.startswith(MADE):
        return Written("!", path, text, f"{name} was written by hand and is kept; move it away to have it made from {FILE}")
    return Written("~", path, text, f"{name}, written again")


def _login(made: Property) -> Written | None:
    """Return the login file of the house's own sign-in: its secrets are made once, and only its owner can read it."""
    at = made.form.sign_in
    if at is None:
        return None
    path = made.folder / "login.toml"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    text = MADE + local_login_text(made.form.property.name, at.address, at.port, before)
    return _file(path, text)._replace(mode=0o600)


def _persons(made: Property) -> Written:
    path = made.folder / "persons.toml"
    ours = made.persons.all
    before = read_persons(path).all if path.exists() else ()
    kept = [person for person in before if person.id not in {each.id for each in ours}]
    text = "\n".join(entry(person) for person in (*ours, *kept))
    old = {person.id: person for person in before}
    new = sum(person.id not in old for person in ours)
    changed = sum(person.id in old and old[person.id] != person for person in ours)
    others = f", {len(kept)} that {FILE} does not name kept" if kept else ""
    if not new and not changed:
        return Written("=", path, text, f"{len(ours)} persons as they are{others}")
    mark = "+" if not before else "~"
    return Written(
        mark, path, text, f"persons.toml: {new} new, {changed} changed, {len(ours) - new - changed} as they are{others}"
    )


def _cameras(made: Property) -> dict[str, Any] | None:
    cameras = [
        {
            "id": each.id,
            "clock_offset_ms": each.clock_offset_ms,
            "system": each.system,
            "name": each.name,
            "sees": [{"table": table} for table in each.sees],
        }
        for each in made.form.camera
        if each.closed is None
    ]
    if not cameras:
        return None
    systems = {name: msgspec.to_builtins(system) for name, system in made.form.system.items()}
    return {"form": "discard-rack cameras 1", "system": systems, "camera": cameras}


def _alarms(made: Property) -> dict[str, Any] | None:
    form = made.form
    if form.mail is None or not form.route:
        return None
    names = [f"route-{number}" for number in range(1, len(form.route) + 1)]
    return {
        "form": "discard-rack alarms 1",
        "mail": msgspec.to_builtins(form.mail),
        "receiver": {name: {"mail_to": list(way.to)} for name, way in zip(names, form.route, strict=True)},
        "role": {name: [name] for name in names},
        "route": [
            {"to": name, "severity": way.severity, "codes": list(way.codes), "tables": list(way.tables)}
            for name, way in zip(names, form.route, strict=True)
        ],
    }


def _reports(made: Property) -> dict[str, Any] | None:
    pits: dict[str, list[str]] = {}
    for table in made.form.table:
        if table.pit is not None:
            pits.setdefault(table.pit, []).append(table.id)
    if not pits:
        return None
    return {"pits": [{"from": made.form.property.first_day, "tables": pits}]}


def toml_of(content: dict[str, Any]) -> str:
    """Return plain values as TOML: None is left out, nested tables are inline.

    >>> print(toml_of({"form": "x", "role": {"a": ["b"]}, "route": [{"to": "a", "codes": None}]}), end="")
    form = "x"
    <BLANKLINE>
    [role]
    a = ["b"]
    <BLANKLINE>
    [[route]]
    to = "a"
    """
    lines = []
    plain = {key: value for key, value in content.items() if not isinstance(value, dict) and not _is_tables(value)}
    lines += [f"{key} = {value_text(value)}" for key, value in plain.items() if value is not None]
    for key, value in content.items():
        for header, table in (
            [(f"[{key}]", value)] if isinstance(value, dict) else [(f"[[{key}]]", each) for each in _tables(value)]
        ):
            if table:
                lines += ["", header, *(f"{_key(name)} = {value_text(each)}" for name, each in table.items() if each is not None)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _tables(value: object) -> list[dict[str, Any]]:
    return value if isinstance(value, list) and _is_tables(value) else []


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)


def value_text(value: Any) -> str:
    """Return a plain value as inline TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {value_text(each)}" for name, each in value.items() if each is not None) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, date | datetime):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False)
