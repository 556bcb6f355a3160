"""`rack sign-in`: invite people to set up a sign-in, list sign-ins, end sessions, remove a person's sign-in."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from rack import settings
from rack.actions import Act, action_parsers, run_action
from rack.arguments import add, add_log
from rack.errors import UsageError
from rack.output import Output

if TYPE_CHECKING:
    from desk.review.persons import Persons
    from desk.sign_in.accounts import Accounts
    from desk.sign_in.login_file import LocalSignIn

HELP = "Invite people to the pages' own sign-in, list who has set it up, end sign-ins, or remove one"
EPILOG = "`rack apply` sets it up if property.toml has [sign_in]. Another identity provider invites its people itself."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    action = action_parsers(parser)
    says = "Print a link and its code, with which a person sets a passkey or a password up, once."
    invite = action("invite", says, _at_accounts(_invite))
    add(invite, "--hours N", "Hours that the link holds (default: 24; at most 168).", type=int, default=24)
    add(invite, "--qr", "Print the link as a QR code, too, for the camera of a phone.")
    end = action("end", "End every sign-in of a person, now: open pages are cut off.", _at_accounts(_end))
    remove = action(
        "remove", "Remove a person's passkeys, password and invitation, and end every sign-in.", _at_accounts(_remove)
    )
    for each in (invite, end, remove):
        add(each, "person PERSON", "Id of a registered person, such as m.ortiz.")
    listed = action(
        "list", "List every person of the register: passkeys, password, invitation, last sign-in.", _at_accounts(_list)
    )
    history = action(
        "history", "List what happened: invitations, what was set up, sign-ins, wrong tries.", _at_accounts(_history)
    )
    add(history, "person PERSON", "Only of this person.", nargs="?")
    for each in (invite, end, remove, listed, history):
        add_log(each)


run = run_action
"""Invite, list, end or remove."""


class Reception(NamedTuple):
    """The sign-in of a log with its accounts, the register of persons, and the time now."""

    local: LocalSignIn
    accounts: Accounts
    persons: Persons
    now_s: float


def _at_accounts(act: Callable[[Reception, argparse.Namespace, Output], None]) -> Act:
    def acting(arguments: argparse.Namespace, output: Output) -> None:
        from desk.sign_in.accounts import Accounts
        from desk.sign_in.login_file import sign_in_beside
        from rack.opening import register_of

        local = sign_in_beside(settings.persons_file(settings.log_address(arguments.log)))
        act(Reception(local, Accounts(local.accounts), register_of(arguments.log), time.time()), arguments, output)

    return acting


def _list(at: Reception, arguments: argparse.Namespace, output: Output) -> None:
    standing, rows = at.accounts.states(at.now_s), []
    for each in at.persons.all:
        passkeys, password, invited, last = standing.get(each.id) or (0, False, None, None)
        ways = (str(passkeys or "–"), "yes" if password else "–", _time(invited), _time(last))
        rows.append((each.id, ", ".join(each.roles) or "–", *ways))
    heads = ("person", "roles", "passkeys", "password", "invited until", "last sign-in")
    names = [head.replace(" ", "_").replace("-", "_") for head in heads]
    output.value([dict(zip(names, row, strict=True)) for row in rows])
    output.table(heads, rows)


def _history(at: Reception, arguments: argparse.Namespace, output: Output) -> None:
    lines = at.accounts.history(None if arguments.person is None else at.persons.known(arguments.person).id)
    output.value([each._asdict() for each in lines])
    output.table(("when (UTC)", "person", "what"), [(_time(each.at_s), each.person, each.what) for each in lines])


def _end(at: Reception, arguments: argparse.Namespace, output: Output) -> None:
    person = at.persons.known(arguments.person)
    at.accounts.end(person.id, at.now_s)
    output.note(f"every sign-in of {person.id} has ended")


def _remove(at: Reception, arguments: argparse.Namespace, output: Output) -> None:
    person = at.persons.known(arguments.person)
    at.accounts.remove(person.id, at.now_s)
    output.note(f"{person.id} can no longer sign in; `rack sign-in invite {person.id}` lets them set it up again")


def _invite(at: Reception, arguments: argparse.Namespace, output: Output) -> None:
    person = at.persons.known(arguments.person)
    if not 1 <= arguments.hours <= 168:
        raise UsageError(f"--hours {arguments.hours}: expected 1 to 168")
    if not person.roles:
        raise UsageError(f"{person.id} has no role, and could open no page; write roles in property.toml, and apply it")
    draw = _qr_codes() if arguments.qr else lambda link: []
    code = at.accounts.invite(person, at.now_s, arguments.hours)
    link, until = f"{at.local.issuer}/invited#{code}", _time(at.now_s + arguments.hours * 3600)
    output.value({"person": person.id, "link": link, "code": code, "until": until})
    output.text(link, f"code {code}", *draw(link))
    output.note(f"give it to {person.name} alone; it works once, until {until} UTC")


def _qr_codes() -> Callable[[str], list[str]]:
    """Return a function that draws a link as a QR code, in lines. Raises `UsageError` if its package is not installed."""
    try:
        import segno
    except ImportError as error:
        raise UsageError("--qr needs the package segno; it comes with pip install 'discard-rack[dashboard]'") from error

    def draw(link: str) -> list[str]:
        drawn = StringIO()
        segno.make(link, micro=False).terminal(drawn, compact=True)
        return drawn.getvalue().splitlines()

    return draw


def _time(at_s: float | None) -> str:
    return "–" if at_s is None else f"{datetime.fromtimestamp(at_s, tz=UTC):%Y-%m-%d %H:%M}"
