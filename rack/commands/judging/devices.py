"""`rack devices`: the register of devices that may hand events in through the gateway."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from rack.arguments import add, given_path, output_flags
from rack.errors import Exit
from rack.output import Output, counted, table

HELP = "Manage the devices that may hand events in through the gateway"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, what in (
        ("add", "Add a device and print its token, which is shown only now"),
        ("list", "List the devices"),
        ("revoke", "Refuse a device from its next request on"),
    ):
        action = actions.add_parser(name, help=f"{what}.", description=f"{what}.", parents=[output_flags()])
        if name != "list":
            add(action, "name NAME", "The device's name: 1 to 32 of a-z, 0-9 and -.")
        add(action, "--devices FILE", "The register (mode 0600).", required=True)
        if name == "add":
            add(
                action,
                "--source SOURCE",
                "A source that the device speaks for; repeatable (default: its name).",
                dest="sources",
                action="append",
            )
            add(
                action,
                "--stream STREAM",
                "A stream that it writes to, such as table/fu-01; repeatable (default: any table or meter).",
                dest="streams",
                action="append",
            )
            add(
                action,
                "--profile FILE",
                "The profile it speaks, relative to the register (default: our own events).",
                type=str,
            )

    what = "Show what each message of a file becomes in a profile; nothing is stored"
    check = actions.add_parser("check", help=f"{what}.", description=f"{what}.", parents=[output_flags()])
    add(check, "profile PROFILE", "The profile (docs/profiles/ has examples).", type=given_path)
    add(check, "file FILE", "Messages as the device writes them; - reads stdin.")
    what = "Try what the gateway promises to a device; writes to a table of its own, so use a log for trials"
    conform = actions.add_parser("conform", help=f"{what}.", description=f"{what}.", parents=[output_flags()])
    add(conform, "address ADDRESS", "The gateway, such as http://127.0.0.1:8600.")
    add(
        conform,
        "--source SOURCE",
        "A source of the device whose token RACK_DEVICE_TOKEN holds (default: conform; without it no token is shown).",
        default="conform",
    )


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Carry it out."""
    from intake.devices import add_device, read_devices, revoke_device

    if arguments.action == "check":
        return _check(arguments.profile, arguments.file, output)
    if arguments.action == "conform":
        return _conform(arguments.address, arguments.source, output)
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    match arguments.action:
        case "add":
            sources = arguments.sources or [arguments.name]
            token = add_device(
                arguments.devices, arguments.name, sources, arguments.profile, now, streams=arguments.streams
            )
            output.value({"device": arguments.name, "sources": sources, "profile": arguments.profile, "token": token})
            output.text(token)
            output.note(
                f"{arguments.name} may speak for {', '.join(sources)}; the token is shown only now: give it to the device"
            )
        case "revoke":
            revoke_device(arguments.devices, arguments.name, now)
            output.value({"revoked": arguments.name})
            output.text(f"{arguments.name} is revoked; what it handed in before stands")
        case "list":
            devices = read_devices(arguments.devices)
            output.value(
                [
                    {
                        "device": name,
                        "sources": each.sources,
                        "streams": each.streams,
                        "profile": each.profile,
                        "added": each.added,
                        "revoked": each.revoked,
                    }
                    for name, each in devices.items()
                ]
            )
            rows = [
                [
                    name,
                    ", ".join(each.sources),
                    ", ".join(each.streams or ["–"]),
                    each.profile or "–",
                    each.added,
                    each.revoked or "–",
                ]
                for name, each in devices.items()
            ]
            output.text(
                *(table(["device", "sources", "streams", "profile", "added", "revoked"], rows) if rows else []),
                counted(len(rows), "device"),
            )
    return Exit.CLEAN


def _check(profile_file: Path, name: str, output: Output) -> Exit:
    """Show what messages become; 1 if the profile refuses any."""
    from intake.lines import Refusal, line_of
    from intake.profiles.profile import Profile

    profile = Profile(profile_file)
    shown, events, refused = list[dict[str, object]](), 0, 0
    with ExitStack() as resources:
        file = sys.stdin.buffer if name == "-" else resources.enter_context(Path(name).open("rb"))
        for each in profile.read_arriving(file, "stdin" if name == "-" else name, _with_stand_ins):
            if each is None:
                continue
            where, lines = each
            refusals = [line.reason for line in lines if isinstance(line, Refusal)]
            drafts = [line_of(line.stream, line.draft).decode() for line in lines if not isinstance(line, Refusal)]
            output.text(
                f"{where}: {'nothing' if not lines else counted(len(drafts), 'event') if drafts else 'refused'}"
            )
            output.text(*(f"  {line}" for line in drafts), *(f"  {reason}" for reason in refusals))
            shown.append({"where": where, "events": [json.loads(line) for line in drafts], "refused": refusals})
            events, refused = events + len(drafts), refused + len(refusals)
    output.value(shown)
    output.note(f"{profile.name}: {counted(len(shown), 'message')}, {counted(events, 'event')}, {refused:,} refused")
    return Exit.FINDINGS if refused else Exit.CLEAN


def _with_stand_ins(data: bytes) -> bytes:
    """Return a line with the same token for every card number: nothing is stored, and no keyring is needed."""
    from events.vocabulary.card_numbers import without_card_numbers

    return without_card_numbers(data, lambda _: "p-card")


def _conform(address: str, source: str, output: Output) -> Exit:
    """Try the promises; 1 where one is not kept."""
    from intake.gateway.conformance import Kit

    kit = Kit(address, source, os.environ.get("RACK_DEVICE_TOKEN"))
    outcomes = []
    for outcome in kit.run():
        output.text(f"{'kept  ' if outcome.instead is None else 'BROKEN'}  {outcome.promise}")
        if outcome.instead is not None:
            output.text(f"        {outcome.instead}")
        outcomes.append(outcome)
    broken = sum(outcome.instead is not None for outcome in outcomes)
    output.value([outcome._asdict() for outcome in outcomes])
    output.note(f"{counted(len(outcomes), 'promise')} tried in {kit.stream}, {broken} broken")
    return Exit.FINDINGS if broken else Exit.CLEAN
