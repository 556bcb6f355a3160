"""The health of a property: for each part that must run, a line with what to do. It only reads."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from desk.house.plan import APPLIERS, make_plan
from desk.house.property_file import FILE, Property, read_property
from desk.house.table_lines import TableRecord
from desk.review.persons import ReviewRefused
from desk.sign_in.accounts import Accounts
from desk.sign_in.login_file import local_sign_in
from desk.verification.last_verification import State, record_path, verified_at
from desk.verification.last_verification import read as read_notice
from desk.verification.witness_status import REFUSALS, witnessed_at
from events.errors import EventError, IntegrityError, LogUnavailable
from events.log.contract import EventLog
from events.open import open_checkpoints, open_log
from events.proofs.keys import KeyRefused, read_public_key, read_ring
from events.proofs.statements import CheckpointBatch, TimeStatement, read_statement
from replay.narrative.names import plural, table_name

PATIENCE_US: Final = 300 * 1_000_000
"""A checkpoint is due, and a witness silent, after five minutes."""
DAY_US: Final = 24 * 3_600 * 1_000_000
TEST: Final = ".mail-test"
"""The file next to the log with the time at which a test mail was last accepted (UTC microseconds)."""
FAULTS = (OSError, ReviewRefused, EventError, IntegrityError, LogUnavailable, KeyRefused, ValueError)


class Part(NamedTuple):
    """One part: whether it is in order, its state, what to do, and the command that does it."""

    name: str
    ok: bool
    says: str
    to_do: str = ""
    command: str = ""


def look(folder: Path, now_us: int, **options: Any) -> Iterator[Part]:
    """Yield a line for each part of the property in a folder; `options` say how to reach a cluster."""
    try:
        made = read_property(folder)
    except ReviewRefused as error:
        yield Part("property", False, str(error))
        return
    if made.log_file is not None and not made.log_file.exists():
        yield Part("property", False, "There is no log yet.", "Make it:", f"rack apply {folder} --by PERSON")
        return
    checks: dict[str, Callable[[Property, EventLog, int], Part | None]] = {
        "property": _applied,
        "signatures": _signatures,
        "sign-in": _sign_in,
        "key": _key,
        "checkpoint": partial(_checkpoint, options),
        "witness": partial(_witness, options),
        "mail": _mail,
        "archive": _archive,
    }
    try:
        log = open_log(made.address, read_only=True, **options)
    except FAULTS as error:
        yield Part("log", False, str(error))
        return
    with closing(log):
        events = sum(log.head(each).seq for each in log.streams())
        yield Part("log", True, f"{plural(len(log.streams()), 'stream')} with {events:,} events.")
        for name, check in checks.items():
            try:
                part = check(made, log, now_us)
            except FAULTS as error:
                part = Part(name, False, str(error))
            if part is not None:
                yield part


def _applied(made: Property, log: EventLog, now_us: int) -> Part:
    plan = make_plan(made, log, lambda _: {})
    if plan.changes:
        says = f"{plural(plan.changes, 'change')} of its file not applied yet."
        return Part("property", False, says, "Look at the plan, then apply it:", f"rack plan {made.folder}")
    return Part("property", True, "As its file says.")


def _signatures(made: Property, log: EventLog, now_us: int) -> Part:
    waiting, of_devices = [], []
    for table in made.form.table:
        record = TableRecord(log, table.id)
        last = record.filings.last_of_office
        if last is None and record.last:
            of_devices.append(table_name(table.id))
        elif last is not None and not record.signers(last):
            waiting.append(table_name(table.id))
    if of_devices:
        says = f"Filed by devices alone: {', '.join(of_devices)}."
        return Part("filings", False, says, "File their rules on the page Filing, or:", "rack rules file")
    if waiting:
        says = f"Not signed yet: {', '.join(waiting)}."
        return Part("filings", False, says, "A second person signs on the page Filing, or:", "rack rules sign TABLE")
    return Part("filings", True, "Every filing has its second signature.")


def _sign_in(made: Property, log: EventLog, now_us: int) -> Part:
    login = made.folder / "login.toml"
    if not login.exists():
        to_do = f"Write [sign_in] into {FILE}, or name an identity provider in login.toml."
        return Part("sign-in", False, "No one can sign in: there is no login.toml.", to_do)
    local = local_sign_in(login)
    if local is None:
        return Part("sign-in", True, "By the identity provider that login.toml names.")
    states = Accounts(local.accounts).states(now_us / 1_000_000)
    people = [each.id for each in made.form.person if each.roles and each.closed is None]
    waiting = [each for each in people if each not in states or not states[each].is_set_up]
    if waiting:
        says = f"Not set up yet: {', '.join(waiting)}."
        return Part("sign-in", False, says, "Give each an invitation:", f"rack sign-in invite {waiting[0]}")
    return Part("sign-in", True, f"{plural(len(people), 'person', 'people')} can sign in.")


def _key(made: Property, log: EventLog, now_us: int) -> Part:
    key = made.form.key
    if key is None:
        says = "Nothing is signed, so the log could be rewritten undetected."
        return Part("key", False, says, f"Write [key] into {FILE}, and apply it.")
    public = made.folder / f"{key.file}.pub"
    if not public.exists():
        by = next((each.token for each in made.persons.all if set(APPLIERS) & set(each.roles)), "PERSON")
        way = f"rack keys new {made.folder / key.file} --log {made.address} --by {by}"
        return Part("key", False, "No packet or report can be signed yet.", "Make the key:", way)
    in_force = read_ring(log).in_force(log.head("property/main").seq)
    if read_public_key(public) not in in_force:
        return Part("key", False, f"{public.name} is not published in the log.", "Compare the keys:", "rack keys list")
    return Part("key", True, "Published and in force.")


def _checkpoint(options: Mapping[str, Any], made: Property, log: EventLog, now_us: int) -> Part | None:
    if made.form.key is None:
        return None
    last = None
    with suppress(LogUnavailable), closing(open_checkpoints(made.address, log_id=log.log_id, read_only=True, **options)) as store:
        last = next(iter(deque(store.batches(), maxlen=1)), None)
    events = sum(log.head(stream).seq for stream in log.streams())
    time = None if last is None else read_statement(CheckpointBatch.decode(last).lines[-1])
    if not isinstance(time, TimeStatement):
        return Part("checkpoint", False, "None yet.", "Start rack-checkpoints.service, or:", "rack checkpoint")
    if time.events < events and now_us - time.at_us > PATIENCE_US:
        says = f"Due: {plural(events - time.events, 'event')} came since the last one."
        return Part("checkpoint", False, says, "Start rack-checkpoints.service, or:", "rack checkpoint")
    return Part("checkpoint", True, f"{time.events:,} of {events:,} events are covered by a signature.")


def _witness(options: Mapping[str, Any], made: Property, log: EventLog, now_us: int) -> Part:
    witness = made.form.witness
    if witness is None:
        return Part("witness", False, "No one else can vouch for the log.", f"Write [witness] into {FILE}.")
    folder, key = made.folder / witness.folder, made.folder / f"{witness.key}.pub"
    if not key.exists():
        way = f"rack keys new {made.folder / witness.key} --witness NAME"
        return Part("witness", False, "It has no key yet.", "Make it, on the machine of the witness:", way)
    runs = "Start rack-witness.service, or:", "rack witness"
    try:
        seen = witnessed_at(made.address, folder, key, **options)
    except REFUSALS as error:
        return Part("witness", False, str(error), *runs)
    if seen.disagrees:
        says = f"It disagrees with the log: {seen.trouble or 'see its folder'}."
        return Part("witness", False, says, "Look for the difference:", "rack verify --witness")
    if seen.newest_s is None or seen.silent(now_us):
        says = f"{plural(seen.behind, 'checkpoint')} waiting for it longer than 5 minutes."
        return Part("witness", False, says, *runs)
    return Part("witness", True, f"{plural(seen.cosigned, 'checkpoint')} vouched for; none waits longer than 5 minutes.")


def _mail(made: Property, log: EventLog, now_us: int) -> Part:
    if made.form.mail is None or not made.form.route:
        says = "No one gets mail about incidents."
        return Part("mail", False, says, f"Write [mail] and a [[route]] into {FILE}, and apply it.")
    notice = made.folder / TEST
    if not notice.exists():
        way = f"rack doctor {made.folder} --send-test"
        return Part("mail", False, "No test mail was accepted yet.", "Send one:", way)
    days = max(0, now_us - int(notice.read_text(encoding="utf-8"))) // DAY_US
    when = f"{plural(days, 'day')} ago" if days else "today"
    return Part("mail", True, f"A test mail was accepted {when}.")


def _archive(made: Property, log: EventLog, now_us: int) -> Part:
    backup = made.form.backup
    if backup is None:
        return Part("archive", False, "A failed disk would lose the data.", f"Write [backup] into {FILE}.")
    folder = made.folder / backup.folder
    if not folder.is_dir():
        return Part("archive", False, "None yet.", "Start rack-archive.timer, or:", f"rack archive --out {folder}")
    address = f"archive://{quote(folder.resolve().as_posix())}"
    if read_notice(record_path(address)) is None:
        return Part("archive", False, "It was never verified.", "Verify it:", f"rack verify --log {address}")
    last = verified_at(address)
    said = last.detail or (last.shown.sentence if last.shown is not None else last.state.value)
    return Part("archive", last.state is State.PASSED, f"Last verified: {said}")
