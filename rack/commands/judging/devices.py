"""`rack devices`: the register of devices that may report events through the gateway."""

import argparse
import json
import os
import sys
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

from rack.actions import action_parsers, run_action
from rack.arguments import add, given_path
from rack.errors import Exit
from rack.output import Output, counted

HELP = "Manage the devices that may hand events in through the gateway"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their arguments."""
    action = action_parsers(parser)
    new = action("add", "Add a device and print its token, which is shown only now.", _add)
    listed = action("list", "List the devices.", _list)
    revoke = action("revoke", "Refuse a device from its next request on.", _revoke)
    for each in (new, revoke):
        add(each, "name NAME", "The device's name: 1 to 32 of a-z, 0-9 and -.")
    for each in (new, listed, revoke):
        add(each, "--devices FILE", "The register (mode 0600).", required=True)
    source = "A source that the device speaks for; repeatable (default: its name)."
    add(new, "--source SOURCE", source, dest="sources", action="append")
    stream = "A stream that it writes to, such as table/fu-01; repeatable (default: any table or meter)."
    add(new, "--stream STREAM", stream, dest="streams", action="append")
    add(new, "--profile FILE", "The profile it speaks, relative to the register (default: our own events).", type=str)
    check = action("check", "Show what each message of a file becomes in a profile; nothing is stored.", _check)
    add(check, "profile PROFILE", "The profile (docs/profiles/ has examples).", type=given_path)
    add(check, "file FILE", "Messages as the device writes them; - reads stdin.")
    conform = action(
        "conform", "Try what the gateway promises to a device; writes to a table of its own, so use a log for trials.", _conform
    )
    add(conform, "address ADDRESS", "The gateway, such as http://127.0.0.1:8600.")
    add(
        conform,
        "--source SOURCE",
        "A source of the device whose token RACK_DEVICE_TOKEN holds (default: conform; without it no token is shown).",
        default="conform",
    )


run = run_action
"""Carry it out."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _add(given: argparse.Namespace, output: Output) -> None:
    from intake.devices import add_device

    sources = given.sources or [given.name]
    token = add_device(given.devices, given.name, sources, given.profile, _now(), streams=given.streams)
    output.value({"device": given.name, "sources": sources, "profile": given.profile, "token": token})
    output.text(token)
    output.note(f"{given.name} may speak for {', '.join(sources)}; the token is shown only now: give it to the device")


def _revoke(given: argparse.Namespace, output: Output) -> None:
    from intake.devices import revoke_device

    revoke_device(given.devices, given.name, _now())
    output.value({"revoked": given.name})
    output.text(f"{given.name} is revoked; its earlier events remain")


def _list(given: argparse.Namespace, output: Output) -> None:
    from intake.devices import read_devices

    names = ("sources", "streams", "profile", "added", "revoked")
    devices = read_devices(given.devices)
    rows = [(device, *(getattr(each, name) for name in names)) for device, each in devices.items()]
    output.value([dict(zip(("device", *names), row, strict=True)) for row in rows])
    if rows:
        shown = [[", ".join(each) if isinstance(each, list | tuple) else each or "–" for each in row] for row in rows]
        output.table(("device", *names), [[each or "–" for each in row] for row in shown])
    output.text(counted(len(rows), "device"))


def _check(given: argparse.Namespace, output: Output) -> Exit:
    """Show the events made from messages; 1 if the profile refuses any."""
    from intake.profiles.profile import Profile

    profile, shown = Profile(given.profile), list[dict[str, object]]()
    events = refused = 0
    with nullcontext(sys.stdin.buffer) if given.file == "-" else Path(given.file).open("rb") as file:
        for each in profile.messages(file, "stdin" if given.file == "-" else given.file):
            made = counted(len(each.events), "event") if each.events else "refused" if each.refused else "nothing"
            output.text(f"{each.where}: {made}", *(f"  {line}" for line in (*each.events, *each.refused)))
            read = [json.loads(line) for line in each.events]
            shown.append({"where": each.where, "events": read, "refused": each.refused})
            events, refused = events + len(each.events), refused + len(each.refused)
    output.value(shown)
    output.note(f"{profile.name}: {counted(len(shown), 'message')}, {counted(events, 'event')}, {refused:,} refused")
    return Exit.FINDINGS if refused else Exit.CLEAN


def _conform(given: argparse.Namespace, output: Output) -> Exit:
    """Test a device's promises; 1 if one is not kept."""
    from intake.gateway.conformance import Kit

    kit = Kit(given.address, given.source, os.environ.get("RACK_DEVICE_TOKEN"))
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
