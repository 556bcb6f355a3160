"""Health: does everything run, and what must be done if not?"""

import shutil
import time
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st

from analytics import integrity
from analytics.warehouse import floor_data
from analytics.warehouse.warehouse import Warehouse, WarehouseError, reading, stamp
from dashboards.drawing import markup
from dashboards.drawing.decisions import finding_link
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, ago
from dashboards.parts import desk, source, verification_run
from dashboards.run import log_address, log_options, outbox_path, warehouse_path, witness_paths
from desk.alarms.outbox import Outbox, OutboxRefused, outbox_beside
from desk.review.desk import REFUSALS, Desk
from desk.shadows.state import DifferenceGroup, WorkAgain, adopted, engine_state, shadow_changes
from desk.verification import witness_status
from replay.narrative.names import plural, table_name, wager_name

CHECKS = {"State": "short", "What": "short", "Found": "text", "What to do": "text"}
DEVICES = {"State": "short", "Table": "short", "Device": "text", "Events": "number", "Last heard": "short", "Failures": "number"}
CHANGES = {
    "What": "short",
    "Change": "short",
    "Rule": "text",
    "Section": "text",
    "Decision": "short",
    "Lines": "number",
    "Up": "number",
    "Down": "number",
}
DECIDED = {"Table": "short", "Round": "number", "Decided on": "text", "State": "short", "Verdict": "text"}
WORDS = {
    "ok": ("rk-v-upheld", "✔\N{VARIATION SELECTOR-15}", "Runs"),
    "look": ("rk-medium", "!", "Look"),
    "act": ("rk-high", "✖", "Act"),
    "note": ("rk-v-void", "·", "Note"),
}
BEAT_SECONDS = 5
LAG_EVENTS = 10_000  # not judged yet: from this many on somebody must look whether the replay runs
STALE_S = 15 * 60  # a warehouse that is behind the log for longer should be built again
LITTLE_SPACE = 0.05
QUIET_S = 15 * 60  # a device that reports often and was silent for so long while its table went on
OFTEN_EVENTS = 50


class Check(msgspec.Struct, frozen=True):
    """One part that must run: its state (`ok`, `look`, `act`; `note` claims nothing), what was found, and what to do."""

    state: str
    what: str
    found: str
    todo: str = ""


def page() -> None:
    """Lay the page out: the checks, refreshed automatically, and the devices."""
    source.begin()
    source.heading("Health", "Whether log, replay, warehouse, disk and devices do what they should.")

    @st.fragment(run_every=BEAT_SECONDS)
    def beat() -> None:
        checks = [
            *of_log(),
            *of_engine(),
            *of_verification(),
            *of_witness(),
            *of_alarms(),
            *of_warehouse(),
            of_disk(warehouse_path().absolute().parent),
        ]
        source.show(overall(checks))
        exceptions = [each for each in checks if each.state in ("look", "act")]
        rest = [each for each in checks if each.state not in ("look", "act")]
        if exceptions:
            source.show(_checks(exceptions, "Parts that need attention"))
        with st.expander(f"{plural(len(rest), 'check')} without anything to do"):
            source.show(_checks(rest, "Other checks"))

    beat()
    shadows()
    if stamp(warehouse_path()) is not None:
        devices()


def of_engine() -> list[Check]:
    """Check which engine's verdicts are in force."""
    address = log_address()
    if address is None:
        return []
    try:
        state = desk.ask(lambda at: engine_state(at, address))
    except REFUSALS:
        return []  # the check of the log says so
    if not state.held:
        return [Check("ok", "Engine", f"{state.engine}; no verdict waits for an adoption")]
    found = f"{state.engine} judges new rounds; the verdicts on {plural(state.held, 'round')} are an earlier engine's"
    if not state.shadows:
        return [Check("note", "Engine", found, "`rack replay --shadow NAME` judges them by this engine, too")]
    named = ", ".join(state.shadows)
    return [Check("look", "Engine", f"{found}; in shadow: {named}", "read the differences below; two people adopt them")]


def shadows() -> None:
    """Offer the changes of each shadow, or the last adoption: by rule with money, and people's decisions on these rounds."""
    address = log_address()
    if address is None:
        return
    try:
        state, last = desk.ask(lambda at: (engine_state(at, address), adopted(at)))
    except REFUSALS:
        return  # the check of the log says so
    for name in state.shadows if state.held else ():
        source.on_opening(f"Verdicts that would change: {name}", partial(_changes, address, name))
    if last.sentence:
        source.section("Adopted verdicts", f"{last.sentence}.")
        _decided(last.work, "Decided before, on rounds whose verdict changed")


def _changes(address: str, name: str) -> None:
    try:
        found = desk.ask(lambda at: shadow_changes(at, address, name))
    except REFUSALS as error:
        source.notice("This shadow cannot be read", str(error))
        return
    formats = source.formats()
    rows = [
        [each.kind, each.change, _rule(each), each.cite or "–", each.decision or "–", f"{each.lines:,}",
         formats.money(each.up_cents), formats.money(each.down_cents)]
        for each in found.groups
    ]  # fmt: skip
    source.section(f"{plural(found.rounds, 'round')} judged otherwise", "Amounts from the patrons' side.")
    source.table(CHANGES, rows, f"What {name} would change")
    _decided(found.work, "Decided on these rounds")
    if found.behind:
        reads = f"It does not reach as far as the verdicts in force at {', '.join(found.behind)}"
        source.notice(reads, f"Run `rack replay --shadow {name}` again.")
    report = f"`rack verdicts diff {name} --report FILE --key FILE` makes the signed report"
    words = f"{report}; `rack verdicts adopt {name}` puts it in force, in two names."
    source.show(Html(f'<p class="rk-note">{markup.coded(words)}</p>'))


def _rule(group: DifferenceGroup) -> Html:
    """Return a finding's code as a link to its explanation, any other rule in words."""
    if group.kind == "finding":
        return finding_link(group.rule)
    of_wager = group.kind in ("due", "calculation") and group.cite
    return markup.text(wager_name(group.rule) if of_wager else group.rule)


def _decided(work: list[WorkAgain], title: str) -> None:
    """Show people's decisions on rounds whose verdict changes, if there are any."""
    if work:
        todo = [
            [
                table_name(each.table),
                markup.link("round", f"{each.round_no:,}", table=each.table, round=each.round_no),
                each.what,
                each.decided,
                each.why,
            ]
            for each in work
        ]
        source.section(title, "Someone has to look at them again.")
        source.table(DECIDED, todo, "Decisions of people on these rounds")


def _checks(checks: list[Check], label: str) -> Html:
    rows = [[_badge(each.state), each.what, each.found, markup.coded(each.todo)] for each in checks]
    marked = [i for i, each in enumerate(checks) if each.state == "act"]
    return markup.table(CHECKS, rows, label, marked=marked)


def overall(checks: list[Check]) -> Html:
    """Return the overall state in one sentence."""
    acts, looks = (sum(each.state == state for each in checks) for state in ("act", "look"))
    if acts:
        kind, shape, words = "under", "✖", f"{plural(acts, 'thing needs', 'things need')} somebody now."
    elif looks:
        kind, shape, words = "unknown", "!", f"Everything runs; {plural(looks, 'thing is', 'things are')} worth a look."
    else:
        kind, shape, words = "upheld", "✔\N{VARIATION SELECTOR-15}", "Everything runs."
    return Html(
        f'<div class="rk-answer rk-a-{kind}" role="status"><div class="rk-answer-shape" aria-hidden="true">{shape}</div>'
        f'<div><p class="rk-answer-words">{words}</p></div></div>'
    )


def of_log() -> list[Check]:
    """Check the log, its ends and the replay."""
    address = log_address()
    if address is None:
        return [Check("look", "Log", "no log is named", "Start with `rack dashboard --log ADDR` to follow it")]
    try:
        return desk.ask(_of_log)
    except REFUSALS as error:
        return [Check("act", "Log", str(error), f"`rack verify --log {address}` says what can be read of it")]


def _of_log(at: Desk) -> list[Check]:
    found = integrity.streams(at)
    said = integrity.log_identity(at)
    events, lag = sum(each.events for each in found), sum(each.lag or 0 for each in found)
    troubled = [each for each in found if each.trouble]
    newest = max((each.recorded_at_us for each in found if each.recorded_at_us), default=None)
    age = "no event yet" if newest is None else f"last one {ago(time.time() - newest / 1e6)} ago"
    log = Check(
        "ok",
        "Log",
        f"{plural(events, 'event')} in {plural(len(found), 'stream')}, {age}; log {said['log_id'][:8]}… of {said['property_id']}",
    )
    ahead_s = integrity.clock_ahead_s(found, time.time_ns() // 1000)
    if ahead_s:
        log = Check(
            "act",
            "Log",
            f"{plural(events, 'event')} in {plural(len(found), 'stream')}; the newest is of a time {ago(ahead_s)} in the future",
            "set the clocks of the machines that write and sign: until then every new event gets that time",
        )
    ends = Check("ok", "Ends of the streams", "all as acknowledged on this machine")
    if troubled:
        ends = Check(
            "act",
            "Ends of the streams",
            f"{troubled[0].name}: {troubled[0].trouble}",
            "See Integrity; keep the files, restore a copy next to them",
        )
    replay = Check("ok", "Replay", f"every event is judged, by engine {integrity.engine_name()}")
    if lag:
        state = "act" if lag >= LAG_EVENTS else "look"
        replay = Check(
            state,
            "Replay",
            f"{plural(lag, 'event is', 'events are')} not judged yet",
            "Does `rack replay --log ADDR --follow` run?",
        )
    refused = len(integrity.quarantine(at))
    intake = Check("ok", "Intake", "nothing is in quarantine")
    if refused:
        intake = Check(
            "look", "Intake", f"{plural(refused, 'line')} in quarantine", "`rack quarantine list --log ADDR`, then `redrive`"
        )
    return [log, ends, replay, intake]


def of_verification() -> list[Check]:
    """Report the last full verification; a pass is a notice, not a claim that the log is whole now."""
    address = log_address()
    if address is None:
        return []
    now = verification_run.status_of(address)
    found = " ".join(
        [verification_run.status_words(now, source.frame_formats()), *([f"{now.detail}."] if now.detail else [])]
    ).strip()
    if now.alarming:
        return [Check("act", "Last verification", found, "See Integrity; keep the files as they are, verify the log again")]
    return [Check("note", "Last verification", found, "" if now.shown is not None else f"`rack verify --log {address}`")]


def of_witness() -> list[Check]:
    """Check the witness, if the pages were started with one."""
    address, named = log_address(), witness_paths()
    if address is None or named is None:
        return []
    try:
        found = witness_status.witnessed_at(address, *named, **log_options())
    except witness_status.REFUSALS as error:
        return [Check("act", "Witness", str(error), "See Integrity; ask the witness")]
    if found.disagrees:
        refused = f"{found.witness} refused {plural(len(found.refused), 'checkpoint')}"
        return [Check("act", "Witness", found.trouble or refused, "See Integrity; keep log and folder as they are")]
    if found.silent(time.time_ns() // 1000):
        waiting = f"{plural(found.behind, 'checkpoint waits', 'checkpoints wait')} for the signature of {found.witness}"
        return [Check("look", "Witness", waiting, "Does `rack witness --follow` run?")]
    return [Check("ok", "Witness", f"{found.witness} agrees, {plural(found.behind, 'checkpoint')} behind")]


def of_alarms() -> list[Check]:
    """Report undelivered alarms, if an outbox is named or is next to the log."""
    address, named = log_address(), outbox_path()
    file = named or outbox_beside(address) if address is not None else None
    if file is None or (named is None and not file.is_file()):
        return []
    where = f"--log {address}" + (f" --outbox {named}" if named is not None else "")
    try:
        with Outbox(file, read_only=True) as outbox:
            counts, dead = outbox.counts(), outbox.letters("dead", most=1)
    except (*REFUSALS, OutboxRefused) as error:
        return [Check("act", "Alarms", str(error), f"`rack alerts messages {where}` says what can be read of it")]
    if dead:
        many = plural(counts["dead"], "message")
        words = f"{many} not delivered for a day, the last to {dead[0].receiver}: {dead[0].said}"
        return [Check("act", "Alarms", words, f"`rack alerts messages --dead {where}`, then `rack alerts retry`")]
    waiting = f", {counts['waiting']:,} waiting" if counts.get("waiting") else ""
    return [Check("ok", "Alarms", f"{plural(counts.get('delivered', 0), 'message')} delivered{waiting}")]


def of_warehouse() -> list[Check]:
    """Check that the warehouse can be read, how old it is, and whether a device went quiet."""
    path = warehouse_path()
    try:
        with reading(path) as db:
            return [_of_warehouse(db, path), *_of_devices(db)]
    except WarehouseError as error:
        return [Check("act", "Warehouse", str(error).partition(". ")[0], "`rack replay --log ADDR --warehouse FILE` builds it")]


def _of_warehouse(db: Warehouse, path: Path) -> Check:
    made = floor_data.generation(db)
    age_s = time.time() - made.built_at_us / 1e6
    found = (
        f"generation {made.generation}, built {ago(age_s)} ago: {plural(made.rounds, 'round')}, {plural(made.wagers, 'wager')}, "
        f"{path.stat().st_size / 1e6:,.0f} MB"
    )
    if age_s > STALE_S and _gone_on_since(made.built_at_us):
        return Check("look", "Warehouse", f"{found}; the log has gone on since", "`rack replay --log ADDR --warehouse FILE`")
    return Check("ok", "Warehouse", found)


def _of_devices(db: Warehouse) -> list[Check]:
    found = integrity.devices(db)
    if found.is_empty():
        return []
    quiet = sum(is_quiet(row) for row in found.iter_rows(named=True))
    if quiet:
        words = f"{quiet:,} of {plural(len(found), 'device')} silent while their table played"
        return [Check("look", "Devices", words, "See the list below; is the device out of order?")]
    return [Check("ok", "Devices", f"{plural(len(found), 'device')} that reported as long as their table played")]


def _gone_on_since(built_at_us: int) -> bool:
    """Return whether a table or meter has events recorded after a time."""
    if log_address() is None:
        return False
    try:
        found = desk.ask(integrity.streams)
    except REFUSALS:
        return False  # the check of the log says so
    return any((each.recorded_at_us or 0) > built_at_us for each in found if each.judged is not None)


def of_disk(folder: Path) -> Check:
    """Check the free disk space of the warehouse."""
    try:
        space = shutil.disk_usage(folder)
    except OSError as error:
        return Check("look", "Disk", f"{folder}: {error.strerror}", "Does the folder exist?")
    found = f"{space.free / 1e9:,.1f} GB of {space.total / 1e9:,.1f} GB are free on the disk of the warehouse"
    if space.free < LITTLE_SPACE * space.total:
        return Check("act", "Disk", found, "Free space: a full disk refuses events")
    return Check("ok", "Disk", found)


def devices() -> None:
    """Show which devices reported, and when last."""
    formats = source.formats()
    found = source.ask(integrity.devices)
    source.section("Devices", "Devices that reported events of rounds. Times are by the device's own clock.")
    if found.is_empty():
        source.empty(
            "No device reports",
            "Rounds come from devices, or from `rack ingest FILE --log ADDR`. A house without devices has none here.",
        )
        return
    rows = [(is_quiet(row), row) for row in found.iter_rows(named=True)]
    rows.sort(key=lambda pair: (not pair[0], not pair[1]["failures"], pair[1]["table_id"], pair[1]["source"]))
    silent = [_device(row, quiet=quiet, formats=formats) for quiet, row in rows if quiet]
    others = [row for quiet, row in rows if not quiet]
    if silent:
        source.table(DEVICES, silent, "Silent devices", marked=range(len(silent)))
    if others:

        def heard() -> None:
            lines = [_device(row, quiet=False, formats=formats) for row in others]
            source.table(DEVICES, lines, "Devices and their last reports")

        source.on_opening(f"{plural(len(others), 'device')} that reported as long as their table played", heard)


def is_quiet(row: dict[str, Any]) -> bool:
    """Return whether a device that reports often was silent while its table went on."""
    return bool(row["events"] >= OFTEN_EVENTS and row["table_last_at_us"] - row["last_at_us"] > QUIET_S * 1_000_000)


def _device(row: dict[str, Any], *, quiet: bool, formats: Formats) -> list[object]:
    last = formats.day_and_clock(row["last_at_us"])
    said = f"{row['failures']:,}" + (f", {row['restored']:,} restored" if row["failures"] else "")
    state = _badge("look") if quiet else _badge("ok")
    heard = markup.two_lines(last, "silent while its table played" if quiet else "")
    return [state, table_name(row["table_id"]), row["source"], f"{row['events']:,}", heard, said]


def _badge(state: str) -> Html:
    kind, shape, word = WORDS[state]
    return Html(f'<span class="rk-badge {kind}"><span aria-hidden="true">{shape}</span> {word}</span>')


page()
