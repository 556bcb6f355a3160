"""`rack observe`: observations and their entered rounds (`rack ingest` of a transcript enters a round)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rack.actions import DeskAct, action_parsers, add_person, at_desk, run_action, taken
from rack.arguments import add, add_log, moment
from rack.errors import Exit, UsageError
from rack.output import Output, counted

if TYPE_CHECKING:
    from desk.review.desk import Desk
    from desk.review.observed_table import EnteredRound

HELP = "Observe rounds: open an observation, close it, list, show, correct and confirm entries, and show results"

EPILOG = """\
A round is entered with rack ingest TRANSCRIPT --table ID --day DAY --observer PERSON. The seed of a random selection is
made and recorded when the observation is opened, before anything is watched.
The person who acts must be registered (rack review register)."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)

    def reading(name: str, does: str, act: DeskAct) -> argparse.ArgumentParser:
        return action(name, does, at_desk(act, read_only=True, needs_results=name == "result"))

    def writing(name: str, does: str, act: DeskAct) -> argparse.ArgumentParser:
        return action(name, does, at_desk(act, needs_results=False))

    listed = reading("list", "List observations and entered rounds.", _list)
    opened = writing("open", "Open an observation.", _open)
    work = reading("work", "List the tasks of an observation, done and open.", _work)
    unreadable = writing("unreadable", "Record that a selected round cannot be read.", _unreadable)
    close = writing("close", "Close an observation.", _close)
    show = reading("show", "Print a round with the number and the fields of each line.", _show)
    fix = writing("correct", "Correct a line.", _correct)
    insert = writing("add", "Add a forgotten line under the same number.", _add)
    confirm = writing("confirm", "Confirm as a second person that an entry is what its source shows.", _confirm)
    result = reading(
        "result",
        "Say what the observations show: errors per round with the exact interval, money, kinds, two observers' agreement.",
        _results,
    )
    for each in (listed, opened, work, unreadable, close, show, fix, insert, confirm, result):
        add(each, "--table ID", "The table.", required=each not in (listed, result))
    for each in (opened, work, unreadable, close):
        says = "The observation." if each is not opened else "The observation; it is numbered if this is left out."
        add(each, "--id ID", says, required=each is not opened, dest="observation")
    for each in (show, insert, confirm):
        add(each, "--round N", "The number of the observed round.", type=int, required=True)
    add_person(opened, confirm, reason="")
    add_person(unreadable, close, fix, insert)
    add(opened, "--purpose", "Why.", choices=("dispute", "dealer_audit", "game_audit", "for_cause"), required=True)
    add(opened, "--planned N", "How many rounds are planned.", type=int, required=True)
    add(
        opened,
        "--selection",
        "How rounds are selected (default: for_cause).",
        choices=("random", "systematic", "for_cause"),
        default="for_cause",
    )
    add(opened, "--dealer ID", "The dealer who is observed.")
    add(opened, "--from TIME", "The beginning of the frame.", type=moment("--from"), dest="frame_from_us")
    add(opened, "--to TIME", "The end of the frame.", type=moment("--to"), dest="frame_to_us")
    add(opened, "--rounds N", "How many rounds the frame has, if they were counted.", type=int, dest="frame_rounds")
    drawn = unreadable.add_mutually_exclusive_group(required=True)
    add(drawn, "--at TIME", "The drawn time.", type=moment("--at"), dest="selected")
    add(drawn, "--number N", "The drawn number in a counted frame.", type=int, dest="selected")
    add(close, "--unreadable N", "Selected rounds that could not be read.", type=int)
    add(fix, "--event N", "The number of the line, as show prints it.", type=int, required=True)
    right = fix.add_mutually_exclusive_group(required=True)
    add(right, "--text LINE", "The right line of a transcript, as in: pay seat=3 base 25.00")
    add(right, "--set FIELD=VALUE", "The right value of a field; repeatable.", action="append", type=_change)
    add(right, "--strike", "The line never happened (the first line: the whole entry).")
    add(insert, "--text LINE", "The line of a transcript, as in: pay seat=3 base 25.00", required=True)
    add(insert, "--after N", "The event after which the line comes.", type=int)


run = run_action
"""List, show or write; `result` is 1 if a round is wrong."""


def _tables(desk: Desk, given: str | None) -> list[str]:
    from desk.review.stored_events import names_of

    return [each for each in names_of(desk.log, "observed") if given in (None, each)]


