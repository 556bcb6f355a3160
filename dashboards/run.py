"""Starts the pages: the command, and the environment from which a page learns its warehouse and log."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WAREHOUSE_VARIABLE = "RACK_WAREHOUSE"
LOG_VARIABLE = "RACK_LOG"
LOG_OPTIONS_VARIABLE = "RACK_LOG_OPTIONS"
"""How the log is reached, as JSON (`security` of a Kafka cluster): secrets, so it goes by the environment, never by a flag."""

KEY_VARIABLE = "RACK_KEY"
"""The file of the log's key, with which packets are signed."""

PERSONS_VARIABLE = "RACK_PERSONS"
"""The register of persons who may act on findings and disputes."""

REPORTS_VARIABLE = "RACK_REPORTS"
"""The property's settings for its reports (`reports.toml`)."""

CAMERAS_VARIABLE = "RACK_CAMERAS"
"""The cameras: which table each sees, and where its video is."""
OUTBOX_VARIABLE = "RACK_OUTBOX"
"""The outbox of alarms, if it is not next to the log."""

CASES_VARIABLE = "RACK_CASES"
"""The folder of cases: the property's settings for them, and their attachments."""

WITNESS_VARIABLE, WITNESS_KEY_VARIABLE = "RACK_WITNESS", "RACK_WITNESS_KEY"
"""The folder of a witness, and the file of its public key."""

ACCESS_VARIABLE = "RACK_ACCESS"
LOGIN, READ_ONLY = "login", "read-only"
"""How the pages are served: to those who log in, each as their role allows; or to anyone at this machine, to look only."""

SIGN_IN_VARIABLE = "RACK_SIGN_IN"
"""The login file, if the sign-in is our own and this server serves it."""

HOSTS_VARIABLE = "RACK_HOSTS"
"""The names next to this machine's own under which the pages answer, separated by blanks."""

DEFAULT_WAREHOUSE = Path("demo") / "warehouse.duckdb"
HERE = Path(__file__).parent


def command(
    warehouse_path: str | Path,
    port: int,
    log: str | None = None,
    *,
    login: str | Path | None = None,
    witness: tuple[Path, Path] | None = None,
    hosts: Sequence[str] = (),
    persons: Path | None = None,
    own_sign_in: bool = False,
) -> list[str]:
    """Return the command that serves the pages on 127.0.0.1 and connects to no other address.

    `login` is the file with Streamlit's `[auth]` and our `[roles]`; without it, the pages are read-only. `log` is the address of
    the log; without it, the pages show only the warehouse, and nothing can be reviewed. `witness` is a witness's folder and the
    file of its public key; `hosts` the host names under which a proxy passes requests on; `persons` the register of people who
    may act; `own_sign_in`: the login file sets up the house's own sign-in. Paths are passed through `env`, so that the list can
    be run unchanged.
    """
    given = [
        f"{WAREHOUSE_VARIABLE}={Path(warehouse_path).absolute()}",
        f"{LOG_VARIABLE}={log or ''}",
        f"{ACCESS_VARIABLE}={READ_ONLY if login is None else LOGIN}",
        f"{WITNESS_VARIABLE}={witness[0].absolute() if witness else ''}",
        f"{WITNESS_KEY_VARIABLE}={witness[1].absolute() if witness else ''}",
        f"{PERSONS_VARIABLE}={'' if persons is None else persons.absolute()}",
        f"{SIGN_IN_VARIABLE}={Path(login).absolute() if login and own_sign_in else ''}",
        f"{HOSTS_VARIABLE}={' '.join(hosts)}",
    ]
    return [
        "env",
        *given,
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(HERE / "start" / "discard_rack.py"),
        "--server.address=127.0.0.1",
        f"--server.port={port}",
        "--server.headless=true",
        "--server.showEmailPrompt=false",
        "--server.fileWatcherType=none",
        "--browser.gatherUsageStats=false",
        "--client.toolbarMode=minimal",
        "--client.showErrorDetails=none",
        "--client.showErrorLinks=false",
        "--client.disableDataExport=true",
        "--runner.magicEnabled=false",
        f"--theme.base={HERE / 'theme.toml'}",
        *([] if login is None else [f"--secrets.files={Path(login).absolute()}"]),
    ]


def warehouse_path() -> Path:
    """Return the warehouse of this process: `RACK_WAREHOUSE`, else where `rack demo` puts it."""
    return Path(os.environ.get(WAREHOUSE_VARIABLE) or DEFAULT_WAREHOUSE)


def log_address() -> str | None:
    """Return the address of the log of this process (`RACK_LOG`); None if the pages were started without one."""
    return os.environ.get(LOG_VARIABLE) or None


def addressed(command: str) -> str:
    """Return a command with the log and the warehouse of these pages in the place of ADDR and FILE, so that it can be copied."""
    command = command.replace("--warehouse FILE", f"--warehouse {shlex.quote(str(warehouse_path()))}")
    log = log_address()
    return command if log is None else command.replace("--log ADDR", f"--log {shlex.quote(log)}")


def log_options() -> dict[str, Any]:
    """Return the options for opening the log."""
    options: dict[str, Any] = json.loads(os.environ.get(LOG_OPTIONS_VARIABLE) or "{}")
    return options


def key_path() -> Path | None:
    """Return the file of the log's key (`RACK_KEY`); None if the pages were started without one, or it is not made yet."""
    path = os.environ.get(KEY_VARIABLE)
    return Path(path) if path and Path(path).is_file() else None


def persons_path() -> Path | None:
    """Return the register of persons (`RACK_PERSONS`); None if the pages were started without one."""
    path = os.environ.get(PERSONS_VARIABLE)
    return Path(path) if path else None


def reports_path() -> Path | None:
    """Return the file of settings for reports (`RACK_REPORTS`); None if the pages were started without it."""
    path = os.environ.get(REPORTS_VARIABLE)
    return Path(path) if path else None


def cameras_path() -> Path | None:
    """Return the file of cameras (`RACK_CAMERAS`); None if the pages were started without it."""
    path = os.environ.get(CAMERAS_VARIABLE)
    return None if not path else Path(path)


def outbox_path() -> Path | None:
    """Return the outbox of alarms (`RACK_OUTBOX`); None if the pages were started without one."""
    path = os.environ.get(OUTBOX_VARIABLE)
    return Path(path) if path else None


def cases_path() -> Path | None:
    """Return the folder of cases (`RACK_CASES`); None if the pages were started without one."""
    path = os.environ.get(CASES_VARIABLE)
    return Path(path) if path else None


def own_sign_in_path() -> Path | None:
    """Return the login file of the house's own sign-in (`RACK_SIGN_IN`); None if people sign in elsewhere."""
    path = os.environ.get(SIGN_IN_VARIABLE)
    return Path(path) if path else None


def public_hosts() -> list[str]:
    """Return the additional host names of the pages (`RACK_HOSTS`)."""
    return os.environ.get(HOSTS_VARIABLE, "").split()


def witness_paths() -> tuple[Path, Path] | None:
    """Return the folder of a witness and the file of its public key; None if the pages were started without."""
    folder, key = os.environ.get(WITNESS_VARIABLE), os.environ.get(WITNESS_KEY_VARIABLE)
    return (Path(folder), Path(key)) if folder and key else None
