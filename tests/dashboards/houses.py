"""A house without sensors, made by the commands as people would, and its pages served with its own sign-in."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from dashboards.run import command
from desk.house.table_lines import TableRecord, house_at
from desk.sign_in.accounts import Accounts
from desk.sign_in.login_file import local_sign_in
from rack.cli import main
from tests.dashboards.conftest import free_port, started

EVERYTHING = '["administrator", "compliance", "pit", "count", "surveillance"]'


class House(NamedTuple):
    """A house in a folder, and the port of its pages."""

    folder: Path
    port: int

    @property
    def log(self) -> str:
        return f"sqlite:///{self.folder / 'floor.db'}"

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def accounts(self) -> Accounts:
        local = local_sign_in(self.folder / "login.toml")
        assert local is not None
        return Accounts(local.accounts)

    def record(self, table: str) -> TableRecord:
        with house_at(self.log, read_only=True) as log:
            return TableRecord(log, table)

    def rack(self, *words: str, code: int = 0) -> None:
        assert main(["--quiet", *words]) == code, words

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve its pages; give their address."""
        words = command(
            self.folder / "warehouse.duckdb",
            self.port,
            self.log,
            login=self.folder / "login.toml",
            persons=self.folder / "persons.toml",
            own_sign_in=True,
        )
        with started(words, f"http://127.0.0.1:{self.port}", self.folder / "server.log"):
            yield self.address


def today() -> str:
    """The gaming day of a house whose days begin at 06:00 UTC."""
    return (datetime.now(UTC) - timedelta(hours=6)).date().isoformat()


def make(folder: Path, tables: str, people: dict[str, str], *, first_day: str = "") -> House:
    """Make a house: `people` are id → roles (TOML), the first of whom applies the file."""
    house = House(folder / "house", free_port())
    words = ["--name", "Bellwether", "--zone", "UTC", "--cutover", "06:00", "--currency", "USD"]
    house.rack("init", str(house.folder), *words, "--first-day", first_day or today(), "--tables", tables)
    file = house.folder / "property.toml"
    text = re.sub(r"# Your people.*?(?=\n\n)", "", file.read_text(), flags=re.DOTALL)
    text = text.replace("http://localhost:8501", f'{house.address}"\nport = {house.port}\n#"')
    for id_, roles in people.items():
        name = id_.replace(".", " ").title()
        account = f'accounts = ["{id_}@bellwether.example"]'
        text += f'\n[[person]]\nid = "{id_}"\nname = "{name}"\n{account}\nroles = {roles}\n'
    file.write_text(text)
    house.rack("apply", str(house.folder), "--by", next(iter(people)))
    return house
