"""`rack gateway`: devices send events over HTTP, and are answered once these are stored."""

from __future__ import annotations

import argparse
import signal
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rack.arguments import add, add_log, given_path
from rack.errors import EnvironmentFault, Exit, UsageError
from rack.output import Output
from rack.settings import kafka_security, log_address

if TYPE_CHECKING:
    import socket

    from events.log.contract import EventLog

HELP = "Take events from devices over HTTP, and answer when they are stored"
DEFAULT_LISTEN = "127.0.0.1:8600"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(parser, "--property ID", "Create the log if it does not exist, for this property.")
    add(
        parser,
        "--listen ADDR",
        f"Where to listen (default: {DEFAULT_LISTEN}). Beyond this machine only with TLS, or with --without-tls.",
        default=DEFAULT_LISTEN,
    )
    who = parser.add_mutually_exclusive_group()
    add(who, "--devices FILE", "The register of devices (`rack devices add`).")
    add(who, "--no-auth", "Ask for no token; only where this machine alone can connect.")
    add(parser, "--raw ADDR", "Also read this topic: kafka://host:port/topic, a line in each record.")
    add(parser, "--patrons KEYRING", "Replace card numbers with tokens of this keyring.", type=given_path)
    add(parser, "--tls-cert FILE", "Certificate chain (PEM).")
    add(parser, "--tls-key FILE", "Its private key (PEM, mode 0600).")
    add(parser, "--without-tls", "Listen beyond this machine without TLS, behind a proxy that has it.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Serve until ended; accepted events are stored and answered first."""
    from desk.house.filing import read_filed_rules
    from intake.devices import DeviceWatch
    from intake.gateway.app import Gateway
    from intake.gateway.group_commit import GroupCommit
    from intake.gateway.raw_topic import RawTopic
    from intake.gateway.server import serve, server
    from intake.gateway.telemetry import Telemetry
    from intake.patrons import Keyring, with_tokens
    from intake.profiles.registered_profiles import Profiles

    _check(arguments)
    address = log_address(arguments.log)
    with ExitStack() as resources:
        devices = None if arguments.no_auth else DeviceWatch(arguments.devices)
        profiles = Profiles(Path() if devices is None else devices.path.parent)
        profiles.read_all({} if devices is None else devices.current())
        keyring = None if arguments.patrons is None else resources.enter_context(Keyring(arguments.patrons))
        listening = resources.enter_context(_listening(arguments.listen))
        telemetry = Telemetry(output.note)
        commit = GroupCommit(partial(_open, address, arguments.property), telemetry.commit, output.problem, read_filed_rules)
        resources.callback(commit.close)
        tokens = partial(with_tokens, keyring=keyring)
        gateway = Gateway(commit, devices, profiles, tokens, telemetry)
        if arguments.raw is not None:
            topic = RawTopic(
                arguments.raw,
                commit,
                devices,
                profiles,
                tokens,
                report=output.problem,
                observe=telemetry.outcomes,
                security=kafka_security(),
            )
            resources.callback(topic.close)
            gateway.troubles.append(lambda: topic.trouble)
        try:
            serving = server(gateway.app(), certificate=arguments.tls_cert, key=arguments.tls_key)
        except OSError as error:
            raise EnvironmentFault(f"{arguments.tls_cert}, {arguments.tls_key}: {error}; expected PEM files") from error
        host, port = listening.getsockname()[:2]
        scheme = "http" if arguments.tls_cert is None else "https"
        shown = f"[{host}]" if ":" in host else host
        output.note(f"gateway at {scheme}://{shown}:{port}/v1/events, into {address}; press Ctrl-C to stop")

        def end(*_: object) -> None:
            serving.should_exit = True

        for number in (signal.SIGINT, signal.SIGTERM):  # while it serves, the server takes them, and then gives them on
            resources.callback(signal.signal, number, signal.signal(number, end))
        serve(serving, listening)
    output.note("gateway stopped; everything that was answered is stored")
    return Exit.CLEAN


def _check(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if the options would let strangers in."""
    from intake.gateway.server import is_loopback, parse_listen

    here = is_loopback(parse_listen(arguments.listen)[0])
    if arguments.devices is None and not arguments.no_auth:
        raise UsageError("name the register of devices with --devices FILE (`rack devices add` makes one), or try with --no-auth")
    if arguments.no_auth and not here:
        raise UsageError(
            f"--no-auth lets everybody in who can connect to {arguments.listen}; listen at 127.0.0.1, or use --devices"
        )
    if (arguments.tls_cert is None) != (arguments.tls_key is None):
        raise UsageError("TLS needs both --tls-cert and --tls-key")
    if not here and arguments.tls_cert is None and not arguments.without_tls:
        raise UsageError(
            f"at {arguments.listen} tokens would cross the network in clear; give --tls-cert and --tls-key, "
            "or --without-tls behind a proxy that has TLS"
        )


def _listening(text: str) -> socket.socket:
    from intake.gateway.server import listen, parse_listen

    try:
        return listen(*parse_listen(text))
    except OSError as error:
        raise EnvironmentFault(f"{text}: {error.strerror}; choose another address with --listen") from error


def _open(address: str, property_id: str | None) -> EventLog:
    from rack.opening import log_at

    return log_at(address, create=property_id is not None, property_id=property_id)
