"""Give each of a log's users on Kafka the rights that its work needs, and no others.

    python -m deploy.kafka.acls kafka://host:port/prefix intake=User:rack-intake auditor=User:rack-audit [--apply]

Without `--apply` it only prints the rules. How to reach the cluster as an administrator is read from the RACK_KAFKA_…
variables (see `rack.settings`). The brokers must run an authorizer and refuse what no rule allows (their default).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import kafka
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ACLResourcePatternType, ResourcePattern, ResourceType
from kafka.errors import KafkaError

from events.errors import LogUnavailable
from events.kafka.topics import parse_address
from rack.settings import kafka_security

TOPICS = ("events", "reviews", "checkpoints", "quarantine", "findings", "state")


class Role(NamedTuple):
    """What one kind of user does. Every role reads and describes all topics of the log.

    `writes`: topics it writes; `ids`: endings of the transactional ids under which it writes, with a dot before them
    (`*`: a number for each partition of the events); `group`: it reads in consumer groups named after the log.
    """

    does: str
    writes: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    group: bool = False


ROLES = {
    "intake": Role("rack ingest, rack quarantine redrive", ("events", "quarantine", "state"), ("*",)),
    "replayer": Role("rack replay", ("findings", "state"), ("replay",), group=True),
    "reviewer": Role(
        "rack review, rack prove, rack warehouse export, the pages' actions", ("reviews", "state"), ("reviews",)
    ),
    "sealer": Role("rack checkpoint", ("checkpoints",), ("checkpoints",)),
    "auditor": Role("rack verify, rack witness, rack round, rack archive, the pages without actions"),
}
"""Role → what it may do. Who creates a log (`rack ingest --property`) needs an administrator's rights once."""


class Rule(NamedTuple):
    """One right: who may do what to which resource."""

    principal: str
    operation: ACLOperation
    kind: ResourceType
    name: str
    pattern: ACLResourcePatternType = ACLResourcePatternType.LITERAL

    def __str__(self) -> str:
        prefixed = "*" if self.pattern is ACLResourcePatternType.PREFIXED else ""
        return f"{self.principal} may {self.operation.name} {self.kind.name} {self.name}{prefixed}"

    def acl(self) -> ACL:
        """Return the rule as the client writes it, for every host."""
        resource = ResourcePattern(self.kind, self.name, self.pattern)
        return ACL(self.principal, "*", self.operation, ACLPermissionType.ALLOW, resource)


def rules(prefix: str, role: str, principal: str, partitions: int) -> Iterator[Rule]:
    """Yield what a user in a role may do at the log with this prefix and number of partitions of its events."""
    what = ROLES[role]
    for topic in TOPICS:
        yield Rule(principal, ACLOperation.READ, ResourceType.TOPIC, f"{prefix}.{topic}")
        yield Rule(principal, ACLOperation.DESCRIBE, ResourceType.TOPIC, f"{prefix}.{topic}")
    for topic in what.writes:
        yield Rule(principal, ACLOperation.WRITE, ResourceType.TOPIC, f"{prefix}.{topic}")
    for ending in what.ids:
        for name in [str(number) for number in range(partitions)] if ending == "*" else [ending]:
            for operation in (ACLOperation.WRITE, ACLOperation.DESCRIBE):
                yield Rule(principal, operation, ResourceType.TRANSACTIONAL_ID, f"{prefix}.{name}")
    if what.group:
        # The prefix ends with a dot, so that a group of one log reaches no other's.
        for operation in (ACLOperation.READ, ACLOperation.DESCRIBE):
            yield Rule(principal, operation, ResourceType.GROUP, f"{prefix}.", ACLResourcePatternType.PREFIXED)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rules, and create them with `--apply`; 0 done, 2 usage, 3 the cluster refused or did not answer."""
    parser = argparse.ArgumentParser(
        prog="deploy.kafka.acls", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("log", help="kafka://host:port/prefix")
    parser.add_argument(
        "users",
        nargs="+",
        metavar="ROLE=PRINCIPAL",
        help="\n".join(f"{name}: {role.does}" for name, role in ROLES.items()),
    )
    parser.add_argument("--partitions", type=int, default=4, help="partitions of the events (default 4)")
    parser.add_argument("--apply", action="store_true", help="create the rules; without it they are only printed")
    options = parser.parse_args(arguments)
    try:
        bootstrap, prefix = parse_address(options.log)
    except LogUnavailable as error:
        parser.error(str(error))
    given: list[Rule] = []
    for user in options.users:
        role, equals, principal = user.partition("=")
        if not equals or role not in ROLES or not principal.startswith("User:"):
            parser.error(f"{user!r}: expected ROLE=User:NAME with a role of {', '.join(ROLES)}")
        given += rules(prefix, role, principal, options.partitions)
    given = list(dict.fromkeys(given))
    sys.stdout.writelines(f"{rule}\n" for rule in given)
    if not options.apply:
        return 0
    try:
        admin = kafka.KafkaAdminClient(bootstrap_servers=bootstrap, **kafka_security())
        try:
            failed = admin.create_acls([rule.acl() for rule in given])["failed"]
        finally:
            admin.close()
    except KafkaError as error:
        sys.stderr.write(f"Kafka at {bootstrap}: {error}; no rule was certainly made: repeat it\n")
        return 3
    for acl, reason in failed:
        sys.stderr.write(f"not made: {acl}: {reason}\n")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
