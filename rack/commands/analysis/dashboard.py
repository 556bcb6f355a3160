"""`rack dashboard`: open the pages on a warehouse."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path

from rack import settings
from rack.arguments import PORT, add
from rack.errors import EnvironmentFault, Exit, UsageError
from rack.output import Output

HELP = "Serve the pages on the result of a demo or a replay"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    where = parser.add_mutually_exclusive_group()
    add(where, "--out DIR", "Folder of a demo (default: RACK_OUT, or demo).")
    add(where, "--warehouse FILE", "Warehouse that `rack replay` built.")
    add(parser, "--log ADDR", "Log whose findings are reviewed (default: the demo's, or RACK_LOG).")
    add(
        parser,
        "--witness DIR",
        "Folder of a witness of the log, or a copy of it; the Integrity page verifies and shows it.",
    )
    add(parser, "--witness-key FILE", "The witness's public key, as you received it.")
    how = parser.add_mutually_exclusive_group()
    add(how, "--login FILE", "Require sign-in; the file sets [auth] and [roles].")
    add(how, "--read-only", "No sign-in and no actions, on this machine only (the default for a demo).")
    add(
        parser,
        "--public-host NAME",
        "A host name under which a proxy passes requests on, beside this machine's own names and the one in the login "
        "file's redirect_uri; give the option again for each (default: RACK_PUBLIC_HOSTS).",
        action="append",
        default=[],
    )
    add(parser, "--port", "Port on 127.0.0.1 (default: RACK_PORT, or 8501).", type=PORT)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Serve the pages until interrupted."""
    from dashboards.access.login import check_login, public_hosts
    from dashboards.run import (
        CAMERAS_VARIABLE,
        CASES_VARIABLE,
        KEY_VARIABLE,
        LOG_OPTIONS_VARIABLE,
        REPORTS_VARIABLE,
        command,
    )
    from desk.sign_in.login_file import local_sign_in
    from rack.opening import options_of

    defaults = settings.load()
    warehouse = arguments.warehouse or (arguments.out or defaults.out) / settings.WAREHOUSE
    of_demo = None if arguments.warehouse else settings.demo_log(warehouse.parent)
    log = arguments.log or of_demo or defaults.log
    if not warehouse.is_file():
        ways = f"run `rack replay --log {log or 'ADDR'} --warehouse {warehouse}`"
        raise UsageError(f"{warehouse}: no warehouse; {ways}")
    hosts = public_hosts(arguments.public_host or defaults.public_hosts)
    local = None
    if arguments.login is not None:
        hosts.append(check_login(arguments.login))
        local = local_sign_in(arguments.login)
    elif not arguments.read_only and (of_demo is None or log != of_demo):  # a demo's patrons are no one
        raise UsageError(
            "choose how to serve the pages: --login FILE, or --read-only on this machine (docs/security.md)"
        )
    witness = _witness(arguments, log)
    port = arguments.port or (defaults.port if local is None else local.port)
    if local is not None and port != local.port:
        raise UsageError(
            f"{arguments.login} sets the sign-in up for port {local.port}, and --port is {port}: give that, or change "
            "[sign_in] of property.toml and apply it"
        )
    url = f"http://127.0.0.1:{port}" if local is None else local.address
    output.value({"url": url, "warehouse": str(warehouse), "log": log})
    output.note(f"serving {warehouse} at {url}; press Ctrl-C to stop")
    if log is None:
        output.note(
            "no log is named: the pages show the warehouse without live tables or reviews; name the log with --log"
        )
    options = {} if log is None else options_of(log)
    environment = {**os.environ, LOG_OPTIONS_VARIABLE: json.dumps(options)}  # secrets: not on a command line
    persons = None
    if log is not None:
        with contextlib.suppress(UsageError):  # without the log's key everything works but packets
            environment[KEY_VARIABLE] = str(settings.key_file(None, log).absolute())
        environment[CASES_VARIABLE] = str(settings.cases_folder(log) or "")
        environment[REPORTS_VARIABLE] = str(settings.reports_file(log) or "")
        environment[CAMERAS_VARIABLE] = str(settings.cameras_file(log) or "")
        persons = settings.persons_file(log) or (warehouse.with_name(settings.PERSONS) if log == of_demo else None)
    if local is not None and persons is None:
        raise UsageError(
            "the sign-in of our own reads the register of persons: name the log with --log, or set RACK_PERSONS"
        )
    before = signal.signal(signal.SIGTERM, _interrupt)  # as with Ctrl-C, the pages end with the command
    try:
        code = subprocess.run(
            command(
                warehouse,
                port,
                log,
                login=arguments.login,
                witness=witness,
                hosts=hosts,
                persons=persons,
                own_sign_in=local is not None,
            ),
            check=False,
            env=environment,
        ).returncode
    finally:
        signal.signal(signal.SIGTERM, before)
    if code:
        raise EnvironmentFault(
            f"the pages stopped with code {code}; if port {port} is in use, choose another with --port"
        )
    return Exit.CLEAN


def _witness(arguments: argparse.Namespace, log: str | None) -> tuple[Path, Path] | None:
    """Return a witness's folder and its public key's file, if they are given. Raises `UsageError`."""
    folder, key = arguments.witness, arguments.witness_key
    if folder is None and key is None:
        return None
    if folder is None or key is None:
        raise UsageError(
            "give --witness and --witness-key together: the folder, and the key that signed its checkpoints"
        )
    if log is None:
        raise UsageError("a witness cosigns one log; name it with --log")
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; expected the folder of a witness (`rack witness --folder`)")
    from events.proofs.keys import KeyRefused, read_public_key
    from events.proofs.signed_note import KeyKind

    try:
        read_public_key(key, KeyKind.WITNESS)
    except KeyRefused as error:
        raise UsageError(f"--witness-key: {error}") from error
    return folder, key


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt
