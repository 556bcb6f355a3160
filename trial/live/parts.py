"""The parts of `rack live`, a line for each, in the order of starting and ending: the devices first.

A part is a command of `rack`, or a module with a `main(arguments)`. It is up when `ready` returns true; the next part starts only
then.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from trial.property_folder import DEMO_KEY, WAREHOUSE, TrialPlace

DEVICES = "devices.toml"
"""The register of devices, in the folder."""


@dataclass(frozen=True, kw_only=True)
class LiveSite(TrialPlace):
    """The files, ports and settings of a live property.

    `start_us` is the start of the simulated floor's clocks (UTC microseconds), `speed` their speed.
    """

    gateway_port: int
    pages_port: int
    start_us: int
    speed: float
    seed: int
    games: Sequence[str]
    read_only: bool = False

    @property
    def warehouse(self) -> Path:
        """The warehouse that the replay builds and the pages read."""
        return self.out / WAREHOUSE

    @property
    def url(self) -> str:
        """The address of the pages."""
        return f"http://127.0.0.1:{self.pages_port}"


@dataclass(frozen=True, slots=True)
class Part:
    """A process. `lasts`: ending by itself is a failure."""

    name: str
    arguments: Sequence[str]
    ready: Callable[[], bool] = lambda: True
    module: str = "rack.cli"
    lasts: bool = True


def parts(site: LiveSite) -> list[Part]:
    """Return the parts."""
    log, warehouse = f"--log={site.log}", f"--warehouse={site.warehouse}"
    gateway = ["gateway", log, f"--devices={site.out / DEVICES}", f"--listen=127.0.0.1:{site.gateway_port}", "--quiet"]
    pages = ["dashboard", log, warehouse, f"--port={site.pages_port}", "--read-only"]
    if not site.read_only:  # who is signed in is chosen on the page: what comes up can be acted on
        pages = [f"--out={site.out}", f"--port={site.pages_port}"]
    floor = [site.out, site.gateway_port, site.start_us, site.speed, site.seed, *site.games]
    return [
        Part("floor", [str(each) for each in floor], (site.out / DEVICES).is_file, "trial.live.simulated_floor", lasts=False),
        Part("gateway", gateway, lambda: _answers(site.gateway_port, "/readyz")),
        Part("replay", ["replay", log, "--follow", warehouse], site.warehouse.is_file),
        Part("checkpoints", ["checkpoint", log, "--follow", f"--key={site.out / DEMO_KEY}"]),
        Part(
            "pages",
            pages,
            lambda: _answers(site.pages_port, "/_stcore/health"),
            "rack.cli" if site.read_only else "trial.live.trial_sign_in",
        ),
    ]


def _answers(port: int, path: str) -> bool:
    """Return whether an address of this machine answers 200."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
