"""Attacks on the edges of the pages: names, cookies, downloads, sign-ins, lists, signatures and addresses.

Requests go over real sockets to the guards in front of Streamlit; pages run as Streamlit runs them, on a floor with a log.
"""

import contextlib
import csv
import json
import os
import random
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator, MutableMapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from urllib.parse import parse_qs

import uvicorn
from streamlit.testing.v1 import AppTest

import dashboards
from dashboards.access import access, hosts
from dashboards.access.access import of_claims
from dashboards.access.downloads import DOWNLOADS, Download, Downloads
from dashboards.access.hosts import HostGuard
from dashboards.access.page_list import Role
from dashboards.access.sign_ins import IDLE_S, LONGEST_S, SignInGuard, SignIns, cookies_of, key_of
from dashboards.parts import desk
from dashboards.run import ACCESS_VARIABLE, LOG_VARIABLE, LOGIN, PERSONS_VARIABLE, WAREHOUSE_VARIABLE, command
from desk.review.desk import ReviewRefused, desk_at
from events.vocabulary.codec import decode
from events.vocabulary.model import RecordExported
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.desk.people import PEOPLE
from tests.faults.table import demand, fault

PUBLIC = "rack.bellwether.example"
PAGES = Path(dashboards.__file__).parent / "pages"
SETTING = {"claim": "roles", "person": "email", **{role.value: [role.value] for role in Role}}


# --------------------------------------------------------------------------------------------------- behind the guards


class StandIn:
    """What is where Streamlit does: gives a login cookie at the callback, hands out downloads, tells the cookies it sees."""

    def __init__(self, downloads: Downloads) -> None:
        self.downloads = downloads

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        seen = json.dumps(sorted(cookies_of(scope)))
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            while (await receive())["type"] != "websocket.disconnect":
                pass
            return
        headers, body, status = [], seen.encode(), 200
        if scope["path"] == "/oauth2callback":
            name = parse_qs(scope["query_string"].decode())["who"][0]
            headers = [(b"set-cookie", f"_streamlit_user={name}; HttpOnly; Max-Age=2592000; Path=/".encode())]
        elif scope["path"].startswith("/downloads/"):
            file = self.downloads.fetch(key_of(cookies_of(scope)), scope["path"].removeprefix("/downloads/"))
            status, body = (404, b"") if file is None else (200, file.data)
        length = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": body})


class Server(NamedTuple):
    """A server of this process: its port, its sign-ins and downloads, and the seconds its clock is ahead."""

    port: int
    sign_ins: SignIns
    downloads: Downloads
    ahead: list[float]

    def ask(self, path: str = "/", cookie: str = "", host: str = "127.0.0.1", *more: str) -> tuple[int, bytes]:
        """Send a raw request; return the status and the rest of the answer."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *([f"Cookie: {cookie}"] if cookie else []), *more]
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as sent:
            sent.sendall("\r\n".join([*lines, *([] if more else ["Connection: close"]), "", ""]).encode("latin-1", "replace"))
            answer = sent.recv(65_536)
            while not more and (chunk := sent.recv(65_536)):
                answer += chunk
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body

    def upgrade(self, host: str, origin: str | None) -> int:
        """Ask for a WebSocket; return the status."""
        more = [*UPGRADE, *([] if origin is None else [f"Origin: {origin}"])]
        return self.ask("/_stcore/stream", "", host, *more)[0]

    def log_in(self, who: str) -> str:
        """Log in; return the cookie."""
        self.ask(f"/oauth2callback?who={who}")
        return f"_streamlit_user={who}"

    def knows(self, cookie: str) -> bool:
        """Say whether a cookie reaches the pages."""
        return b"_streamlit_user" in self.ask("/queue", cookie)[1]


UPGRADE = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
)


@contextlib.contextmanager
def _served() -> Iterator[Server]:
    """Serve the stand-in behind the guards, as `dashboards.start` puts them in front of Streamlit."""
    ahead, downloads = [0.0], Downloads()
    sign_ins = SignIns(downloads, lambda: time.monotonic() + ahead[0])
    app = HostGuard(SignInGuard(StandIn(downloads), secure=lambda: False, sign_ins=sign_ins), allowed=[PUBLIC])
    with socket.socket() as listening, patch.object(hosts.log, "disabled", True):
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="error", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield Server(listening.getsockname()[1], sign_ins, downloads, ahead)
        finally:
            server.should_exit = True
            thread.join(timeout=20)


def _foreign(rng: random.Random, port: int) -> str:
    """Return a name that is not one of the pages' own, however much it looks like one."""
    word = "".join(rng.choices("abcdefgh", k=6))
    name = rng.choice(
        [f"{word}.example", f"127.0.0.1.{word}.example", f"{PUBLIC}.{word}.example", f"{word}-{PUBLIC}", f"{word}.localhost",
         "0.0.0.0", f"127.0.0.{rng.randrange(2, 255)}", "[::]", "", f"localhost@{word}.example", f"{word}.example#localhost"]
    )  # fmt: skip
    return rng.choice([name, name.upper(), f"{name}:{port}", f"{name}:80"])


