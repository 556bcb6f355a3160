"""`rack observe`: observations of rounds, and what was entered of them (`rack ingest` of a transcript enters a round)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rack.arguments import add, add_log, check_options, require_options, time_us
from rack.errors import Exit, UsageError
from rack.output import Output, table
from rack.settings import log_address

if TYPE_CHECKING:
    from analytics.warehouse.observed import ObservationResult
    from desk.review.desk import Desk
    from desk.review.observed_table import EnteredRound

HELP = "Observe rounds: open an observation, close it, list, show, correct and confirm entries, and say what they show"

EPILOG = """\
list      observations and entered rounds (of one table with --table)
open      open an observation: --table, --by, --purpose, --planned, --selection; --dealer, --from and --to, --rounds, --id
work      what was selected for an observation, what is done and what is to do: --table, --id
unreadable  record that a selected round cannot be read: --table, --id, --by, --reason, --at TIME or --number N as drawn
close     close it: --table, --id, --by, --reason, --unreadable
show      print a round with the number and the fields of each line: --table, --round
correct   correct a line: --table, --event, --by, --reason, and --text LINE, --set FIELD=VALUE or --strike
add       add a forgotten line under the same number: --table, --round, --text LINE, --by, --reason; --after EVENT
confirm   confirm as a second person that an entry is what its source shows: --table, --round, --by
result    what the observations show: errors per round with the exact interval, money, kinds, two observers' agreement

