"""Mutants as data: reads `mutants.toml`, and puts one of them into a tree."""

import tomllib
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class NoFit(Exception):
    """The text that a mutant changes is not there exactly once: the code has moved on and the mutant must follow."""


class Mutant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One seeded defect: in `file`, the one place that reads `find` reads `replace` instead."""

    name: str
    file: str
    find: str
    replace: str
    why: str

    def applied(self, root: Path) -> str:
        """Return the text of the mutant's file with the defect in it. Raises `NoFit`."""
        text = (root / self.file).read_text(encoding="utf-8")
        found = text.count(self.find)
        if found != 1:
            raise NoFit(f"{self.name}: the mutant no longer fits: its text is {found} times in {self.file}")
        return text.replace(self.find, self.replace)


def load(path: Path = HERE / "mutants.toml") -> list[Mutant]:
    """Return all mutants, in the order of the file."""
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8"))["mutant"], list[Mutant])
