"""Defaults, and settings from the environment. Secrets come from the environment only, never from a flag.

| variable | what it sets | | --- | --- | | `RACK_LOG` | the log's address, where `--log` is not given | | `RACK_KEY` | the log's
key file, where `--key` is not given (`rack dispute`, `rack report`) | | `RACK_PERSONS` | the register of persons who may act on
findings; default: `persons.toml` next to a log on SQLite | | `RACK_CASES` | the folder of cases: `cases.toml` and `attachments`;
default: the folder of a log on this machine | | `RACK_REPORTS` | what the property filed for its reports; default: `reports.toml`
next to a log on this machine | | `RACK_ALARMS` | the settings of alarms, where `--settings` is not given; default: `alarms.toml`
next to a log on SQLite | | `RACK_OUTBOX` | the outbox of alarms, where `--outbox` is not given; default: `<log>.alarms` next to a
log on SQLite | | `RACK_CAMERAS` | which cameras see which table; default: `cameras.toml` next to a log on this machine | |
`RACK_OUT` | the folder of `rack demo` and `rack dashboard`, where `--out` is not given | | `RACK_PORT` | the port of the
dashboard | | `RACK_PUBLIC_HOSTS` | host names of the dashboard behind a proxy, separated by commas, where `--public-host` is not
given | | `RACK_DEVICE_TOKEN` | the token that `rack devices conform` shows | | `RACK_DEBUG` | `1` shows the traceback of an error
| | `RACK_KAFKA_PROTOCOL` | `SSL`, `SASL_SSL` or `SASL_PLAINTEXT`, where the brokers want it | | `RACK_KAFKA_CA`,
`RACK_KAFKA_CERTIFICATE`, `RACK_KAFKA_KEY` | PEM files for TLS | | `RACK_KAFKA_MECHANISM`, `RACK_KAFKA_USERNAME`,
`RACK_KAFKA_PASSWORD` | for SASL | | `RACK_DASK_CA`, `RACK_DASK_CERTIFICATE`, `RACK_DASK_KEY` | PEM files for TLS to a Dask
scheduler | | `RACK_KAFKA_REPLICATION`, `RACK_KAFKA_MIN_INSYNC`, `RACK_KAFKA_PARTITIONS` | topics of a new log (3 and 2 in
production) | | `RACK_KAFKA_SESSION_S` | for how long a silent member of a group of replayers keeps its partitions (10) |
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rack.errors import UsageError
from trial.property_folder import DEMO_KEY, PERSONS

REPORTS = "reports.toml"
"""The property's settings for its reports, next to a log on this machine."""
CAMERAS = "cameras.toml"
"""The cameras and the tables they see, next to a log on this machine."""
ALARMS = "alarms.toml"
"""The settings of alarms, next to a log on SQLite."""

DEFAULT_PORT = 8501
DEMO_SEED = 688
DEMO_ROUNDS = 2_400


@dataclass(frozen=True)
class Settings:
    """The settings used if the command line gives none."""

    log: str | None
    out: Path
    port: int
    public_hosts: tuple[str, ...] = ()


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings. Raises `UsageError`, which names an unreadable variable.

    >>> load({"RACK_LOG": "sqlite:///floor.db"}).log
    'sqlite:///floor.db'
    """
    env = os.environ if environment is None else environment
    return Settings(
        log=env.get("RACK_LOG") or None,
        out=Path(env.get("RACK_OUT") or "demo"),
        port=_port(env.get("RACK_PORT") or str(DEFAULT_PORT)),
        public_hosts=tuple(name.strip() for name in env.get("RACK_PUBLIC_HOSTS", "").split(",") if name.strip()),
    )


def log_address(flag: str | None) -> str:
    """Return the address of `--log`, else RACK_LOG. Raises `UsageError` if neither is given."""
    address = flag or load().log
    if address is None:
        raise UsageError("no log is named; give --log sqlite:///path/file.db or kafka://host:port/prefix, or set RACK_LOG")
    return address


def key_file(flag: Path | None, address: str) -> Path:
    """Return the log's key file: `--key`, RACK_KEY, or the demo's for its log. Raises `UsageError` if none exists."""
    if (given := flag or _named("RACK_KEY")) is not None:
        return given
    demo = _beside(address, DEMO_KEY, "sqlite")
    if demo is not None and demo.is_file():
        return demo
    raise UsageError("exports are signed with the log's key; give --key FILE, or set RACK_KEY (`rack keys new` makes one)")


def persons_file(address: str) -> Path | None:
    """Return a log's register of people: RACK_PERSONS, else the file next to a log on SQLite; None if neither is named."""
    return _named("RACK_PERSONS") or _beside(address, PERSONS, "sqlite")


