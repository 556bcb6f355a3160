"""The access rules (ACLs) that give each user of a log on Kafka the rights for its work, and no others."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from events.errors import LogUnavailable

TOPICS = ("events", "reviews", "checkpoints", "quarantine", "findings", "state")


class RoleUnknown(ValueError):
    """A user is not written as ROLE=User:NAME; the message says what was expected."""


class AccessRole(NamedTuple):
    """The work of one kind of user. Every role reads and describes all topics of the log, and reads their settings.

    `writes`: topics that the role writes; `ids`: endings of its transactional ids, with a dot before them (`*`: a number for each
    partition of the events); `group`: it reads in consumer groups named after the log.
    """

    does: str
    writes: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    group: bool = False


ROLES = {
    "intake": AccessRole("rack ingest, rack quarantine redrive", ("events", "quarantine", "state"), ("*",)),
    "replayer": AccessRole("rack replay", ("findings", "state"), ("replay",), group=True),
    "reviewer": AccessRole(
        "rack review, rack observe, rack prove, rack warehouse export, the pages' actions", ("reviews", "state"), ("reviews",)
    ),
    "sealer": AccessRole("rack checkpoint", ("checkpoints",), ("checkpoints",)),
    "auditor": AccessRole("rack verify, rack witness, rack round, rack archive, the pages without actions"),
}
"""Role → what it may do. Creating a log (`rack ingest --property`) needs an administrator's rights once."""


class AccessRule(NamedTuple):
    """One right: a user may do an operation on a resource. Operation and kind have Kafka's names."""

    principal: str
    operation: str
    kind: str
    name: str
    prefixed: bool = False

    def __str__(self) -> str:
        return f"{self.principal} may {self.operation} {self.kind} {self.name}{'*' if self.prefixed else ''}"


def rules(prefix: str, role: str, principal: str, partitions: int) -> Iterator[AccessRule]:
    """Yield the rights of a user in a role at a log with this prefix and number of event partitions."""
    what = ROLES[role]
    for topic in TOPICS:
        yield AccessRule(principal, "READ", "TOPIC", f"{prefix}.{topic}")
        yield AccessRule(principal, "DESCRIBE", "TOPIC", f"{prefix}.{topic}")
        yield AccessRule(principal, "DESCRIBE_CONFIGS", "TOPIC", f"{prefix}.{topic}")
    for topic in what.writes:
        yield AccessRule(principal, "WRITE", "TOPIC", f"{prefix}.{topic}")
    for ending in what.ids:
        for name in [str(number) for number in range(partitions)] if ending == "*" else [ending]:
            yield AccessRule(principal, "WRITE", "TRANSACTIONAL_ID", f"{prefix}.{name}")
            yield AccessRule(principal, "DESCRIBE", "TRANSACTIONAL_ID", f"{prefix}.{name}")
    if what.group:
        # The prefix ends with a dot, so that a group of one log reaches no other's.
        yield AccessRule(principal, "READ", "GROUP", f"{prefix}.", prefixed=True)
        yield AccessRule(principal, "DESCRIBE", "GROUP", f"{prefix}.", prefixed=True)


def rules_of(prefix: str, users: Iterable[str], partitions: int) -> list[AccessRule]:
    """Return the rules of users written as ROLE=User:NAME. Raises `RoleUnknown` for any other form."""
    found: list[AccessRule] = []
    for user in users:
        role, equals, principal = user.partition("=")
        if not equals or role not in ROLES or not principal.startswith("User:"):
            raise RoleUnknown(f"{user!r}: expected ROLE=User:NAME with a role of {', '.join(ROLES)}")
        found += rules(prefix, role, principal, partitions)
    return list(dict.fromkeys(found))


def create(bootstrap: str, security: Mapping[str, str], given: Iterable[AccessRule]) -> None:
    """Create rules for every host. Raises `LogUnavailable` if one is refused or no answer comes, at once if no one listens."""
    from kafka.admin import ACL, ACLOperation, ACLPermissionType, ACLResourcePatternType, ResourcePattern, ResourceType

    from events.kafka.client import Cluster

    def acl(rule: AccessRule) -> ACL:
        pattern = ACLResourcePatternType.PREFIXED if rule.prefixed else ACLResourcePatternType.LITERAL
        resource = ResourcePattern(ResourceType[rule.kind], rule.name, pattern)
        return ACL(rule.principal, "*", ACLOperation[rule.operation], ACLPermissionType.ALLOW, resource)

    cluster = Cluster(bootstrap, security=security)
    cluster.probe()
    try:
        with cluster.admin() as admin:
            failed = cluster.asked(lambda: admin.create_acls([acl(rule) for rule in given]))["failed"]
    except LogUnavailable as error:
        raise LogUnavailable(f"{error}; some rules may be missing: run the command again") from error
    if failed:
        refused = "; ".join(f"{rule}: {reason}" for rule, reason in failed)
        raise LogUnavailable(f"Kafka at {bootstrap} refused {len(failed)} rules: {refused}")


def create_users(bootstrap: str, security: Mapping[str, str], passwords: Mapping[str, str]) -> None:
    """Create SCRAM-SHA-512 users, or change passwords (name → password). Raises `LogUnavailable` if refused or unanswered."""
    from kafka.admin import ScramMechanism, UserScramCredentialUpsertion

    from events.kafka.client import Cluster

    credentials = [
        UserScramCredentialUpsertion(user, ScramMechanism.SCRAM_SHA_512, password) for user, password in passwords.items()
    ]
    cluster = Cluster(bootstrap, security=security)
    try:
        with cluster.admin() as admin:
            answers = cluster.asked(lambda: admin.alter_user_scram_credentials(credentials))
    except LogUnavailable as error:
        raise LogUnavailable(f"{error}; no user was created: start it again") from error
    refused = [f"{user}: {answers.get(user, 'no answer')}" for user in passwords if answers.get(user, "no answer")]
    if refused:
        raise LogUnavailable(f"Kafka at {bootstrap} refused {len(refused)} users: {'; '.join(refused)}")
