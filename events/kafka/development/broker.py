"""Start and stop one real Apache Kafka broker on this machine (`rack kafka start`, `stop`, `status`).

Maven fetches the version in `pom.xml` once: the jars are kept in the user's cache folder under the digest of that file. The
broker listens on 127.0.0.1 only and keeps its data, its log and its process id in a folder of its own.
"""

import contextlib
import hashlib
import os
import secrets
import shutil
import signal
import socket
import string
import subprocess
import tempfile
import time
from base64 import urlsafe_b64encode
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEFAULT_PORT = 9092
DEFAULT_FOLDER = Path(".kafka")
READY = b"Kafka Server started"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0


class BrokerError(RuntimeError):
    """The broker cannot be started or stopped; the message says why and where its log is."""


class DevelopmentBroker:
    """One broker in a folder; folders may share the jars in `libs`. `settings` override the template's server.properties."""

    TEMPLATE = HERE / "server.properties"
    MOST_MEMORY = "-Xmx512m"

    def __init__(
        self,
        directory: Path,
        port: int = DEFAULT_PORT,
        controller_port: int | None = None,
        libs: Path | None = None,
        settings: str = "",
    ) -> None:
        self.directory = directory.resolve()
        self.port = port
        self.controller_port = controller_port or port + 1
        self.libs = libs or jar_folder()
        self.log_path = self.directory / "logs" / "broker.log"
        self._properties = self.directory / "server.properties"
        self._pid_path = self.directory / "pid"
        self.data = self.directory / "data"
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        """The address for clients, `127.0.0.1:port`."""
        return f"127.0.0.1:{self.port}"

    def pid(self) -> int | None:
        """Return the process id of this folder's running broker; None if none runs, or the id is another process's."""
        try:
            pid = int(self._pid_path.read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        return pid if os.fsencode(self._properties) in command else None

    def start(self) -> int:
        """Start the broker unless it runs, wait until it serves, and return its process id."""
        running = self.pid()
        if running is not None:
            return running
        self.prepare()
        pid = self.launch()
        self.wait_ready()
        return pid

    def ports(self) -> tuple[int, ...]:
        """Return the ports on 127.0.0.1 that the broker listens on."""
        return (self.port, self.controller_port)

    def prepare(self) -> None:
        """Write the settings, and format new storage. Raises `BrokerError` if a port is taken."""
        for port in self.ports():
            if _in_use(port):
                raise BrokerError(f"port {port} on 127.0.0.1 is taken by another program; name another with --port")
        self._write_properties()
        if not (self.data / "meta.properties").exists():
            form = ["kafka.tools.StorageTool", "format", "-t", self._cluster_id(), "-c", str(self._properties)]
            _run(self._java("-Xmx128m", main=form), "the broker's storage could not be formatted")

    def launch(self) -> int:
        """Start the process of a prepared broker and return its id, before it serves."""
        options = ("-Xms128m", self.MOST_MEMORY, "-Xshare:auto", "-Djava.awt.headless=true")
        command = self._java(*options, main=["kafka.Kafka", str(self._properties)])
        with self.log_path.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory, start_new_session=True
            )
        self._pid_path.write_text(f"{self._process.pid}\n")
        return self._process.pid

    def wait_ready(self) -> None:
        """Wait until the started process serves. Raises `BrokerError` if it ends or takes too long."""
        assert self._process is not None, "it was not launched"
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if READY in self.log_path.read_bytes():
                return
            if self._process.poll() is not None:
                self._pid_path.unlink(missing_ok=True)
                raise BrokerError(f"the broker ended with status {self._process.returncode}; see {self.log_path}")
            time.sleep(0.05)
        self.stop()
        raise BrokerError(f"the broker was not ready after {START_TIMEOUT_S:.0f} s; see {self.log_path}")

    def ask_to_stop(self) -> None:
        """Ask this folder's broker to end without waiting for it."""
        pid = self.pid()
        if pid is not None:
            os.kill(pid, signal.SIGTERM)

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """End this folder's broker, and no other process; return whether one was running."""
        pid = self.pid()
        if pid is not None:
            self.ask_to_stop()
            if not self._gone(timeout_s):
                os.kill(pid, signal.SIGKILL)
                if not self._gone(5.0):
                    raise BrokerError(f"process {pid} does not end; its log is {self.log_path}")
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=5.0)  # take its exit status, wherever it was ended from
        self._pid_path.unlink(missing_ok=True)
        return pid is not None

    def _jars(self) -> Path:
        pom = HERE / "pom.xml"
        jars = self.libs / hashlib.sha256(pom.read_bytes()).hexdigest()[:16]
        if jars.is_dir():
            return jars
        maven = _program("mvn", "Maven")
        self.libs.mkdir(parents=True, exist_ok=True)
        fetched = Path(tempfile.mkdtemp(dir=self.libs, prefix="fetching-"))
        try:
            # -C: a jar whose checksum is not the published one is refused
            copy = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={fetched}"]
            _run([maven, "-q", "-B", "-C", "-f", str(pom), *copy], "Maven could not fetch the broker")
            with contextlib.suppress(FileExistsError):
                fetched.rename(jars)
        except OSError:
            if not jars.is_dir():  # another start has just put the same jars there
                raise
        finally:
            shutil.rmtree(fetched, ignore_errors=True)
        return jars

    def _write_properties(self) -> None:
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        text = string.Template(self.TEMPLATE.read_text()).substitute(self._values())
        self._properties.write_text(f"{text}\n{self._settings}")

    def _values(self) -> dict[str, object]:
        """Return the values for the template's placeholders."""
        return {"port": self.port, "controller_port": self.controller_port, "data": self.data}

    def _cluster_id(self) -> str:
        return new_cluster_id()

    def _java(self, *options: str, main: list[str]) -> list[str]:
        """Return the command that runs a class of the broker's jars, with its arguments."""
        java = _program("java", "Java 17 or later")
        log = f"-Dlog4j2.configurationFile={HERE / 'log4j2.properties'}"
        return [java, *options, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", log, "-cp", f"{self._jars()}/*", *main]

    def _gone(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        pid = self.pid()
        while pid is not None and time.monotonic() < deadline:
            if self._process is not None:
                self._process.poll()  # we are its parent: take its exit status
            time.sleep(0.05)
            pid = self.pid()
        return pid is None


def new_cluster_id() -> str:
    """Return a random cluster id in Kafka's form; it never begins with a hyphen."""
    return urlsafe_b64encode(b"\0" + secrets.token_bytes(15)).decode().rstrip("=")


def jar_folder() -> Path:
    """Return the folder with the broker's jars, for all brokers of this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "discard-rack" / "kafka"


def free_ports(count: int) -> list[int]:
    """Return ports on 127.0.0.1 on which no one listens now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _in_use(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _program(name: str, what: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise BrokerError(f"`{name}` was not found: the development broker needs {what}")
    return found


def _run(command: list[str], failure: str) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        raise BrokerError(f"{failure}: {(done.stdout + done.stderr).decode(errors='replace').strip()[-2000:]}")
