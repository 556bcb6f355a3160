"""Under which names the pages answer: raw requests, HTTP and WebSocket, against the server as `rack dashboard` starts it."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit

from dashboards.access.hosts import name_of, objection
from dashboards.access.login import ServingRefused, check_login, public_hosts
from rack.cli import main
from tests.dashboards import sample
from tests.dashboards.access.test_access import LOGIN
from tests.dashboards.conftest import HEALTH, free_port, started

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
PUBLIC = "rack.bellwether.example"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The pages of the sample floor behind a proxy's name: their port, and the log of the server."""
    folder, port = tmp_path_factory.mktemp("hosts"), free_port()
    warehouse = sample.make(folder / "warehouse.duckdb")
    words = ["dashboard", "--warehouse", str(warehouse), "--read-only", "--port", str(port), "--public-host", PUBLIC]
    with started([*rack_command(), *words], f"http://127.0.0.1:{port}", folder / "server.log"):
        yield port, folder / "server.log"


def rack_command() -> list[str]:
    return [sys.executable, "-c", "import sys; from rack.cli import main; sys.exit(main())"]


def answer(port: int, *lines: str, path: str = HEALTH, version: str = "1.1") -> bytes:
    """Send a request of these header lines; return the status line and what follows."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sent:
        sent.sendall("\r\n".join([f"GET {path} HTTP/{version}", *lines, "", ""]).encode())
        return sent.recv(2_000)


def upgrade(port: int, *lines: str) -> bytes:
    """Ask for the WebSocket of the pages."""
    asked = ("Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13")
    return answer(port, *asked, *lines, path="/_stcore/stream")


NAMES = ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", PUBLIC, f"{PUBLIC}."]
FOREIGN = [
    "evil.example",
    "127.0.0.1.evil.example",
    "evil.example#127.0.0.1",
    "localhost@evil.example",
    f"{PUBLIC}.evil.example",
    f"evil-{PUBLIC}",
    "0.0.0.0",
    "127.0.0.2",
    "",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_pages_answer_under_their_own_names(server: tuple[int, Path], name: str) -> None:
    port, _ = server
    for host in (name, f"{name}:{port}"):
        assert b" 200 " in answer(port, f"Host: {host}")
        assert b" 101 " in upgrade(port, f"Host: {host}", f"Origin: http://{host}")


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_host_is_refused_though_it_equals_its_origin(server: tuple[int, Path], name: str) -> None:
    port, log = server
    for host in (name, f"{name}:{port}"):
        for path in ("/", HEALTH, "/queue", "/downloads/x", "/auth/login"):
            assert b" 403 " in answer(port, f"Host: {host}", path=path)
        assert b" 403 " in upgrade(port, f"Host: {host}", f"Origin: http://{host}")
        assert b" 403 " in upgrade(port, f"Host: {host}")
    said = log.read_text()
    assert f"refused: these pages do not answer to {name!r}; name a host of these pages with rack dashboard" in said


def test_a_websocket_from_another_page_of_this_machine_is_refused(server: tuple[int, Path]) -> None:
    """Another program's page at another port is another site, though it shares names and cookies."""
    port, log = server
    here = f"127.0.0.1:{port}"
    for origin in (f"http://127.0.0.1:{port + 1}", f"http://localhost:{port}", "null", f"file://{here}", "http://"):
        assert b" 403 " in upgrade(port, f"Host: {here}", f"Origin: {origin}"), origin
    both = upgrade(port, f"Host: {here}", f"Origin: http://{here}", "Origin: http://evil.example")
    assert both.split()[1] in (b"400", b"403")
    assert f"these pages are not opened from 'http://127.0.0.1:{port + 1}'" in log.read_text()


def test_two_hosts_or_none_are_refused(server: tuple[int, Path]) -> None:
    port, _ = server
    assert answer(port, "Host: 127.0.0.1", "Host: evil.example").split()[1] in (b"400", b"403")
    assert answer(port, version="1.0").split()[1] in (b"400", b"403")


def test_streamlits_own_addresses_of_downloads_are_closed(server: tuple[int, Path]) -> None:
    port, _ = server
    assert b" 404 " in answer(port, "Host: 127.0.0.1", path="/media/0000.pdf")


def test_the_fonts_of_the_pages_are_served(server: tuple[int, Path]) -> None:
    port, _ = server
    font = next((Path(streamlit.__file__).parent / "static" / "static" / "media").glob("MaterialSymbols*.woff2"))
    assert b" 200 " in answer(port, "Host: 127.0.0.1", path=f"/static/media/{font.name}")


def test_a_name_that_is_long_or_holds_control_characters_stands_short_in_the_log() -> None:
    for host in (b"x" * 100_000, b"evil\x1b[2J\r\nrefused: nothing"):
        why = objection({"type": "http", "headers": [(b"host", host)]}, ["localhost"])
        assert len(why) < 200
        assert why.isprintable()


@pytest.mark.parametrize("host", ["a..b", "-a", "a-", "a b", "a:b", "a:", "a/b", "é.example", "a" * 256, "a:123456", "[::1"])
def test_what_is_no_host_has_no_name(host: str) -> None:
    assert name_of(host) is None


@pytest.mark.parametrize("given", ["https://rack.example", "rack.example:443", "rack.example/", "*", "*.example", ""])
def test_a_public_host_is_a_name_and_no_more(given: str) -> None:
    with pytest.raises(ServingRefused, match="expected a host name"):
        public_hosts([given])


def test_a_login_file_names_the_public_host(tmp_path: Path) -> None:
    path = tmp_path / "login.toml"
    path.touch(0o600)
    path.write_text(LOGIN.replace("http://127.0.0.1:8501/", f"https://{PUBLIC}/"))
    assert check_login(path) == PUBLIC


def test_a_setting_that_is_no_host_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RACK_PUBLIC_HOSTS", "rack.example, https://x")
    warehouse = sample.make(tmp_path / "warehouse.duckdb")
    assert main(["dashboard", "--warehouse", str(warehouse), "--read-only"]) == 2
    assert "https://x: expected a host name" in capsys.readouterr().err
