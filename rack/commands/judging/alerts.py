"""`rack alerts`: alarms about incidents, sent by the settings; sent and undelivered messages, and who has which alarm."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from rack.actions import action_parsers, at_desk, print_entries, run_action
from rack.arguments import add, add_log, given_path
from rack.errors import EnvironmentFault, Exit, UsageError
from rack.output import Output, counted
from rack.settings import alarms_file, log_address, outbox_file

if TYPE_CHECKING:
    from desk.alarms.outbox import Letter
    from desk.alarms.settings import Settings
    from desk.review.desk import Desk

HELP = "Send alarms about incidents by webhook and e-mail, escalate them until somebody acknowledges, list what was sent"

EPILOG = """\
The settings (docs/alarms.md) are the file --settings, RACK_ALARMS, or alarms.toml beside a log on SQLite; the outbox is
--outbox, RACK_OUTBOX, or <log>.alarms beside a log on SQLite. Secrets are read from files or the environment, never from an
option."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)
    send = action(
        "send", "Send until interrupted: incidents, their later changes, escalations, and advice if a route asks for it.", _send
    )
    test = action("test", "Send a test to every receiver now and show what each answered.", _test)
    listed = action("list", "List the alarms in force, and who acknowledged them.", _list)
    messages = action("messages", "List what was sent to whom, how often it was tried, and the last answer.", _messages)
    retry = action("retry", "Try dead letters for another day.", _retry)
    acknowledge = action(
        "acknowledge", "Record that somebody handles an incident; it is escalated no further.", at_desk(_acknowledge)
    )
    secret = action("secret", "Make a webhook's secret in a file that only you can read.", _secret)
    for each in (send, test):
        add(each, "--settings FILE", "The settings.")
    for each in (send, listed, messages, retry):
        add(each, "--outbox FILE", "The outbox, which one process sends from.")
    add(send, "--past", "With a new outbox, also send incidents found before.")
    add(send, "--once", "Send due messages and exit; 1 if a receiver did not accept one.")
    add(test, "--receiver NAME", "Only this receiver.")
    add(messages, "--dead", "Dead letters alone; the exit code is 1 if there are any.")
    add(retry, "key KEY", "The message's key (default: every dead letter).", nargs="?")
    add(acknowledge, "incident INCIDENT", "The incident's id, or its first digits.")
    add(acknowledge, "--by PERSON", "The registered person who handles it.", required=True)
    add(acknowledge, "--reason TEXT", "What is being done.", required=True)
    add(secret, "file FILE", "The new file.", type=given_path)


run = run_action
"""Carry it out."""


def _send(arguments: argparse.Namespace, output: Output) -> Exit:
    """Send until interrupted; with --once, only due messages."""
    from desk.alarms.outbox import Outbox
    from desk.alarms.sender import Sender, doors, house_of
    from rack.opening import desk

    settings, folder = _settings(arguments)
    address = log_address(arguments.log)
    ways = doors(settings, folder)
    with ExitStack() as resources:
        outbox = resources.enter_context(Outbox(outbox_file(arguments.outbox, address), sending=True))
        sender = Sender(
            outbox,
            settings,
            ways,
            open_desk=lambda: desk(address, read_only=True),
            house_of=house_of,
            tell=output.note,
            past=arguments.past,
        )
        if arguments.once:
            sender.run_once()
            return Exit.FINDINGS if any(outbox.counts().get(state) for state in ("waiting", "dead")) else Exit.CLEAN
        ended = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            resources.callback(signal.signal, number, signal.signal(number, lambda *_: ended.set()))
        output.note(f"alarms of {address} from {outbox.path}; press Ctrl-C to stop")
        sender.run(ended)
    output.note("stopped; undelivered messages wait in the outbox")
    return Exit.CLEAN


def _settings(arguments: argparse.Namespace) -> tuple[Settings, Path]:
    """Return the settings, and the folder of the files they name."""
    from desk.alarms.settings import read_settings

    file = alarms_file(arguments.settings, arguments.log)
    return read_settings(file), file.resolve().parent


