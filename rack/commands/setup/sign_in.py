"""`rack sign-in`: invite people to set their sign-in up, see who has, end sign-ins, remove what somebody signs in with."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rack import settings
from rack.arguments import action_parsers, add, add_log
from rack.errors import Exit, UsageError
from rack.output import Output, table

if TYPE_CHECKING:
    from desk.review.persons import Person, Persons
    from desk.sign_in.accounts import Accounts
    from desk.sign_in.login_file import LocalSignIn

HELP = "Invite people to the pages' own sign-in, list who has set it up, end sign-ins, or remove one"
EPILOG = "`rack apply` sets it up if property.toml has [sign_in]. Another identity provider invites its people itself."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    action = action_parsers(parser)
    invite = action("invite", "Print a link and its code, with which a person sets a passkey or a password up, once.")
    add(invite, "--hours N", "So long it holds (default: 24; at most 168).", type=int, default=24)
    end = action("end", "End every sign-in of a person, now: open pages are cut off.")
    remove = action("remove", "Remove a person's passkeys, password and invitation, and end every sign-in.")
    for each in (invite, end, remove):
        add(each, "person PERSON", "Id of a registered person, such as m.ortiz.")
    listed = action("list", "List every person of the register: passkeys, password, invitation, last sign-in.")
    history = action("history", "List what happened: invitations, what was set up, sign-ins, wrong tries.")
    add(history, "person PERSON", "Only of this person.", nargs="?")
    for each in (invite, end, remove, listed, history):
        add_log(each)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Invite, list, end or remove."""
    from desk.sign_in.accounts import Accounts
    from rack.opening import register_of

    local = of_log(arguments.log)
    accounts, persons, now_s = Accounts(local.accounts), register_of(arguments.log), time.time()
    if arguments.action == "list":
        _list(accounts, persons, now_s, output)
    elif arguments.action == "history":
        _history(accounts, None if arguments.person is None else persons.known(arguments.person).id, output)
    else:
        _change(arguments, local, persons.known(arguments.person), now_s, output)
    return Exit.CLEAN


def _list(accounts: Accounts, persons: Persons, now_s: float, output: Output) -> None:
    standing, rows = accounts.standing(now_s), []
    for each in persons.all:
        its = standing.get(each.id)
        passkeys, password, invited, last = its or (0, False, None, None)
        ways = (str(passkeys or "–"), "yes" if password else "–", _time(invited), _time(last))
        rows.append((each.id, ", ".join(each.roles) or "–", *ways))
    heads = ("person", "roles", "passkeys", "password", "invited until", "last sign-in")
    names = [head.replace(" ", "_").replace("-", "_") for head in heads]
    output.value([dict(zip(names, row, strict=True)) for row in rows])
    output.text(*table(heads, rows))


def _history(accounts: Accounts, person: str | None, output: Output) -> None:
    lines = accounts.history(person)
    output.value([each._asdict() for each in lines])
    output.text(
        *table(("when (UTC)", "person", "what"), [(_time(each.at_s), each.person, each.what) for each in lines])
    )


def _change(arguments: argparse.Namespace, local: LocalSignIn, person: Person, now_s: float, output: Output) -> None:
    """Invite a person, end their sign-ins, or remove what they sign in with."""
    from desk.sign_in.accounts import Accounts

    accounts = Accounts(local.accounts)
    if arguments.action == "end":
        accounts.end(person.id, now_s)
        output.note(f"every sign-in of {person.id} has ended")
        return
    if arguments.action == "remove":
        accounts.remove(person.id, now_s)
        output.note(f"{person.id} can no longer sign in; `rack sign-in invite {person.id}` lets them set it up again")
        return
    if not 1 <= arguments.hours <= 168:
        raise UsageError(f"--hours {arguments.hours}: expected 1 to 168")
    if not person.roles:
        raise UsageError(f"{person.id} has no role, and could open no page; write roles in property.toml, and apply it")
    code = accounts.invite(person, now_s, arguments.hours)
    link, until = f"{local.issuer}/invited#{code}", _time(now_s + arguments.hours * 3600)
    output.value({"person": person.id, "link": link, "code": code, "until": until})
    output.text(link, f"code {code}")
    output.note(f"give it to {person.name} alone; it holds once, until {until} UTC")


def of_log(flag: str | None) -> LocalSignIn:
    """Return the sign-in of our own that belongs to a log. Raises `UsageError` if there is none."""
    from desk.sign_in.login_file import local_sign_in

    register = settings.persons_file(settings.log_address(flag))
    login = None if register is None else register.with_name("login.toml")
    if login is None or not login.exists():
        raise UsageError(
            f"{login or 'login.toml'}: no such file; write [sign_in] into property.toml, and `rack apply` makes it"
        )
    local = local_sign_in(login)
    if local is None:
        raise UsageError(f"{login} names another identity provider: people are invited there")
    return local


def _time(at_s: float | None) -> str:
    return "–" if at_s is None else f"{datetime.fromtimestamp(at_s, tz=UTC):%Y-%m-%d %H:%M}"