@fault(
    "pages",
    "a page of a foreign name that points at this machine",
    how="raw requests, HTTP and WebSocket, whose Host is foreign and equals the Origin; an Origin of another port",
    held="403 and no page; the pages' own names answer",
    quick=60,
    often=4_000,
)
def rebinding(folder: Path, times: int) -> int:
    rng = random.Random(1)
    with _served() as server:
        for own in (f"127.0.0.1:{server.port}", "localhost", PUBLIC):
            demand(server.ask(host=own)[0] == 200, f"{own} does not answer")
            demand(server.upgrade(own, f"http://{own}") == 101, f"{own} opens no WebSocket")
        for turn in range(times):
            host, here = _foreign(rng, server.port), f"127.0.0.1:{server.port}"
            if turn % 3 == 0:
                status = server.ask(rng.choice(["/", "/queue", "/downloads/x"]), "", host)[0]
            elif turn % 3 == 1:
                status = server.upgrade(host, rng.choice([f"http://{host}", None]))
            else:
                host, status = here, server.upgrade(here, f"http://{rng.choice(['127.0.0.1', 'localhost'])}:{turn + 1}")
            demand(status in (400, 403), f"{host!r} was answered with {status}")
    return times


@fault(
    "pages",
    "a packet fetched by somebody else",
    how="its address without a cookie, with another person's, after logout, after the sign-in's time; guessed; Streamlit's own",
    held="404; its maker gets it while signed in",
    quick=12,
    often=600,
)
def fetched(folder: Path, times: int) -> int:
    rng = random.Random(2)
    with _served() as server:
        for turn in range(times):
            mine, other = server.log_in(f"maker-{turn}"), server.log_in(f"other-{turn}")
            data = rng.randbytes(40)
            file = Download("packet.pdf", "application/pdf", data)
            address = "/" + server.downloads.keep(str(key_of({"_streamlit_user": f"maker-{turn}"})), file)
            demand(server.ask(address, mine) == (200, data), "who made a packet does not get it")
            way = turn % 6
            if way == 2:
                server.ask("/auth/logout", mine)
            server.ahead[0] += LONGEST_S if way == 3 else 0
            asked = address[:-1] if way == 4 else "/media/" + sha256(data).hexdigest() + ".pdf" if way == 5 else address
            status, body = server.ask(asked, {0: "", 1: other}.get(way, mine))
            demand((status, data in body) == (404, False), f"way {way}: a packet was handed to somebody else ({status})")
    return times


@fault(
    "pages",
    "a copied login cookie after its sign-in",
    how="after logout, its time, half an hour without a page, another login, a restart; on an open WebSocket",
    held="the pages see nobody; an open page is cut off",
    quick=12,
    often=120,
)
def copied(folder: Path, times: int) -> int:
    for turn in range(times):
        with _served() as server:
            cookie = server.log_in(f"owner-{turn}")
            demand(server.knows(cookie), "a sign-in does not hold")
            way = turn % 6
            if way == 0:
                server.ask("/auth/logout", cookie)
            elif way in (1, 2):
                server.ahead[0] += LONGEST_S if way == 1 else IDLE_S
            elif way == 3:
                server.ask("/oauth2callback?who=next", cookie)
            elif way == 4:
                with _served() as again:
                    demand(not again.knows(cookie), "a cookie of before the restart is known")
                server.ask("/auth/logout", cookie)
            else:
                demand(_cut_off(server, cookie), "an open page is not cut off at the logout")
            demand(not server.knows(cookie), f"way {way}: a cookie is known after its sign-in")
    return times


def _cut_off(server: Server, cookie: str) -> bool:
    """Open a WebSocket, log out, and say whether it is closed."""
    here = f"127.0.0.1:{server.port}"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as sent:
        lines = ("GET /_stcore/stream HTTP/1.1", f"Host: {here}", f"Origin: http://{here}", f"Cookie: {cookie}", *UPGRADE)
        sent.sendall("\r\n".join([*lines, "", ""]).encode())
        demand(b" 101 " in sent.recv(4_096), "no WebSocket was opened")
        server.ask("/auth/logout", cookie)
        try:
            return sent.recv(4_096)[:1] in (b"\x88", b"")  # a frame that closes, or the end
        except TimeoutError:
            return False