A round is entered with rack ingest TRANSCRIPT --table ID --day DAY --observer PERSON. The seed of a random selection is
made and recorded when the observation is opened, before anything is watched.
Who acts must be registered (rack review register)."""

TAKES = {
    "list": ("table",),
    "open": ("table", "by", "purpose", "planned", "selection", "dealer", "from_time", "to_time", "rounds", "id"),
    "work": ("table", "id"),
    "unreadable": ("table", "id", "by", "reason", "at", "number"),
    "close": ("table", "id", "by", "reason", "unreadable"),
    "show": ("table", "round"),
    "correct": ("table", "event", "by", "reason", "set", "strike", "text"),
    "add": ("table", "round", "by", "reason", "text", "after"),
    "confirm": ("table", "round", "by"),
    "result": ("table",),
}
NEEDS = {
    "list": (),
    "open": ("table", "by", "purpose", "planned"),
    "work": ("table", "id"),
    "unreadable": ("table", "id", "by", "reason"),
    "close": ("table", "id", "by", "reason"),
    "show": ("table", "round"),
    "correct": ("table", "event", "by", "reason"),
    "add": ("table", "round", "by", "reason", "text"),
    "confirm": ("table", "round", "by"),
    "result": (),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    add(parser, "action ACTION", ", ".join(TAKES), choices=tuple(TAKES))
    add_log(parser)
    add(parser, "--table ID", "The table.")
    add(parser, "--by PERSON", "Who acts: a registered person, such as m.ortiz.")
    add(parser, "--reason TEXT", "Why.")
    add(parser, "--id ID", "open, close: the observation; without it, open numbers it.")
    add(parser, "--purpose", "open: why.", choices=("dispute", "dealer_audit", "game_audit", "for_cause"))
    add(parser, "--planned N", "open: how many rounds are planned.", type=int)
    add(
        parser,
        "--selection",
        "open: how rounds are selected (default: for_cause).",
        choices=("random", "systematic", "for_cause"),
    )
    add(parser, "--dealer ID", "open: the dealer who is observed.")
    add(parser, "--from TIME", "open: the beginning of the frame.", dest="from_time")
    add(parser, "--to TIME", "open: the end of the frame.", dest="to_time")
    add(parser, "--rounds N", "open: how many rounds the frame has, if they were counted.", type=int)
    add(parser, "--unreadable N", "close: selected rounds that could not be read.", type=int)
    add(parser, "--round N", "show, add, confirm: the number of the observed round.", type=int)
    add(parser, "--at TIME", "unreadable: the time that was drawn.")
    add(parser, "--number N", "unreadable: the number that was drawn of a counted frame.", type=int)
    add(parser, "--text LINE", "correct, add: the line of a transcript, as in: pay seat=3 base 25.00")
    add(parser, "--after N", "add: the event after which the line comes.", type=int)
    add(parser, "--event N", "correct: the number of the line, as show prints it.", type=int)
    add(parser, "--set FIELD=VALUE", "correct: what is right; as often as needed.", action="append")
    add(parser, "--strike", "correct: the line never happened; of the first line: the entry.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """List, show or write; `result` is 1 if a round is wrong."""
    from rack.opening import desk

    action = arguments.action
    check_options(arguments, "observe", action, TAKES)
    require_options(arguments, "observe", action, NEEDS[action])
    read_only, needs_results = action in ("list", "work", "show", "result"), action == "result"
    with desk(log_address(arguments.log), read_only=read_only, needs_results=needs_results) as open_desk:
        return {
            "list": _list,
            "open": _open,
            "work": _work,
            "unreadable": _unreadable,
            "close": _close,
            "show": _show,
            "correct": _correct,
            "add": _add,
            "confirm": _confirm,
            "result": _results,
        }[action](open_desk, arguments, output)


def _tables(desk: Desk, given: str | None) -> list[str]:
    from analytics.warehouse.observed import observed_tables

    return [each for each in observed_tables(desk) if given in (None, each)]


def _list(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.observed_table import ObservedTable

    rows, values = [], []
    for name in _tables(desk, arguments.table):
        state = ObservedTable(desk.log, name)
        for each in state.rounds.values():
            header, basis = each.header, state.basis(each)
            what = "withdrawn" if each.is_withdrawn else ", ".join(each.confirmed_by) or "–"
            rows.append(
                (name, str(each.round_no), header.observation or "–", basis, header.played_gaming_day, header.by, what)
            )
            values.append({"table": name, "round_no": each.round_no, "basis": basis} | _header(each))
    output.value(values)
    columns = ("table", "round", "observation", "counts as", "played", "by", "confirmed by")
    output.text(*(table(columns, rows) if rows else ["No round was entered."]))
    return Exit.CLEAN


def _header(entered: EnteredRound) -> dict[str, Any]:
    from msgspec import to_builtins

    value: dict[str, Any] = to_builtins(entered.header)
    return value | {"confirmed_by": entered.confirmed_by, "is_withdrawn": entered.is_withdrawn}


def _open(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from msgspec import to_builtins

    from desk.packet.words import utc
    from desk.review.observations import open_observation
    from desk.review.observed_table import drawn

    frame: dict[str, Any] = {
        name: None if text is None else time_us(text, option)
        for name, text, option in (
            ("frame_from_us", arguments.from_time, "--from"),
            ("frame_to_us", arguments.to_time, "--to"),
        )
    }
    opened = open_observation(
        desk,
        arguments.table,
        by=arguments.by,
        dealer=arguments.dealer,
        frame_rounds=arguments.rounds,
        observation=arguments.id,
        planned=arguments.planned,
        purpose=arguments.purpose,
        selection=arguments.selection or "for_cause",
        **frame,
    )
    draws = drawn(opened)
    output.value(to_builtins(opened) | {"drawn": draws})
    output.text(f"observation {opened.observation} of table {arguments.table} is open")
    if draws:
        shown = [f"round {each}" if opened.frame_rounds is not None else utc(each) for each in draws]
        output.text(f"drawn from seed {opened.seed}; enter the first round at or after each:", *shown)
    return Exit.CLEAN


def _close(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.observations import close_observation

    closed = close_observation(
        desk,
        arguments.table,
        observation=arguments.id,
        unreadable=arguments.unreadable,
        by=arguments.by,
        reason=arguments.reason,
    )
    output.value({"observation": arguments.id, "rounds": closed.rounds})
    output.text(f"observation {arguments.id} is closed with {len(closed.rounds)} rounds")
    return Exit.CLEAN


def _work(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from msgspec import to_builtins

    from desk.packet.words import utc
    from desk.review.observed_table import ObservedTable, work_of

    state = ObservedTable(desk.log, arguments.table)
    found = state.observation(arguments.id)
    work, counted = work_of(state, found), found.opened.frame_rounds is not None
    output.value(to_builtins(work))
    for each in work:
        at = "any round" if each.at is None else f"round {each.at}" if counted else utc(each.at)
        done = f"cannot be read: {each.unreadable}" if each.unreadable is not None else "to do"
        output.text(f"{at:22}  {done if each.round_no is None else f'entered as round {each.round_no}'}")
    return Exit.CLEAN


def _unreadable(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.observations import mark_unreadable

    if (arguments.at is None) == (arguments.number is None):
        raise UsageError("rack observe unreadable needs --at TIME or --number N, as it was drawn (rack observe work)")
    selected = arguments.number if arguments.at is None else time_us(arguments.at, "--at")
    found = mark_unreadable(
        desk,
        arguments.table,
        observation=arguments.id,
        selected=selected,
        by=arguments.by,
        reason=arguments.reason,
    )
    output.value({"observation": arguments.id, "unreadable": sorted(found.unreadable)})
    output.text(f"observation {arguments.id}: {len(found.unreadable)} not readable")
    return Exit.CLEAN


def _show(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.observed_table import ObservedTable

    return _print(ObservedTable(desk.log, arguments.table).round(arguments.round), arguments.table, output)


def _print(entered: EnteredRound, name: str, output: Output) -> Exit:
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
    return Exit.CLEAN


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join("?" if each is None else str(each) for each in value)
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _correct(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.observations import correct
    from desk.transcript_entry import correct_line

    if sum((arguments.strike, bool(arguments.set), arguments.text is not None)) != 1:
        raise UsageError(
            "rack observe correct needs --text LINE or --set FIELD=VALUE for what is right, or --strike for what never happened"
        )
    if arguments.text is not None:
        line: dict[str, Any] = {"by": arguments.by, "reason": arguments.reason}
        return _print(
            correct_line(desk, arguments.table, arguments.event, arguments.text, **line), arguments.table, output
        )
    changes = None if arguments.strike else dict(_change(each) for each in arguments.set)
    entered = correct(desk, arguments.table, arguments.event, changes, by=arguments.by, reason=arguments.reason)
    return _print(entered, arguments.table, output)


def _add(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.transcript_entry import add_to_entry

    entered = add_to_entry(
        desk,
        arguments.table,
        arguments.round,
        arguments.text,
        by=arguments.by,
        reason=arguments.reason,
        after=arguments.after,
    )
    return _print(entered, arguments.table, output)


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


def _confirm(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.observations import confirm

    entered = confirm(desk, arguments.table, arguments.round, by=arguments.by)
    output.value(_header(entered))
    output.text(f"observed/{arguments.table} round {arguments.round} is confirmed by {', '.join(entered.confirmed_by)}")
    return Exit.CLEAN


def _results(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from msgspec import to_builtins

    from analytics.warehouse.observed import results_of

    found = [each for name in _tables(desk, arguments.table) for each in results_of(desk, name)]
    output.value([to_builtins(each) | {"sentence": each.sentence} for each in found])
    for each in found:
        output.text(*_result_lines(each))
    if not found:
        output.text("No observation.")
    return Exit.FINDINGS if any(each.wrong for each in found) else Exit.CLEAN


def _result_lines(each: ObservationResult) -> list[str]:
    from rulebook.chapters.money import show_money

    name = f"observation {each.observation}" if each.observation else "entered outside any observation"
    state = "closed" if each.closed else "open"
    lines = [
        f"table {each.table}, {name} ({each.basis.replace('_', ' ')}{f', dealer {each.dealer}' if each.dealer else ''}, {state})",
        f"  {each.sentence}",
        f"  {each.entered} entered, {each.known} with a known outcome, {each.unread} not readable, {each.planned} planned, "
        f"{each.confirmed} confirmed"
        + (f", {each.unveiled} with what was due seen before what was done was typed" if each.unveiled else ""),
    ]
    if each.wrong:
        kinds = ", ".join(f"{code} {count}" for code, count in each.by_code.items())
        lines.append(
            f"  patrons short {show_money(each.patron_short_cents)}, house short {show_money(each.house_short_cents)}, "
            f"{show_money(round(each.difference_cents / each.known))} a round; {kinds}"
        )
    if each.cards or each.amounts:
        lines.append(
            f"  two observers agree on {each.cards_alike} of {each.cards} cards "
            f"and {each.amounts_alike} of {each.amounts} amounts"
        )
    return lines
