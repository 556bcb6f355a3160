"""A new house set up in a browser: the questions of `rack init`, the names of people, the plan, and its button.

Invariant: it answers only this machine, and only at its address, which has a secret seal. It writes nothing before the plan was
shown and applied, and never overwrites a file. Once the house is made, it stops.
"""

import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from datetime import date
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import available_timezones

import dashboards
from analytics.theory.theory import percent_of
from dashboards.access.hosts import LOOPBACK, name_of
from desk.house.new_property import DEFAULTS, PEOPLE, QUESTIONS, games_in_force, make_house, people_of, preview
from desk.house.plan import Plan
from desk.review.desk import REFUSALS
from desk.review.persons import ReviewRefused
from desk.review.persons import read as read_persons
from desk.sign_in.accounts import Accounts
from desk.sign_in.login_file import local_sign_in

STYLE: Final = (Path(dashboards.__file__).parent / "sign_in" / "page.css").read_text("utf-8")
LONGEST_BODY: Final = 64 * 1024
INVITED_HOURS: Final = 24
MARKS: Final = {"+": "New:", "!": "Note:"}
ASKED_AS: Final = {"cutover": 'type="time"', "first_day": 'type="date"', "zone": 'list="zones"'}


class NewHouse:
    """Serves the pages that begin a house in a folder, at its `address`."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port, self.seal = folder, port, secrets.token_urlsafe(24)
        self.is_made = False
        self._turn = threading.Lock()

        class Handler(HouseHandler):
            house = self

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        """The address, with the seal of this server."""
        return f"http://localhost:{self.port}/?seal={self.seal}"

    def serve(self) -> None:
        """Answer until the house is made."""
        try:
            self._server.serve_forever(poll_interval=0.1)
        finally:
            self._server.server_close()

    def end(self) -> threading.Thread:
        """Stop after the present requests are answered; then the thread ends."""
        ending = threading.Thread(target=self._server.shutdown)
        ending.start()
        return ending

    def asked(self, given: Mapping[str, str]) -> str:
        """Return the page of questions, of the plan, or of the result."""
        step = given.get("step")
        if step is None or step == "change":
            return questions(given, self.seal)
        try:
            answers = answers_of(given, self.port)
            if step == "plan":
                return plan_page(preview(answers, percent_of), given, self.seal)
            return self._apply(answers)
        except REFUSALS as error:
            return questions(given, self.seal, str(error))

    def _apply(self, answers: Mapping[str, str]) -> str:
        with self._turn:
            if self.is_made:
                raise ReviewRefused("this house is made already; open its pages")
            plan = make_house(self.folder, answers, percent_of, now_us=time.time_ns() // 1_000)
            self.is_made = True
        local = local_sign_in(self.folder / "login.toml")
        assert local is not None
        accounts = Accounts(local.accounts)
        links = {
            person.name: f"{local.issuer}/invited#{accounts.invite(person, time.time(), INVITED_HOURS)}"
            for person in read_persons(self.folder / "persons.toml").all
        }
        return made_page(plan, links)


class HouseHandler(BaseHTTPRequestHandler):
    """Answers a browser for `house`."""

    house: NewHouse

    def do_GET(self) -> None:
        """Answer with the questions."""
        asked = dict(parse_qsl(urlsplit(self.path).query))
        self._answer({"seal": asked.get("seal", "")})

    def do_POST(self) -> None:
        """Answer with the plan, or with the result."""
        stated = self.headers.get("Content-Length", "")
        length = int(stated) if stated.isdigit() and len(stated) < 9 else 0
        body = self.rfile.read(length) if length <= LONGEST_BODY else b""
        origin = self.headers.get("Origin")
        is_ours = origin is None or origin == f"http://{self.headers.get('Host', '')}"
        self._answer(dict(parse_qsl(body.decode("utf-8", "replace"))) if is_ours else {})

    def _answer(self, given: Mapping[str, str]) -> None:
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or name_of(hosts[0]) not in LOOPBACK or urlsplit(self.path).path != "/":
            self._send(403, "text/plain", "These pages answer this machine alone, at the address that was printed.\n")
        elif not hmac.compare_digest(given.get("seal", "").encode(), self.house.seal.encode()):
            self._send(403, "text/plain", "Open the address that `rack dashboard` printed; it holds while it runs.\n")
        else:
            nonce = secrets.token_urlsafe(16)
            self._send(200, "text/html", self.house.asked(given).replace(' nonce=""', f' nonce="{nonce}"'), nonce)
            if self.house.is_made:
                self.house.end()

    def _send(self, status: int, kind: str, text: str, nonce: str = "") -> None:
        body = text.encode()
        sources = f"style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; form-action 'self'; "
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Content-Security-Policy": f"default-src 'none'; {sources}base-uri 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing: the address contains the seal."""