@fault(
    "pages",
    "a sign-in whose address is not verified",
    how='tokens without `email_verified`, with false, null, 0, 1, "true", [true]; an address in look-alike letters',
    held="nothing is seen and nobody is named; the reason is said",
    quick=20,
    often=400,
)
def unverified(folder: Path, times: int) -> int:
    rng, now = random.Random(3), 1_772_400_000.0
    whole = {"is_logged_in": True, "iat": now - 60, "email": "m.ortiz@bellwether.example", "email_verified": True}
    roles = {"roles": ["surveillance"]}
    demand(bool(of_claims(whole | roles, SETTING, now).rights), "a verified address is refused")
    values = [None, False, 0, 1, "true", "True", "", [True], {"x": True}]
    for turn in range(times):
        claims: dict[str, Any] = whole | roles | {"email": f"p{rng.randrange(999)}@bellwether.example"}
        if turn % 10 == 9:
            claims["email"] = "\N{KELVIN SIGN}.kim@bellwether.example"
        elif turn % 10 == 8:
            del claims["email_verified"]
        else:
            claims["email_verified"] = values[turn % len(values)]
        found = of_claims(claims, SETTING, now)
        demand(found.person is None and not found.rights, f"{claims} was let in")
        demand(bool(found.refusal), "no reason was given")
    return times


# ---------------------------------------------------------------------------------------------------------- the pages


@contextlib.contextmanager
def _signed_in(floor: Living, who: str, role: str = "surveillance") -> Iterator[None]:
    """Have the pages of this process show a floor to somebody."""
    claims = {
        "is_logged_in": True, "iat": time.time(), "email": f"{who}@bellwether.example", "email_verified": True, "roles": [role],
    }  # fmt: skip
    about = {
        ACCESS_VARIABLE: LOGIN,
        LOG_VARIABLE: floor.log,
        WAREHOUSE_VARIABLE: str(floor.warehouse),
        PERSONS_VARIABLE: str(floor.warehouse.with_name("persons.toml")),
    }
    desk._read.clear()
    with (
        patch.dict(os.environ, about),
        patch.object(access, "claims", lambda: claims),
        patch.object(access, "roles_setting", lambda: SETTING),
        patch.object(access, "sign_in", lambda: who),
    ):
        yield


def _opened(page: str, query: MutableMapping[str, str]) -> AppTest:
    test = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    for name, value in query.items():
        test.query_params[name] = value
    return _run(test)


def _run(test: AppTest) -> AppTest:
    """Run a page, which takes the place of the main module, and put that back: results of other processes need it."""
    main = sys.modules["__main__"]
    try:
        return test.run()
    finally:
        sys.modules["__main__"] = main


def _markup(test: AppTest) -> str:
    bodies: list[Any] = [each.proto.body for each in test.get("html")]
    return "\n".join(bodies)


@fault(
    "pages",
    "a list of findings taken away unrecorded or in part",
    how="lists longer than a page of the queue, grouped and filtered, exported by the page; another writer keeps the turn",
    held="every finding, under the SHA-256 in the log; nothing where it cannot be written; no other download",
    quick=3,
    often=24,
)
def taken_away(folder: Path, times: int) -> int:
    demand("--client.disableDataExport=true" in command("w", 1), "the lists offer a download of their own")
    for turn in range(times):
        place = folder / str(turn)
        place.mkdir()
        floor = living.make(place, tuple(range(1, 56)))
        with _signed_in(floor, "s.lee"), contextlib.ExitStack() as taken:
            test = _opened("queue", ({}, {"alike": "true"}, {})[turn % 3])
            if turn % 3 == 2:
                taken.enter_context(patch("events.log.turn.TURN_WAIT_S", 0.1))
                other = taken.enter_context(desk_at(floor.log))
                taken.enter_context(other.log.turn())
            next(each for each in test.button if each.label == "Export list").click()
            _run(test)
            token = re.search(r'href="downloads/([^"]+)"', _markup(test))
            file = DOWNLOADS.fetch("s.lee", token[1]) if token else None
            demand(not test.get("download_button"), "Streamlit serves a download to anybody")
        with desk_at(floor.log, read_only=True) as at:
            payloads = [decode(each.data).payload for each in at.log.read("review/fu-01")] if at.review("fu-01").seq else []
        digests = [each.digest for each in payloads if isinstance(each, RecordExported)]
        if turn % 3 == 2:
            demand((file, digests) == (None, []), "a list left though the log could not say so")
            continue
        demand(file is not None, "no list was made")
        data = file.data if file is not None else b""
        demand(digests == [sha256(data).hexdigest()], f"the log has {digests}")
        demand(len(list(csv.DictReader(data.decode().splitlines()))) == 55, "the list is not whole")
    return times


