"""`rack kafka`: Kafka on this machine for development, one broker or three, and the access rules of a log's users."""

import argparse
import time

from events.kafka.acls import ROLES, create, rules_of
from events.kafka.development.broker import DEFAULT_FOLDER, DEFAULT_PORT, DevelopmentBroker
from events.kafka.development.cluster import ADMINISTRATOR, DEFAULT_PREFIX, PORTS_OF_A_NODE, SIZE, DevelopmentCluster
from rack.actions import action_parsers, run_action
from rack.arguments import add, positive, within
from rack.errors import Exit, UsageError
from rack.output import Output, counted
from rack.settings import kafka_security

HELP = "Start or stop a Kafka broker on this machine, or print the access rules of a log on Kafka"
PORTS = within(1, 65_535 - SIZE * PORTS_OF_A_NODE)
"""Reads the first port; a broker uses the next one too, three nodes the next eight."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their arguments."""
    action = action_parsers(parser)
    start = action("start", "Start a real Apache Kafka on 127.0.0.1 (needs Java 17 and Maven) and wait until it serves.", _start)
    stop = action("stop", "Stop the broker or the nodes of the folder, and nothing else.", _stop)
    status = action("status", "Report what runs from the folder; the exit code is 1 if nothing does, or not all nodes.", _status)
    for each in (start, stop, status):
        ports = f"First port on 127.0.0.1 (default: {DEFAULT_PORT}). One broker uses two ports, three nodes use nine."
        add(each, "--port N", ports, type=PORTS, default=DEFAULT_PORT)
        folder = f"Folder of data, logs and process ids (default: {DEFAULT_FOLDER})."
        add(each, "--dir DIR", folder, default=DEFAULT_FOLDER)
    _add_size(start)
    acls = action("acls", "Print the access rules of the users of a log; --apply creates them.", _acls)
    acls.description = (
        "Print the access rules that give each user of a log the rights that its work needs. How to reach the "
        "cluster as an administrator is read from the RACK_KAFKA_… variables. The brokers must run an authorizer and refuse "
        "what no rule allows (their default)."
    )
    acls.epilog = "roles:\n" + "\n".join(f"  {name:<10} {role.does}" for name, role in ROLES.items())
    acls.formatter_class = argparse.RawDescriptionHelpFormatter
    add(acls, "log ADDR", "Address of the log, kafka://host:port/prefix.")
    add(acls, "users ROLE=PRINCIPAL", "A role and its user, such as intake=User:rack-intake.", nargs="+")
    add(acls, "--partitions N", "Number of partitions of the events topic (default: 4).", type=positive, default=4)
    add(acls, "--apply", "Create the rules on the cluster, not only print them.")


def _add_size(action: argparse.ArgumentParser) -> None:
    add(
        action,
        "--brokers N",
        f"1 (default): one broker that lets everybody in. {SIZE}: a cluster with replication factor {SIZE}, "
        "min.insync.replicas 2, TLS, passwords and access rules.",
        type=int,
        choices=(1, SIZE),
        default=1,
    )
    add(
        action,
        "--prefix NAME",
        f"With --brokers {SIZE}, the first time: the log at which the users get their rights (default: {DEFAULT_PREFIX}).",
        default=DEFAULT_PREFIX,
    )


run = run_action
"""Carry the action out."""


def _start(arguments: argparse.Namespace, output: Output) -> None:
    if arguments.brokers == SIZE:
        _start_cluster(arguments, output)
        return
    broker = DevelopmentBroker(arguments.dir, arguments.port)
    if DevelopmentCluster(arguments.dir, arguments.port).running():
        raise UsageError(f"a cluster of {arguments.dir} is running; `rack kafka stop` ends it")
    began = time.monotonic()
    pid = broker.start()
    output.value({"bootstrap": broker.bootstrap, "pid": pid})
    output.text(f"Kafka serves {broker.bootstrap} (process {pid}, {time.monotonic() - began:.1f} s)")


def _start_cluster(arguments: argparse.Namespace, output: Output) -> None:
    cluster = DevelopmentCluster(arguments.dir, arguments.port, prefix=arguments.prefix)
    began = time.monotonic()
    pids = cluster.start()
    users = cluster.user_file(ADMINISTRATOR).parent
    output.value({"bootstrap": cluster.bootstrap, "pids": pids, "users": str(users)})
    output.text(
        f"Kafka serves {cluster.bootstrap} ({counted(len(pids), 'node')}, processes {', '.join(map(str, pids))}, "
        f"{time.monotonic() - began:.1f} s)",
        f"Sign in as a user: . {cluster.user_file('intake')} (also {', '.join(role for role in ROLES if role != 'intake')}; "
        f"{ADMINISTRATOR} creates logs and rules)",
    )


def _stop(arguments: argparse.Namespace, output: Output) -> None:
    broker = DevelopmentBroker(arguments.dir, arguments.port)
    nodes = DevelopmentCluster(arguments.dir, arguments.port).stop()
    stopped = broker.stop() or nodes > 0
    output.value({"stopped": stopped})
    if nodes:
        output.text(f"Kafka stopped ({counted(nodes, 'node')})")
    else:
        output.text("Kafka stopped" if stopped else f"no Kafka broker of {broker.directory} was running")


def _status(arguments: argparse.Namespace, output: Output) -> Exit:
    pid = DevelopmentBroker(arguments.dir, arguments.port).pid()
    nodes = {node.number: node.pid() for node in DevelopmentCluster(arguments.dir, arguments.port).nodes}
    if not any(nodes.values()):
        output.value({"pid": pid})
        output.text("not running" if pid is None else f"running as process {pid}")
        return Exit.FINDINGS if pid is None else Exit.CLEAN
    output.value({"pid": pid, "nodes": list(nodes.values())})
    for number, process in nodes.items():
        output.text(f"node {number}: " + ("not running" if process is None else f"running as process {process}"))
    return Exit.CLEAN if all(nodes.values()) else Exit.FINDINGS


def _acls(arguments: argparse.Namespace, output: Output) -> None:
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