def cases_folder(address: str) -> Path | None:
    """Return the folder of the property's cases: RACK_CASES, else that of a log on this machine; None if neither is named."""
    return _named("RACK_CASES") or _beside(address, "")


def reports_file(address: str) -> Path | None:
    """Return the settings for reports: RACK_REPORTS, else the file next to a log on this machine; or None."""
    return _named("RACK_REPORTS") or _beside(address, REPORTS)


def cameras_file(address: str) -> Path | None:
    """Return the file of cameras: RACK_CAMERAS, else an existing one next to a log on this machine; or None."""
    beside = _beside(address, CAMERAS)
    return _named("RACK_CAMERAS") or (beside if beside is not None and beside.is_file() else None)


def _named(variable: str) -> Path | None:
    return Path(os.environ[variable]) if os.environ.get(variable) else None


def _beside(address: str, name: str, *backends: str) -> Path | None:
    """Return a file next to a log on one of these backends (none given: any on this machine); without a name, its folder."""
    from events.open import ON_THIS_MACHINE, parse_address

    backend, place = parse_address(address)
    return Path(place).parent / name if backend in (backends or ON_THIS_MACHINE) else None


def alarms_file(flag: Path | None, log: str | None) -> Path:
    """Return the settings of alarms: `--settings`, else RACK_ALARMS, else the file next to the log on SQLite.

    Raises `UsageError` if none is named.
    """
    address = log or load().log
    found = flag or _named("RACK_ALARMS") or (None if address is None else _beside(address, ALARMS, "sqlite"))
    if found is not None:
        return found
    raise UsageError("no settings of alarms are named; give --settings FILE, or set RACK_ALARMS")


def outbox_of(address: str) -> Path | None:
    """Return the outbox of a log's alarms: RACK_OUTBOX, else the one next to a log on SQLite; None if neither is named."""
    from desk.alarms.outbox import outbox_beside

    return _named("RACK_OUTBOX") or outbox_beside(address)


def outbox_file(flag: Path | None, address: str) -> Path:
    """Return the outbox of a log's alarms. Raises `UsageError` if a log on Kafka has none."""
    found = flag or outbox_of(address)
    if found is None:
        raise UsageError("name the outbox of a log that is not on SQLite with --outbox FILE or RACK_OUTBOX")
    return found


_TOPICS = {"RACK_KAFKA_PARTITIONS": "partitions", "RACK_KAFKA_REPLICATION": "replication", "RACK_KAFKA_MIN_INSYNC": "min_insync"}


def kafka_security() -> dict[str, str]:
    """Return the Kafka client's sign-in options from the environment."""
    from events.kafka.security import security

    return security(os.environ)


def dask_tls(environment: Mapping[str, str] | None = None) -> tuple[str, str, str] | None:
    """Return the files for TLS to a Dask scheduler (CA, certificate, key), or None. Raises `UsageError` if one is missing.

    >>> dask_tls({}), dask_tls({"RACK_DASK_CA": "ca", "RACK_DASK_CERTIFICATE": "c", "RACK_DASK_KEY": "k"})
    (None, ('ca', 'c', 'k'))
    """
    env = os.environ if environment is None else environment
    names = ("RACK_DASK_CA", "RACK_DASK_CERTIFICATE", "RACK_DASK_KEY")
    ca, certificate, key = (env.get(name, "") for name in names)
    if ca and certificate and key:
        return ca, certificate, key
    if ca or certificate or key:
        raise UsageError(f"TLS to a scheduler needs all of {', '.join(names)}")
    return None


def kafka_topics(environment: Mapping[str, str] | None = None) -> dict[str, int]:
    """Return the settings of a new log's topics. Raises `UsageError`, which names a variable that is not a number."""
    return _numbers(_TOPICS, environment)


def kafka_group(environment: Mapping[str, str] | None = None) -> dict[str, int]:
    """Return the settings of a group of replayers. Raises `UsageError`, which names a variable that is not a number."""
    return _numbers({"RACK_KAFKA_SESSION_S": "session_s"}, environment)


def _numbers(names: Mapping[str, str], environment: Mapping[str, str] | None) -> dict[str, int]:
    env = os.environ if environment is None else environment
    chosen = {}
    for name, option in names.items():
        text = env.get(name)
        if text and not (text.isascii() and text.isdigit() and int(text) > 0):
            raise UsageError(f"{name} is {text!r}: expected a number of 1 or more")
        if text:
            chosen[option] = int(text)
    return chosen


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text) < 65_536:
        return int(text)
    raise UsageError(f"RACK_PORT is {text!r}: expected a number from 1 to 65535")