FULL_WIDTH = {char: chr(ord(char) + 0xFEE0) for char in map(chr, range(0x21, 0x7F))}


def _spelled(rng: random.Random) -> str:
    """Return the name of s.lee another way."""
    name = rng.choice(["s.lee", "s.lee@bellwether.example"])
    way = rng.choice([str.upper, str.title, str.lower, lambda text: "".join(FULL_WIDTH[char] for char in text)])
    at = rng.randrange(len(name))
    blank = rng.choice(["", " ", "\t", "\N{ZERO WIDTH SPACE}", "\N{NO-BREAK SPACE}", "\N{SOFT HYPHEN}"])
    return f"{blank}{way(name)[:at]}{blank}{way(name)[at:]}"


@fault(
    "pages",
    "a second signature by the same person under another name",
    how="case, blanks, invisible and full-width characters, the name of the sign-in; a look-alike nobody registered",
    held="refused, and the finding goes on waiting; another person signs",
    quick=20,
    often=200,
)
def signed_twice(folder: Path, times: int) -> int:
    rng = random.Random(4)
    floor = living.make(folder)
    with desk_at(floor.log, persons=PEOPLE) as at:
        finding = at.cases()[0].finding.id
        for turn in range(times):
            at.resolve(finding, disposition="confirmed_paid_patron", amount_cents=1, by=_spelled(rng), reason="paid")
            name = "s.l\N{CYRILLIC SMALL LETTER IE}e" if turn % 5 == 4 else _spelled(rng)
            with contextlib.suppress(ReviewRefused):
                at.sign(finding, by=name, reason="seen")
            demand(at.case(finding).review.state == "awaiting_signature", f"{name!r} signed beside s.lee")
            if turn % 2:
                at.sign(finding, by="m.ortiz", reason="seen")
            at.reopen(finding, by="m.ortiz", reason="again")
    return times


QUERIES = {
    "round": ("round", "table", "stream", "step", "finding"),
    "dispute": ("of", "round", "seat", "day", "cards", "time"),
    "queue": ("table", "code", "day", "severity", "state", "finding", "page", "alike"),
    "hold": ("view", "by", "month", "wager", "paytable", "dealer"),
    "rules": ("decision", "filing", "table", "wager"),
    "fairness": ("family", "by", "view"),
    "dealers": ("view", "dealer"),
}
SENSELESS = (
    "9" * 5_000, "-1", "0", "1.5", "1e9", str(2**53), str(2**64), "\x00", "a\x00b", "\x1b[2J", "\N{RIGHT-TO-LEFT OVERRIDE}",
    "\N{ARABIC-INDIC DIGIT THREE}", "\N{SUPERSCRIPT TWO}", "x" * 100_000, "<script>alert(1)</script>", "'; DROP TABLE x; --",
    "../../etc/passwd", "table/", "[]", "NaN",
)  # fmt: skip
ROUND = {"round": {"table": "fu-01", "round": "1"}, "dispute": {"of": "fu-01", "round": "1"}}


@fault(
    "pages",
    "an address that nobody could mean",
    how="every value of every page's address: 5,000 digits, negative, huge, fractions, control characters, markup, very long",
    held="the page is drawn; what is out of form is named and left out",
    quick=8,
    often=240,
)
def senseless(folder: Path, times: int) -> int:
    floor = living.make(folder)
    first = [("round", "round", "9" * 5_000), ("dispute", "round", "9" * 5_000), ("round", "step", "9" * 5_000)]
    every = [(page, name, value) for page, names in QUERIES.items() for name in names for value in SENSELESS]
    random.Random(5).shuffle(every)
    cases = (first + every)[:times]
    with _signed_in(floor, "s.lee"):
        for page, name, value in cases:
            test = _opened(page, {**ROUND.get(page, {}), name: value})
            failures = [each.message for each in test.exception]
            demand(not failures, f"{page}?{name}={value[:20]!r}: {failures}")
            if name == "round" or not value.isprintable():
                demand("It was ignored" in _markup(test), f"{page}?{name}={value[:20]!r} is not named")
    return len(cases)
