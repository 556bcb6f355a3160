"""Service files, container and compose file: parsed, and every command and path in them is one that there is."""

import configparser
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rack import settings
from rack.cli import build_parser
from rack.settings import DEFAULT_PORT

ROOT = Path(__file__).resolve().parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
CONTAINERS = ROOT / "deploy" / "containers"
COMPOSE: dict[str, Any] = yaml.safe_load((CONTAINERS / "compose.yaml").read_text())
OURS = {name: each for name, each in COMPOSE["services"].items() if name != "proxy"}
FOLLOWS = {"gateway", "replay", "checkpoint", "dashboard", "metrics"}
"""The commands that run always (docs/operator-guide.md)."""


class Unit(configparser.RawConfigParser):
    """A unit as systemd reads it: the case of its settings counts."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def unit(path: Path) -> configparser.SectionProxy:
    """The section [Service] of a unit, of which no setting is twice."""
    parser = Unit(strict=True)
    parser.read_string(path.read_text())
    assert parser["Install"]["WantedBy"] == "multi-user.target"
    return parser["Service"]


def check_command(words: list[str]) -> str:
    """Return the command's name; the whole must be one that `rack` takes."""
    arguments = vars(build_parser().parse_args(words))
    return str(arguments["command"])


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_runs_a_command_that_there_is(path: Path) -> None:
    service = unit(path)
    program, *words = shlex.split(service["ExecStart"])
    assert program == "/opt/rack/bin/rack"
    check_command(words)
    for word in words:
        assert not word.startswith("/") or word.startswith(("/var/lib/rack/", "/etc/rack/")), word
    assert service["EnvironmentFile"] == "/etc/rack/rack.env"
    assert (service["StateDirectory"], service["User"], service["KillSignal"]) == ("rack", "rack", "SIGINT")


@pytest.mark.slow
def test_units_and_services_run_all_that_always_runs() -> None:
    units = {check_command(shlex.split(unit(path)["ExecStart"])[1:]) for path in UNITS}
    services = {check_command(each["command"]) for name, each in OURS.items() if name != "office"}
    assert units == services == FOLLOWS


def test_units_are_what_systemd_reads(tmp_path: Path) -> None:
    try:
        subprocess.run(["systemd-analyze", "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("systemd-analyze is not there")
    for path in UNITS:
        (tmp_path / path.name).write_text(path.read_text().replace("/opt/rack/bin/rack", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / path.name) for path in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in done.stderr.splitlines() if "rack-" in line]
    assert not ours


def test_the_environment_names_only_variables_that_are_read() -> None:
    said = (ROOT / "deploy" / "systemd" / "rack.env").read_text()
    named = set(re.findall(r"^#? ?(RACK_\w+)=", said, re.MULTILINE)) | set(COMPOSE["x-rack"]["environment"])
    assert named
    assert all(f"`{name}`" in (settings.__doc__ or "") for name in named)


def steps() -> Iterator[tuple[str, str]]:
    """The instructions of the Containerfile, continued lines joined."""
    text = (CONTAINERS / "Containerfile").read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            yield word, rest


def test_the_container_copies_what_there_is_and_all_that_is_packed() -> None:
    copied = [rest.split()[:-1] for word, rest in steps() if word == "COPY" and not rest.startswith("--from")]
    sources = {name for names in copied for name in names}
    assert all((ROOT / name).exists() for name in sources)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packed = {name.removesuffix("*") for name in project["tool"]["setuptools"]["packages"]["find"]["include"]}
    assert packed <= sources
    assert {"pyproject.toml", "requirements.lock", "README.md", "LICENSE", "NOTICE"} <= sources
    assert dict(steps())["ENTRYPOINT"] == '["/opt/rack/bin/rack"]'


def test_the_compose_file_builds_it_and_publishes_the_proxy_alone() -> None:
    build = COMPOSE["x-rack"]["build"]
    assert (CONTAINERS / build["context"] / build["dockerfile"]).resolve() == CONTAINERS / "Containerfile"
    for name, each in COMPOSE["services"].items():
        assert ("ports" in each) == (name == "proxy")
        for volume in each["volumes"]:
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or source == "./config" or (CONTAINERS / source).is_file()
    assert all(each["network_mode"] == "service:proxy" for each in OURS.values())


def test_the_proxy_leads_to_where_the_parts_listen() -> None:
    said = (CONTAINERS / "Caddyfile").read_text()
    gateway = vars(build_parser().parse_args(OURS["gateway"]["command"]))["listen"]
    assert re.findall(r"reverse_proxy (\S+)", said) == [f"127.0.0.1:{DEFAULT_PORT}", gateway]


def test_what_is_to_be_typed_is_what_rack_takes() -> None:
    typed = re.findall(r"run --rm office (.+)", (CONTAINERS / "compose.yaml").read_text())
    assert [check_command(shlex.split(line)) for line in typed] == ["ingest", "keys", "devices"]
