"""Three real Kafka nodes on this machine (`rack kafka start --brokers 3`), as a property has them.

Every record has three copies, and two nodes must hold it before it is acknowledged. Each node is broker and controller in one
process: three processes instead of six, and the harder case, since a process that ends takes its controller's vote with it.
Clients sign in over TLS with a name and a password (SCRAM); the nodes identify each other by certificates. Each role of `acls.py`
has a user with that role's rights at one log; a file holds the user's settings.
"""

import secrets
from collections.abc import Sequence
from pathlib import Path

from events.kafka import acls
from events.kafka.development.broker import DEFAULT_PORT, HERE, BrokerError, DevelopmentBroker, new_cluster_id
from events.kafka.security import security

SIZE = 3
PORTS_OF_A_NODE = 3
ADMINISTRATOR = "administrator"
"""The user who may do everything: to create logs and to make rules."""
DEFAULT_PREFIX = "rack"
STOP_TIMEOUT_S = 6.0
PARTITIONS = 4
USERS = (ADMINISTRATOR, *acls.ROLES)


class ClusterNode(DevelopmentBroker):
    """One node of a cluster, in a folder of its own. Nodes count from 1."""

    TEMPLATE = HERE / "cluster.properties"
    MOST_MEMORY = "-Xmx320m"

    def __init__(self, cluster: "DevelopmentCluster", number: int, ports: Sequence[int], settings: str) -> None:
        port, self.internal_port, controller_port = ports
        super().__init__(cluster.directory / f"node-{number}", port, controller_port, cluster.libs, settings)
        self.cluster, self.number = cluster, number

    def ports(self) -> tuple[int, ...]:
        """Return the ports on 127.0.0.1: for clients, for the other nodes, for the controllers."""
        return (self.port, self.internal_port, self.controller_port)

    def _values(self) -> dict[str, object]:
        from events.kafka.development.certificates import NODE_NAME

        voters = ",".join(f"{node.number}@127.0.0.1:{node.controller_port}" for node in self.cluster.nodes)
        return super()._values() | {
            "node": self.number,
            "node_name": NODE_NAME,
            "internal_port": self.internal_port,
            "voters": voters,
            "certificates": self.cluster.certificates,
            "administrator": ADMINISTRATOR,
        }

    def _cluster_id(self) -> str:
        return self.cluster.cluster_id()


class DevelopmentCluster:
    """Three nodes in a folder, with their certificates and users.

    `ports` are three for each node (default: nine from `port` on). The users get the rights of their roles at the log `prefix`.
    `settings` are lines of server.properties that override the template's.
    """

    def __init__(
        self,
        directory: Path,
        port: int = DEFAULT_PORT,
        *,
        ports: Sequence[int] | None = None,
        libs: Path | None = None,
        settings: str = "",
        prefix: str = DEFAULT_PREFIX,
    ) -> None:
        self.directory, self.libs, self.prefix = directory.resolve(), libs, prefix
        self.certificates = self.directory / "certificates"
        self._new_id = new_cluster_id()
        given = list(ports or range(port, port + SIZE * PORTS_OF_A_NODE))
        self.nodes = [
            ClusterNode(self, number, given[PORTS_OF_A_NODE * (number - 1) : PORTS_OF_A_NODE * number], settings)
            for number in range(1, SIZE + 1)
        ]

    @property
    def bootstrap(self) -> str:
        """The addresses for clients, `127.0.0.1:port` of each node with commas between."""
        return ",".join(node.bootstrap for node in self.nodes)

    def cluster_id(self) -> str:
        """Return the cluster id in the nodes' storage, or a new one. Raises `BrokerError` if nodes differ."""
        kept = {self._stored_id(node) for node in self.nodes} - {None}
        if len(kept) > 1:
            raise BrokerError(f"the nodes in {self.directory} belong to different clusters; remove the folder")
        return next((each for each in kept if each is not None), self._new_id)

    def start(self) -> list[int]:
        """Start the nodes that do not run, wait until all serve, and return their process ids.

        The first start makes the certificates and the users. If a node does not start, the others are ended too.
        """
        from events.kafka.development.certificates import make_certificates

        if len(self.running()) == SIZE:
            return self.running()
        if DevelopmentBroker(self.directory).pid() is not None:
            raise BrokerError(f"a single broker of {self.directory} is running; `rack kafka stop` ends it")
        make_certificates(self.certificates)
        waiting = [node for node in self.nodes if node.pid() is None]
        try:
            for node in waiting:
                node.prepare()
            for node in waiting:
                node.launch()
            for node in waiting:
                node.wait_ready()
            self._make_users()
        except BaseException:
            for node in waiting:
                node.stop()
            raise
        return self.running()

    def stop(self) -> int:
        """End the nodes of this folder, and no other process; return how many were running.

        The last node would wait to hand its partitions over: after some seconds it is killed, and reads its log again at the next
        start.
        """
        running = len(self.running())
        for node in self.nodes:
            node.ask_to_stop()
        for node in self.nodes:
            node.stop(STOP_TIMEOUT_S)
        return running

    def running(self) -> list[int]:
        """Return the process ids of the nodes that run."""
        return [pid for node in self.nodes if (pid := node.pid()) is not None]

    def user_file(self, user: str) -> Path:
        """Return the file with a user's sign-in variables: `. FILE` sets them in a shell."""
        return self.directory / "users" / f"{user}.env"

    def environment(self, user: str) -> dict[str, str]:
        """Return a user's sign-in variables."""
        lines = self.user_file(user).read_text().splitlines()
        return dict(line.removeprefix("export ").split("=", 1) for line in lines)

    def security(self, user: str) -> dict[str, str]:
        """Return the Kafka client's options to sign in as this user."""
        return security(self.environment(user))

    def _stored_id(self, node: ClusterNode) -> str | None:
        try:
            lines = (node.data / "meta.properties").read_text().splitlines()
        except FileNotFoundError:
            return None
        return next((line.removeprefix("cluster.id=") for line in lines if line.startswith("cluster.id=")), None)

    def _make_users(self) -> None:
        """Create the users without a file, with new passwords, and their rights."""
        from events.kafka.development.certificates import AUTHORITY, NODE_CERTIFICATE, NODE_KEY, write_secret

        missing = {user: secrets.token_urlsafe(24) for user in USERS if not self.user_file(user).exists()}
        if not missing:
            return
        among_nodes = {
            "security_protocol": "SSL",
            "ssl_cafile": str(self.certificates / AUTHORITY),
            "ssl_certfile": str(self.certificates / NODE_CERTIFICATE),
            "ssl_keyfile": str(self.certificates / NODE_KEY),
        }
        bootstrap = ",".join(f"127.0.0.1:{node.internal_port}" for node in self.nodes)
        acls.create_users(bootstrap, among_nodes, missing)
        roles = [f"{role}=User:{role}" for role in acls.ROLES if role in missing]
        acls.create(bootstrap, among_nodes, acls.rules_of(self.prefix, roles, PARTITIONS))
        self.user_file(ADMINISTRATOR).parent.mkdir(exist_ok=True)
        for user, password in missing.items():
            variables = {
                "PROTOCOL": "SASL_SSL",
                "CA": str(self.certificates / AUTHORITY),
                "MECHANISM": "SCRAM-SHA-512",
                "USERNAME": user,
                "PASSWORD": password,
                "REPLICATION": str(SIZE),
                "MIN_INSYNC": str(SIZE - 1),
                "PARTITIONS": str(PARTITIONS),
            }
            text = "".join(f"export RACK_KAFKA_{name}={value}\n" for name, value in variables.items())
            write_secret(self.user_file(user), text.encode())
