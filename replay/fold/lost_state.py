"""The unknown parts of a table's state because a message was lost or came late (D402, D850, D951, D1201).

The idea: nothing is forgotten. Parts that may have changed are marked, so that no rule relies on them, and `as_on_record` returns
the table without the marks: a finding that needs it is only a doubt.
"""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Final

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.fold.derived import derived_by_rules
from replay.fold.phases import OF_METERS, OF_POSITION
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round, from_the_shoe
from replay.fold.shoe_state import ShoeState
from replay.fold.table_state import CHANGES, DECKS, Preparation, RulesOnFile, TableState
from rulebook.chapters.chapters import chapter
from rulebook.chapters.rulebook import Rulebook

READY: Final = "ready"
LISTS: Final = frozenset(("patrons", "equipment"))
"""The parts of the state that one report makes known: who is seated, which decks are at the table."""
SEATS: Final = frozenset(range(1, 8))
FOR_ALL: Final = frozenset((model.TableOpened, model.GamingDayOpened, model.RulesFiled))
"""Events by which all of a round is judged."""
CONCERN: Final = {
    "patrons": (model.PatronSeated, model.PatronLeft),
    "dice": (model.DiceReceived, model.DiceRemoved),
    "position": OF_POSITION,
    "meters": OF_METERS,
    "devices": (model.DeviceFailed, model.DeviceAlarmed, model.DeviceCovered, model.DeviceRestored),
    "shoe": (model.DealerTappedIn, model.CardBurned, model.CoverCardPlaced),
    "barred": (model.PatronBarred,),
}
"""Part of the state → the events that change it; all others change the decks and the shoe."""


LAST_DAY: Final = "9999-12-31"
NAMED: Final = frozenset(("day", "dealer"))
"""The parts of the state that any one report names."""
MOST_MARKS: Final = 8
"""Marks of lost messages kept after a filing: more leave the same doubt. If one comes late, the stream is folded again."""
NAMES: Final = frozenset((model.RulesFiled, model.GamingDayOpened, model.DealerTappedIn))
"""The events that name these, and rules."""


def skip(state: TableState, device: str, seq: int, filers: Collection[str]) -> None:
    """Mark what devices may have filed (`filers`, later on) or named in messages that event `seq` shows missing (D1191)."""
    skipped = {what for what, reporters in state.reporters.items() if device in reporters}
    is_filer = ("rules" in skipped or device in filers) and not state.office_files
    if is_filer and marks(state)[-1] < MOST_MARKS:
        state.rules = [*state.rules, RulesOnFile("", "", seq)]
    state.lost = state.lost | {what: (*state.lost.get(what, ()), seq) for what in sorted(skipped & NAMED)}


def marks(state: TableState) -> list[int]:
    """Return how many marks precede the first filing, and follow each."""
    counts = [0]
    for filed in state.rules:
        if filed.toml:
            counts.append(0)
        else:
            counts[-1] += 1
    return counts


def restore(state: TableState, seq: int) -> bool:
    """Take a mark of `skip` back: the messages that event `seq` showed missing have arrived. Return whether there was one."""
    rules = [filed for filed in state.rules if filed.toml or filed.seq != seq]
    lost = {what: tuple(shown for shown in gaps if shown != seq) for what, gaps in state.lost.items()}
    lost = {what: gaps for what, gaps in lost.items() if gaps}
    if len(rules) == len(state.rules) and lost == state.lost:
        return False
    state.rules, state.lost = rules, lost
    return True


@derived_by_rules
def rules_unknown(round_: Round, book: Rulebook) -> str:
    """Return why other rules than these, which are on file, may have been in force in a round; empty if none may (D1191)."""
    before, day = round_.before, round_.gaming_day
    if "day" not in before.lost and all(filed.toml for filed in before.rules):
        return ""
    for filed in reversed(before.rules):
        if filed.toml and filed.effective_gaming_day <= day and sha256(filed.toml.encode()).hexdigest() == book.digest:
            break
        if not filed.toml:
            return f"a message that is missing may have filed other rules (event {filed.seq} shows that it is)"
    jurisdiction, name = book.chapter.key.split("-", 1)
    later = chapter(jurisdiction, name, day=LAST_DAY, published=before.editions)
    if "day" in before.lost and (
        later.edition_digest != book.chapter.edition_digest or any(filed.effective_gaming_day > day for filed in before.rules)
    ):
        return "a message that is missing may have opened a later gaming day, on which other rules are in force"
    return ""