def _list(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.observed_table import ObservedTable

    rows, values = [], []
    for name in _tables(desk, arguments.table):
        state = ObservedTable(desk.log, name)
        for each in state.rounds.values():
            header, basis = each.header, state.basis(each)
            what = "withdrawn" if each.is_withdrawn else ", ".join(each.confirmed_by) or "–"
            rows.append((name, str(each.round_no), header.observation or "–", basis, header.played_gaming_day, header.by, what))
            values.append({"table": name, "round_no": each.round_no, "basis": basis} | _header(each))
    output.value(values)
    columns = ("table", "round", "observation", "counts as", "played", "by", "confirmed by")
    output.table(columns, rows, empty="No round was entered.")


def _header(entered: EnteredRound) -> dict[str, Any]:
    from msgspec import to_builtins

    value: dict[str, Any] = to_builtins(entered.header)
    return value | {"confirmed_by": entered.confirmed_by, "is_withdrawn": entered.is_withdrawn}


def _open(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from msgspec import to_builtins

    from desk.review.observations import open_observation
    from desk.review.observed_table import drawn
    from replay.narrative.names import utc

    frame = taken(arguments, "frame_from_us", "frame_to_us", "frame_rounds")
    about = taken(arguments, "by", "dealer", "observation", "planned", "purpose", "selection")
    opened = open_observation(desk, arguments.table, **about, **frame)
    draws = drawn(opened)
    output.value(to_builtins(opened) | {"drawn": draws})
    output.text(f"observation {opened.observation} of table {arguments.table} is open")
    if draws:
        shown = [f"round {each}" if opened.frame_rounds is not None else utc(each) for each in draws]
        output.text(f"drawn from seed {opened.seed}; enter the first round at or after each:", *shown)


def _close(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.observations import close_observation

    about = taken(arguments, "observation", "unreadable", "by", "reason")
    closed = close_observation(desk, arguments.table, **about)
    output.value({"observation": arguments.observation, "rounds": closed.rounds})
    output.text(f"observation {arguments.observation} is closed with {counted(len(closed.rounds), 'round')}")


def _work(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.observed_table import ObservedTable, work_of
    from replay.narrative.names import utc

    state = ObservedTable(desk.log, arguments.table)
    found = state.observation(arguments.observation)
    work, counted = work_of(state, found), found.opened.frame_rounds is not None
    output.value(work)
    for each in work:
        at = "any round" if each.at is None else f"round {each.at}" if counted else utc(each.at)
        done = f"cannot be read: {each.unreadable}" if each.unreadable is not None else "to do"
        output.text(f"{at:22}  {done if each.round_no is None else f'entered as round {each.round_no}'}")


def _unreadable(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.observations import mark_unreadable

    about = taken(arguments, "observation", "selected", "by", "reason")
    found = mark_unreadable(desk, arguments.table, **about)
    output.value({"observation": arguments.observation, "unreadable": sorted(found.unreadable)})
    output.text(f"observation {arguments.observation}: {len(found.unreadable)} not readable")


def _show(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.observed_table import ObservedTable

    _print(ObservedTable(desk.log, arguments.table).round(arguments.round), arguments.table, output)


def _print(entered: EnteredRound, name: str, output: Output) -> None:
    from msgspec import to_builtins

    from desk.review.observed_table import recorded
    from replay.narrative.events import sentence

    lines = []
    words = recorded(entered)
    output.text(words)
    for seq, counts in entered.counts.items():
        fields: dict[str, Any] = {} if counts is None else to_builtins(counts)
        lines.append({"event": seq, "type": entered.lines[seq].type, "fields": fields or None})
        if counts is None:
            output.text(f"{seq:5}  struck: {sentence(entered.lines[seq].payload)}")
        else:
            changed = "" if counts == entered.lines[seq].payload else "  (corrected)"
            stated = "  ".join(f"{field}={_text(value)}" for field, value in fields.items())
            output.text(f"{seq:5}  {sentence(counts)}{changed}", f"       {stated}")
    output.value({"table": name, "round_no": entered.round_no, "recorded": words, "lines": lines} | _header(entered))


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join("?" if each is None else str(each) for each in value)
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _correct(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.observations import correct
    from desk.transcript_entry import correct_line

    place, about = (desk, arguments.table, arguments.event), taken(arguments, "by", "reason")
    if arguments.text is not None:
        entered = correct_line(*place, arguments.text, **about)
    else:
        entered = correct(*place, None if arguments.strike else dict(arguments.set), **about)
    _print(entered, arguments.table, output)


def _add(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.transcript_entry import add_to_entry

    about = taken(arguments, "by", "reason", "after")
    _print(add_to_entry(desk, arguments.table, arguments.round, arguments.text, **about), arguments.table, output)


def _change(text: str) -> tuple[str, Any]:
    """Read FIELD=VALUE: a number, true, false or none, a list with commas (`?`: not read), or text.

    >>> _change("winnings_cents=2500"), _change("cards=As,?,Td"), _change("dealer=none")
    (('winnings_cents', 2500), ('cards', ['As', None, 'Td']), ('dealer', None))
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text}: expected FIELD=VALUE, as rack observe show prints the fields")
    words: dict[str, Any] = {"none": None, "true": True, "false": False}
    if "," in value or name == "cards":
        return name, [None if each == "?" else _number_or_text(each) for each in value.split(",") if each]
    return name, words[value] if value in words else _number_or_text(value)


def _number_or_text(text: str) -> int | str:
    return int(text) if text.isascii() and text.removeprefix("-").isdigit() else text


def _confirm(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.observations import confirm

    entered = confirm(desk, arguments.table, arguments.round, by=arguments.by)
    output.value(_header(entered))
    output.text(f"observed/{arguments.table} round {arguments.round} is confirmed by {', '.join(entered.confirmed_by)}")


def _results(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from msgspec import to_builtins

    from analytics.warehouse.observation_results import results_of

    found = [each for name in _tables(desk, arguments.table) for each in results_of(desk, name)]
    output.value([to_builtins(each) | {"sentence": each.sentence} for each in found])
    for each in found:
        output.text(*each.lines())
    if not found:
        output.text("No observation.")
    return Exit.FINDINGS if any(each.wrong for each in found) else Exit.CLEAN