def answers_of(given: Mapping[str, str], port: int) -> dict[str, str]:
    """Return a form's answers for `make_house`. Raises `ReviewRefused`, which names an unanswered question."""
    numbers = {game: given.get(game, "").strip() for game in games_in_force()}
    answers = {name: given.get(name, "").strip() or DEFAULTS.get(name, "") for name in QUESTIONS}
    answers["tables"] = ", ".join(f"{number} {game}" for game, number in numbers.items() if number.strip("0"))
    for name, question in QUESTIONS.items():
        if not answers[name]:
            raise ReviewRefused(f"{question.partition(' (')[0]}: not answered yet")
    people = given.get("people", "")
    if len({id_ for id_, _ in people_of(people)}) < max(2, len(people_of(people))):
        raise ReviewRefused(
            "Name at least two people, with different names: what one files or counts, another signs or counts again"
        )
    return answers | {"people": people, "port": str(port)}


def questions(given: Mapping[str, str], seal: str, refused: str = "") -> str:
    """Return the page of questions, with earlier answers."""

    def field(name: str, label: str, more: str) -> str:
        value = escape(given.get(name, DEFAULTS.get(name, "")))
        return f'<label for="{name}">{escape(label)}</label><input id="{name}" name="{name}" value="{value}" {more}>'

    given = {"first_day": date.today().isoformat(), **given}
    fields = [
        field(name, question, f"required {ASKED_AS.get(name, '')}") for name, question in QUESTIONS.items() if name != "tables"
    ]
    tables = [
        field(game, f"Tables of {listed.title}", 'type="number" min="0" max="99" placeholder="0"')
        for game, listed in games_in_force().items()
    ]
    zones = "".join(f'<option value="{zone}">' for zone in sorted(available_timezones()) if "/" in zone)
    return _page(
        "A new house",
        "<p>Nothing is written until you have seen the plan and applied it.</p>"
        f'<form method="post" action="/"><input type="hidden" name="seal" value="{seal}">{"".join(fields)}'
        f'<datalist id="zones">{zones}</datalist><h2>Tables</h2>{"".join(tables)}<h2>People</h2>'
        f'{field("people", PEOPLE, "required")}<button name="step" value="plan">Show the plan</button></form>',
        refused,
    )


def plan_page(plan: Plan, given: Mapping[str, str], seal: str) -> str:
    """Return the page with the plan and its buttons."""
    kept = {**given, "seal": seal}
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in kept.items() if name != "step"
    )
    lines = "".join(f"<p><b>{MARKS.get(line[0], '')}</b> {escape(line[2:])}</p>" for line in plan.lines)
    return _page(
        "The plan",
        f'{lines}<form method="post" action="/">{hidden}<button name="step" value="apply">Apply</button>'
        '<button name="step" value="change">Change the answers</button></form>',
    )


def made_page(plan: Plan, links: Mapping[str, str]) -> str:
    """Return the page with an invitation for each person. It is shown only once."""
    invited = "".join(f'<p><a href="{escape(link)}">{escape(name)}</a></p>' for name, link in links.items())
    return _page(
        "The house is made",
        f"<p>{plan.events} events, {len(plan.files)} files and the key that signs packets and reports were written. "
        "Keep a copy of the key in another place: it is log.key, in the folder of the house.</p>"
        f"<p>Each person opens their link once, within {INVITED_HOURS} hours, and sets up a passkey or a password. "
        "Copy the others' links now: they are not shown again.</p>"
        f'{invited}<p role="status" id="runs">The pages start. Wait a moment.</p>'
        f'<script nonce="">{_WAITS}</script>',
    )


_WAITS: Final = """
const wait = async () => {
  const answer = await fetch("/_stcore/health").catch(() => null);
  if (answer?.ok) document.getElementById("runs").textContent = "The pages run.";
  else setTimeout(wait, 500);
};
setTimeout(wait, 1000);
"""


def _page(title: str, body: str, said: str = "") -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title} · Discard Rack</title><style nonce="">{STYLE}</style></head>'
        f'<body><main><h1>{title}</h1><p role="alert">{escape(said)}</p>{body}</main></body></html>'
    )
