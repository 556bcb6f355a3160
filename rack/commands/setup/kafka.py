"""`rack kafka`: a Kafka broker on this machine to develop with, and the access rules of a log's users on any cluster."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from rack.arguments import output_flags, positive, within
from rack.errors import Exit, UsageError
from rack.kafka.acls import ROLES, create, rules_of
from rack.kafka.broker import DEFAULT_FOLDER, DEFAULT_PORT, DevelopmentBroker
from rack.output import Output, counted
from rack.settings import kafka_security

HELP = "Start or stop a Kafka broker on this machine, or print the access rules of a log on Kafka"
PORTS = within(1, 65_534)
"""Reads the clients' port; the next is the controller's."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, what in (
        ("start", "Start a real Apache Kafka broker on 127.0.0.1 (needs Java 17 and Maven) and wait until it serves"),
        ("stop", "Stop the broker of the folder"),
        ("status", "Report whether the broker of the folder runs; the exit code is 1 if it does not"),
    ):
        action = actions.add_parser(name, help=f"{what}.", description=f"{what}.", parents=[output_flags()])
        action.add_argument(
            "--port",
            metavar="N",
            type=PORTS,
            default=DEFAULT_PORT,
            help=f"Client port on 127.0.0.1 (default: {DEFAULT_PORT}); the controller uses the next port.",
        )
        action.add_argument(
            "--dir",
            metavar="DIR",
            type=Path,
            default=DEFAULT_FOLDER,
            help=f"Folder of data, log and process id (default: {DEFAULT_FOLDER}).",
        )
    acls = actions.add_parser(
        "acls",
        help="Print the access rules of the users of a log; --apply creates them.",
        description="Print the access rules that give each user of a log the rights that its work needs. How to reach the "
        "cluster as an administrator is read from the RACK_KAFKA_… variables. The brokers must run an authorizer and refuse "
        "what no rule allows (their default).",
        epilog="roles:\n" + "\n".join(f"  {name:<10} {role.does}" for name, role in ROLES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[output_flags()],
    )
    acls.add_argument("log", metavar="ADDR", help="Address of the log, kafka://host:port/prefix.")
    acls.add_argument(
        "users", nargs="+", metavar="ROLE=PRINCIPAL", help="A role and its user, such as intake=User:rack-intake."
    )
    acls.add_argument(
        "--partitions",
        metavar="N",
        type=positive,
        default=4,
        help="Number of partitions of the events topic (default: 4).",
    )
    acls.add_argument("--apply", action="store_true", help="Create the rules on the cluster, not only print them.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Carry the action out."""
    if arguments.action == "acls":
        return _acls(arguments, output)
    broker = DevelopmentBroker(arguments.dir, arguments.port)
    if arguments.action == "status":
        return _status(broker, output)
    if arguments.action == "stop":
        stopped = broker.stop()
        output.value({"stopped": stopped})
        output.text("Kafka stopped" if stopped else f"no Kafka broker of {arguments.dir} was running")
        return Exit.CLEAN
    began = time.monotonic()
    pid = broker.start()
    output.value({"bootstrap": broker.bootstrap, "pid": pid})
    output.text(f"Kafka serves {broker.bootstrap} (process {pid}, {time.monotonic() - began:.1f} s)")
    return Exit.CLEAN


def _status(broker: DevelopmentBroker, output: Output) -> Exit:
    pid = broker.pid()
    output.value({"pid": pid})
    output.text("not running" if pid is None else f"running as process {pid}")
    return Exit.FINDINGS if pid is None else Exit.CLEAN


def _acls(arguments: argparse.Namespace, output: Output) -> Exit:
    from events.errors import LogUnavailable
    from events.kafka.topics import parse_address

    try:
        bootstrap, prefix = parse_address(arguments.log)
    except LogUnavailable as error:
        raise UsageError(str(error)) from error
    given = rules_of(prefix, arguments.users, arguments.partitions)
    output.value([rule._asdict() for rule in given])
    output.text(*map(str, given))
    if arguments.apply:
        create(bootstrap, kafka_security(), given)
        output.note(f"{counted(len(given), 'rule')} created at {bootstrap}")
    return Exit.CLEAN