def lose(state: TableState, devices: frozenset[str]) -> None:
    """Mark the parts of the state that devices which lost evidence, or no device, report on as unknown until reported (D402)."""
    state.after_loss, state.unsure = bool(devices), state.unsure - {READY}
    if not devices:
        return
    lost = {what for what, reporters in state.reporters.items() if not devices.isdisjoint(reporters)}
    lost |= LISTS - state.reporters.keys()  # the first report may be what was lost
    state.unsure |= {DECKS} if "equipment" not in state.reporters else set()
    _mark(state, lost)


def _mark(state: TableState, lost: set[str]) -> None:
    """Mark the parts of the state that lost messages concern, and failed devices, as unknown."""
    state.alarms = {device: -abs(seq) for device, seq in state.alarms.items()}
    state.foreign = {deck: -abs(seq) for deck, seq in state.foreign.items()}
    if "dice" in lost:
        state.dice_seq = -abs(state.dice_seq)
    for deck in state.decks.values() if "equipment" in lost else ():
        deck.sure = False
    _mark_devices(state)  # whoever reports that one failed, another may report that it was covered
    _set_beside(state, -1)
    if "position" in lost:
        state.position = state.position.forget()
    if "patrons" in lost:
        state.seats_unsure = SEATS
    state.unsure |= {*lost, READY}
    state.equipment_known = state.equipment_known and "equipment" not in lost
    state.patrons_known = state.patrons_known and "patrons" not in lost


def lose_late(state: TableState, fact: RecordedEvent) -> None:
    """Mark the part that a device reports on as unknown: a late event of it should have been in the table (D850).

    Failed devices are taken to be as the event says; their earlier state is unknown.
    """
    lost, seats = _lost(state), state.seats_unsure
    lose(state, frozenset({fact.source}))
    state.unsure, state.seats_unsure = lost, seats
    state.position = msgspec.structs.replace(state.position, forgotten=None)
    if fact.payload.KIND in (model.DeviceFailed, model.DeviceCovered, model.DeviceRestored):
        state.apply(fact)
        _mark_devices(state)
    state.readings.pop(getattr(fact.payload, "meter", ""), None)


def late_before(round_: Round) -> dict[type[Event], int]:
    """Return the types of messages that came late and may say otherwise of the table before a round, each with its number."""
    numbers = dict(round_.before.late)
    for fault in round_.record_faults:
        numbers |= {late.payload.TYPE: late.seq for late, _ in fault.arrived if fault.kind == "late"}
    return {type_: numbers[type_.TYPE] for type_ in CHANGES if type_.TYPE in numbers}


def as_if_unknown(round_: Round, late: Mapping[type[Event], int]) -> Round:
    """Return a round without messages that came late, if nothing is known before it of what they are about (D1201)."""
    concern = {name for name, types in CONCERN.items() if not late.keys().isdisjoint(types)}
    if not late.keys() <= {type_ for types in CONCERN.values() for type_ in types}:
        concern |= {"equipment", "shoe"}
    other = round_.reading({}, [fact for fact in round_.facts if round_.number(fact.seq) in late.values()])
    other.before = state = round_.before.at_opening()
    if concern != {"barred"}:
        _mark(state, concern - {"shoe", "barred", "meters"})
        state.after_loss, state.position = True, msgspec.structs.replace(state.position, forgotten=None)
    if "equipment" in concern:
        state.unsure |= {DECKS}
    if "shoe" in concern and state.shoe is not None:
        state.shoe, state.shoe_on_record = ShoeState(), None
    for shoe in state.shoes if "barred" in concern else ():
        shoe.barred = {}
    if "meters" in concern:
        state.readings, state.readings_before_void, state.unrecorded = {}, {}, {}
    return other