def _test(arguments: argparse.Namespace, output: Output) -> Exit:
    """Send a test to each receiver; 1 if one did not accept it."""
    from desk.alarms.sender import send_tests

    answers = []
    for each in send_tests(*_settings(arguments), arguments.receiver):
        answer = {"taken": each.answer.taken, "said": each.answer.said}
        answers.append({"receiver": each.receiver, **answer, "key": each.key})
        output.text(each.line)
    output.value(answers)
    return Exit.CLEAN if all(each["taken"] for each in answers) else Exit.FINDINGS


def _secret(arguments: argparse.Namespace, output: Output) -> None:
    """Make a secret, to be given to the receiver too."""
    from base64 import b64encode
    from secrets import token_bytes

    from desk.alarms.settings import SECRET_PREFIX

    path: Path = arguments.file
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise EnvironmentFault(f"{path} exists; a secret is not overwritten: name another file") from None
    with os.fdopen(file, "w", encoding="ascii") as made:
        made.write(f"{SECRET_PREFIX}{b64encode(token_bytes(32)).decode()}\n")
    output.value({"file": str(path)})
    output.text(f"{path}: a new secret; give the receiver its one line, and name the file as secret_file")


def _acknowledge(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    """Record who takes charge of an incident."""
    print_entries(output, desk.acknowledge(arguments.incident, note=arguments.reason, by=arguments.by))


def _list(arguments: argparse.Namespace, output: Output) -> Exit:
    """List the raised alarms; 1 if one is not acknowledged."""
    from msgspec import to_builtins

    from desk.alarms.alarm import standing_sentence
    from desk.alarms.outbox import Outbox
    from desk.alarms.sender import acknowledged_by
    from rack.opening import desk

    address = log_address(arguments.log)
    with Outbox(outbox_file(arguments.outbox, address), read_only=True) as outbox, desk(address, read_only=True) as open_desk:
        found = [(each, acknowledged_by(open_desk, each.alarm)) for each in outbox.alarms()]
    output.value([to_builtins(each) | {"acknowledged_by": by} for each, by in found])
    rows = [
        (
            each.alarm.id[:8],
            each.alarm.severity,
            each.alarm.table,
            str(each.alarm.round or "–"),
            standing_sentence(each.alarm),
            by or "–",
        )
        for each, by in found
    ]
    output.table(("incident", "severity", "table", "round", "what", "acknowledged by"), rows, empty="No alarm stands.")
    return Exit.FINDINGS if any(by is None for _, by in found) else Exit.CLEAN


def _messages(arguments: argparse.Namespace, output: Output) -> Exit:
    """List messages, newest first; 1 if there are dead letters."""
    from desk.alarms.outbox import STATES, Outbox

    with Outbox(outbox_file(arguments.outbox, log_address(arguments.log)), read_only=True) as outbox:
        letters, counts = outbox.letters("dead" if arguments.dead else None), outbox.counts()
    output.value([_letter(each) for each in letters])
    rows = [
        (each.key, each.alarm[:8], each.receiver, each.what, each.state, each.tries, _time(each.tried_us), each.said or "–")
        for each in letters
    ]
    output.table(("key", "alarm", "receiver", "what", "state", "tries", "last try", "answer"), rows, empty="No message.")
    output.text(", ".join(f"{counts.get(state, 0):,} {state}" for state in STATES))
    return Exit.FINDINGS if counts.get("dead") else Exit.CLEAN


def _letter(letter: Letter) -> dict[str, object]:
    from msgspec.json import decode
    from msgspec.structs import asdict

    return asdict(letter) | {"body": decode(letter.body)}


def _time(at_us: int | None) -> str:
    from replay.narrative.names import utc

    return "–" if at_us is None else utc(at_us)


def _retry(arguments: argparse.Namespace, output: Output) -> Exit:
    """Revive dead letters."""
    from desk.alarms.outbox import Outbox
    from desk.alarms.sender import now_us

    key = arguments.key
    with Outbox(outbox_file(arguments.outbox, log_address(arguments.log))) as outbox:
        revived = outbox.revive(key, now_us())
    if key is not None and not revived:
        raise UsageError(f"there is no dead letter {key!r}; rack alerts messages --dead lists them")
    output.value({"revived": revived})
    output.text(f"{counted(revived, 'dead letter')} will be tried for another day")
    return Exit.CLEAN