def end_in_the_shoe(state: TableState, ended: Round) -> TableState | None:
    """End a round in the shoe, in its known and its recorded form; once both are equal, they are merged (D951).

    Return the table as it would be if the round had lost nothing; None if it lost nothing.
    """
    left, covers = from_the_shoe(ended), ended.covers("shuffle")
    claims = "shuffle" in ended.opened.payload.observed
    whole = state.at_opening() if ended.lost_by else None
    for table, is_known in ((state, covers), (whole, claims)):
        if table is None or table.shoe is None:
            continue
        if is_known != claims:
            table.shoe_on_record = table.shoe_on_record or table.shoe.copied()
        shoes = zip(table.shoes, (is_known, claims), strict=False)
        bars_ended = min(shoe.round_over(ended.deck, *left, covered) for shoe, covered in shoes)
        if table.late.get(model.PatronBarred.TYPE, bars_ended + 1) <= bars_ended:
            table.is_known_from(model.PatronBarred)
        if table.shoe_on_record == table.shoe:
            table.shoe_on_record = None
    return whole


def as_on_record(table: TableState) -> TableState | None:
    """Return the table as if lost messages had changed nothing; None if nothing of it is unknown (D951)."""
    lost = _lost(table)
    steps = [*table.loose.values(), *(deck.preparations for deck in table.decks.values())]
    is_sure = not any("?" in status for status in table.devices.values())
    is_sure = is_sure and min((0, table.dice_seq, table.idle_seq, *table.alarms.values(), *table.foreign.values())) == 0
    is_sure = is_sure and all(step.beside >= 0 for part in steps for step in part)
    is_sure = is_sure and table.shoe_on_record is None and all(deck.sure for deck in table.decks.values())
    if is_sure and not lost and table.position.forgotten is None:
        return None
    state = table.at_opening()
    state.devices = {name: status.removesuffix("?") for name, status in table.devices.items()}
    state.alarms = {device: abs(seq) for device, seq in table.alarms.items()}
    state.foreign = {deck: abs(seq) for deck, seq in table.foreign.items()}
    _set_beside(state, 1)
    state.dice_seq = abs(state.dice_seq)
    state.idle, state.idle_seq = state.idle or state.idle_seq < 0, abs(state.idle_seq)
    state.shoe = state.shoe_on_record or state.shoe
    for deck in state.decks.values():
        deck.sure = True
    state.after_loss, state.seats_unsure = table.after_loss and READY not in lost, frozenset()
    state.patrons_known = table.patrons_known or "patrons" in lost
    state.equipment_known = table.equipment_known or "equipment" in lost
    state.position = table.position.forgotten or table.position
    return state


def _lost(state: TableState) -> frozenset[str]:
    """Return the parts that are unknown because a message was lost and not reported again."""
    known = {"patrons": state.patrons_known, "equipment": state.equipment_known}
    known |= dict.fromkeys(LISTS - state.reporters.keys(), True)  # nothing on record to go by
    return frozenset(what for what in state.unsure if not known.get(what, what != READY))


def _mark_devices(state: TableState) -> None:
    """Mark devices that are out of order as unknown."""
    state.devices = {name: status.removesuffix("?") + "?" for name, status in state.devices.items()}


def _set_beside(state: TableState, sign: int) -> None:
    """Mark the failed shuffler of a shuffle by hand as unknown (-1), or restore it as on record (1)."""
    state.loose = {name: _beside(steps, sign) for name, steps in state.loose.items()}
    for deck in state.decks.values():
        deck.preparations = _beside(deck.preparations, sign)


def _beside(steps: Sequence[Preparation], sign: int) -> list[Preparation]:
    return [msgspec.structs.replace(step, beside=sign * abs(step.beside)) for step in steps]
