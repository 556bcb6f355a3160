"""The state that spans a table's rounds: equipment, people, rules on file, devices and their counters. Folded from events.

Invariant: state holds only what the judgment of later rounds needs; it is plain data that a snapshot can hold; nothing here
judges. `TableState.at_opening` is the copy that a round keeps of the table's state when it opened.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.fold.phases import LASTS_A_SHOE, OF_DECKS, OF_METERS, OF_POSITION, USED_UP
from replay.fold.player_dealer_state import HeldPosition, Offer
from replay.fold.record_faults import Source
from replay.fold.recorded_event import RecordedEvent, is_of_people
from replay.fold.shoe_state import ShoeState, deals_from_shoes


class Preparation(msgspec.Struct, frozen=True):
    """One step in making a deck ready: a shuffle, an offer of the cut, a cut, an ordered recut, a shuffler failure.

    `beside`: of a shuffle by hand, the failure of the shuffler that then stood uncovered; 0 if none did; below 0 if what was lost
    or came late may say otherwise.
    """

    kind: Literal["shuffle", "offer", "cut", "recut", "failure"]
    seq: int
    who: int | str
    depth: int
    detail: str
    seated: tuple[int, ...]
    beside: int = 0


NOT_STATED = "not stated"
"""The color of the backs if a transcript does not give it."""


class Deck(msgspec.Struct):
    """A deck at the table. `used`: a round was dealt from it; `banned`: it should have left the table.

    `sure`: nothing was lost since it came that may have been about it.

    `inspected_seq`: its first inspection that was verified; `spread_from_seq`, `spread_seq`: its first and last spreading face
    up; `washed_seq`: its last wash; `mixed_seq`: its last spreading, face up or down, or wash, but for one that arrives after a
    shuffle and happened before it; `shuffled_us`: the time of its last shuffle.
    """

    jokers: int
    preshuffled: bool
    received_seq: int
    back: str = ""
    in_play_us: int | None = None
    in_play_seq: int = 0
    inspected: bool = False
    joker_destroyed: bool = False
    spread: bool = False
    washed: bool = False
    used: bool = False
    banned_by: int = 0
    preparations: list[Preparation] = []
    inspected_seq: int = 0
    spread_from_seq: int = 0
    spread_seq: int = 0
    washed_seq: int = 0
    mixed_seq: int = 0
    shuffled_us: int = 0
    sure: bool = True

    def mix(self, fact: RecordedEvent) -> None:
        """Note that the cards were spread or washed."""
        if fact.at_us >= self.shuffled_us:
            self.mixed_seq = fact.seq


class Armed(msgspec.Struct, frozen=True):
    """The arming of a Must-Hit-By meter: the commitment to its target, or None, and the event."""

    commitment: str | None
    seq: int


class RulesOnFile(msgspec.Struct, frozen=True):
    """A rules submission on file, the event that filed it, and when; of a lost one no text, and the event that showed the gap."""

    effective_gaming_day: str
    toml: str
    seq: int
    at_us: int = 0


class Unrecorded(msgspec.Struct, frozen=True):
    """A payment of a progressive wager that no meter recorded: stake and winnings, in cents."""

    stake_cents: int
    winnings_cents: int


DECKS: Final = "decks"
"""Something was lost before any deck was reported."""

MAKING_READY = frozenset(("equipment", "shuffle"))
"""The aspects of what is done between rounds."""


class TableState(msgspec.Struct):
    """Everything about this table that later rounds are judged by.

    `loose`: the preparations of decks that the record never shows received or put into play. `office_files`: the
    property's office filed the rules here, so that a device's filing does not count. `after_loss`: evidence of the last
    round was lost, and with it perhaps what made the table ready for the next; or what made it ready came late. `alarms`:
    devices that signaled a fault and were not put right since; `foreign`: decks at the table with a card that is not theirs; each
    with the event's number. `numbers`: of events that are elsewhere than in the log, their number here → that in the log.
    `editions`: the amendments that the property published, each whole. `late`: types of events that came late, each with its
    number in the log, so that the table may be another; `opened_us`, `shift_us`: when the last round opened, and the shift;
    `position_us`: when the position was offered or taken last; `shoe_on_record`: the shoe by the record alone, if it differs.
    `reporters`: the devices that reported who is seated, what was done with decks, what is out of order, who holds the position;
    `unsure`: what of this, and of what made the table ready, is as it was before something was lost; `seats_unsure`: the seats of
    which nothing was reported since. A status of `devices` that ends with `?`, and what has a number below 0 (an alarm, a
    foreign card, dice, that the table was idle), is not known either. `lost`: what is unknown until reported again, with the
    events that showed messages missing. `days`: the gaming days so far.
    """

    game: str = ""
    deal_method: str = ""
    shuffler: str = ""
    gaming_day: str = ""
    days: int = 0
    shift: str = ""
    shift_us: int = 0
    dealer: str = ""
    just_opened: bool = False
    equipment_known: bool = False
    decks: dict[str, Deck] = {}
    last_deck: str = ""
    last_voided: bool = False
    previous_decks: int = 0
    last_shuffled: str = ""
    dice_set: str = ""
    dice_us: int | None = None
    dice_seq: int = 0
    devices: dict[str, str] = {}
    device_seqs: dict[str, int] = {}
    patrons: dict[int, str] = {}
    patrons_known: bool = False
    first_patron_seat: int = 0
    idle: bool = False
    idle_spread: bool = False
    idle_washed: bool = False
    idle_seq: int = 0
    spread_us: int = 0
    washed_us: int = 0
    rules: list[RulesOnFile] = []
    readings: dict[str, int] = {}
    readings_before_void: dict[str, int | None] = {}
    unrecorded: dict[str, tuple[Unrecorded, ...]] = {}
    sources: dict[str, Source] = {}
    last_round_no: int = 0
    dealing_deck: str = ""
    round_deck: str = ""
    shoe: ShoeState | None = None
    shoe_on_record: ShoeState | None = None
    rounds_uncounted: int = 0
    armed: dict[str, Armed] = {}
    position: HeldPosition = HeldPosition()
    loose: dict[str, list[Preparation]] = {}
    after_loss: bool = False
    reporters: dict[str, tuple[str, ...]] = {}
    unsure: frozenset[str] = frozenset()
    seats_unsure: frozenset[int] = frozenset()
    alarms: dict[str, int] = {}
    foreign: dict[str, int] = {}
    office_files: bool = False
    numbers: dict[int, int] = {}
    editions: tuple[str, ...] = ()
    late: dict[str, int] = {}
    opened_us: int = 0
    position_us: int = 0
    lost: dict[str, tuple[int, ...]] = {}

    @property
    def cut_deck(self) -> str:
        """The deck of a cut: that of a round that waits for its first card, else the last one shuffled."""
        return self.round_deck or self.last_shuffled

    def at_opening(self) -> "TableState":
        """Return a copy for a round to keep: later events do not change it."""
        return msgspec.structs.replace(
            self,
            decks={
                name: msgspec.structs.replace(deck, preparations=list(deck.preparations)) for name, deck in self.decks.items()
            },
            loose=dict(self.loose),
            devices=dict(self.devices),
            device_seqs=dict(self.device_seqs),
            patrons=dict(self.patrons),
            readings=dict(self.readings),
            readings_before_void=dict(self.readings_before_void),
            armed=dict(self.armed),
            reporters=dict(self.reporters),
            unrecorded=dict(self.unrecorded),
            shoe=self.shoe.copied() if self.shoe is not None else None,
            shoe_on_record=self.shoe_on_record.copied() if self.shoe_on_record is not None else None,
        )

    @property
    def decks_sure(self) -> bool:
        """Whether nothing was lost that may have been about a deck at the table, or of one that is not on record."""
        return DECKS not in self.unsure and all(deck.sure for deck in self.decks.values())

    @property
    def shoes(self) -> list[ShoeState]:
        """The known state of the shoe and, if something was lost, its recorded state; empty if the game has no shoe."""
        return [shoe for shoe in (self.shoe, self.shoe_on_record) if shoe is not None]

    def rules_filed(self, gaming_day: str) -> Iterator[RulesOnFile]:
        """The filed submissions whose effective gaming day has come, the last first."""
        return (filed for filed in reversed(self.rules) if filed.toml and filed.effective_gaming_day <= gaming_day)

    def preparations(self, deck: str) -> list[Preparation]:
        """Return the preparations of a deck since its last round."""
        return self.decks[deck].preparations if deck in self.decks else self.loose.get(deck, [])

    def apply(self, fact: RecordedEvent) -> None:
        """Let an event change the table."""
        change = CHANGES.get(fact.payload.KIND)
        if change is not None:
            change(self, fact, fact.payload)

    def reported(self, what: str, fact: RecordedEvent) -> None:
        """Note which device reports on a subject; events that it loses may concern that subject."""
        devices = self.reporters.get(what, ())
        if fact.source not in devices:
            self.reporters[what] = (*devices, fact.source)
        self.lost = {other: gaps for other, gaps in self.lost.items() if other != what} if self.lost else self.lost

    def is_known_from(self, *types: type[Event]) -> None:
        """Note that late events no longer leave open what these types of event set: it is known, or it no longer counts."""
        if self.late:
            known = {type_.TYPE for type_ in types}
            self.late = {name: seq for name, seq in self.late.items() if name not in known}

    def dealt_from(self, deck: str) -> None:
        """Note that the first card of a round left this deck, so that its preparations no longer count."""
        self.dealing_deck, self.round_deck = deck, ""
        self.is_known_from(*USED_UP)
        self.position = self.position.deal()
        self.loose.pop(deck, None)
        if deck in self.decks:
            self.decks[deck].preparations = []
            self.decks[deck].used = True

    def round_over(self, deck: str, last_card: RecordedEvent | None) -> None:
        """Note the end of a round from this deck: preparations before its last card no longer count (§ 686a.9(b))."""
        if self.shoe is not None and last_card is not None:
            kept = [step for step in self.preparations(deck) if step.seq > last_card.seq]
            if deck in self.decks:
                self.decks[deck].preparations = kept
            elif kept:
                self.loose[deck] = kept
            else:
                self.loose.pop(deck, None)
        self.just_opened = False
        self.previous_decks = sum(1 for each in self.decks.values() if each.in_play_us is not None)
        self.last_deck, self.dealing_deck, self.round_deck = deck, "", ""
        self.idle, self.idle_seq = False, 0
        self.position = self.position.after_round()
        if self.position.rounds == 1 and not self.position.offers:
            self.is_known_from(*OF_POSITION)


def _game(state: TableState, fact: RecordedEvent, event: model.TableOpened) -> None:
    state.is_known_from(model.TableOpened)
    state.game, state.deal_method, state.shuffler = event.game, event.deal_method, event.shuffler
    state.just_opened, state.rounds_uncounted = True, 0
    if state.seats_unsure:  # who sits there since before the loss is not known
        state.patrons = {seat: patron for seat, patron in state.patrons.items() if seat not in state.seats_unsure}
        state.seats_unsure = frozenset()
    state.first_patron_seat = next(iter(state.patrons), 0)
    state.idle, state.idle_seq = False, 0


def _day(state: TableState, fact: RecordedEvent, event: model.GamingDayOpened) -> None:
    state.reported("day", fact)
    state.gaming_day, state.days = event.gaming_day, state.days + 1


def _shift(state: TableState, fact: RecordedEvent, event: model.ShiftChanged) -> None:
    if fact.at_us >= state.shift_us:
        state.shift, state.shift_us = event.shift, fact.at_us
    elif not (fact.is_late or is_of_people(fact.source)):
        state.shift = ""  # the clocks contradict the order in the log


def _tap_in(state: TableState, fact: RecordedEvent, event: model.DealerTappedIn) -> None:
    state.is_known_from(model.DealerTappedIn)
    another = event.dealer != state.dealer and not fact.is_late
    for shoe in state.shoes[1:] if state.after_loss else state.shoes:
        if another and (shoe.last_card or state.dealing_deck):
            shoe.new_dealer(fact.seq)
    state.reported("dealer", fact)
    state.dealer = event.dealer


def is_filed_by_device(state: TableState, fact: RecordedEvent) -> bool:
    """Return whether a device filed rules if the office did before: they do not count, and are found (D920)."""
    return state.office_files and not fact.source.startswith("filing-")


def _rules(state: TableState, fact: RecordedEvent, event: model.RulesFiled) -> None:
    if is_filed_by_device(state, fact):
        return
    state.office_files = fact.source.startswith("filing-")
    state.reported("rules", fact)
    state.is_known_from(model.RulesFiled)
    state.rules = [*state.rules, RulesOnFile(event.effective_gaming_day, event.toml, fact.seq, fact.at_us)]
    if state.shoe is None and deals_from_shoes(event.toml):
        state.shoe = ShoeState()


def _edition(state: TableState, fact: RecordedEvent, event: model.ChapterPublished) -> None:
    if event.toml not in state.editions:
        state.editions = (*state.editions, event.toml)


def _deck_received(state: TableState, fact: RecordedEvent, event: model.DeckReceived) -> None:
    state.reported("equipment", fact)
    state.loose.pop(event.deck, None)
    state.decks[event.deck] = Deck(
        jokers=event.jokers, preshuffled=event.preshuffled, received_seq=fact.seq, back=event.back_colour
    )
    state.equipment_known = state.decks_sure
    for shoe in state.shoes:
        shoe.receive(fact.seq, event.deck)


def _inspected(state: TableState, fact: RecordedEvent, event: model.DeckInspected) -> None:
    state.reported("equipment", fact)
    if event.deck in state.decks and event.verified_by is not None:
        deck = state.decks[event.deck]
        deck.inspected, deck.inspected_seq = True, deck.inspected_seq or fact.seq


def _joker(state: TableState, fact: RecordedEvent, event: model.JokerDestroyed) -> None:
    state.reported("equipment", fact)
    if event.deck in state.decks and event.witnessed_by is not None:
        state.decks[event.deck].joker_destroyed = True


def _in_play(state: TableState, fact: RecordedEvent, event: model.DeckInPlay) -> None:
    state.reported("equipment", fact)
    preparations = state.loose.pop(event.deck, [])
    deck = state.decks.setdefault(event.deck, Deck(jokers=1, preshuffled=False, received_seq=fact.seq, preparations=preparations))
    deck.in_play_us, deck.in_play_seq = fact.at_us, fact.seq
    state.equipment_known = state.decks_sure


def _deck_removed(state: TableState, fact: RecordedEvent, event: model.DeckRemoved) -> None:
    state.foreign = {deck: seq for deck, seq in state.foreign.items() if deck != event.deck}
    state.reported("equipment", fact)
    state.decks.pop(event.deck, None)
    if not state.decks:
        state.is_known_from(*OF_DECKS, *LASTS_A_SHOE)
    state.equipment_known |= bool(state.decks) and state.decks_sure


def _spread(state: TableState, fact: RecordedEvent, event: model.CardsSpread) -> None:
    state.reported("equipment", fact)
    if event.deck in state.decks or not state.decks:  # another deck than the table's says nothing of its cards
        state.idle_spread, state.spread_us = True, max(state.spread_us, fact.at_us)
    for shoe in state.shoes:
        shoe.gather(event.deck)
    if event.deck in state.decks:
        deck = state.decks[event.deck]
        deck.mix(fact)
        if event.face_up:
            deck.spread, deck.spread_seq, deck.spread_from_seq = True, fact.seq, deck.spread_from_seq or fact.seq


def _washed(state: TableState, fact: RecordedEvent, event: model.CardsWashed) -> None:
    state.reported("equipment", fact)
    if event.deck in state.decks or not state.decks:
        state.idle_washed = state.idle_spread  # a wash before the cards were spread is none (§ 687a.5(f))
        state.washed_us = max(state.washed_us, fact.at_us)
    for shoe in state.shoes:
        shoe.gather(event.deck)
    if event.deck in state.decks:
        deck = state.decks[event.deck]
        deck.washed, deck.washed_seq = True, fact.seq
        deck.mix(fact)


def _dice(state: TableState, fact: RecordedEvent, event: model.DiceReceived) -> None:
    state.is_known_from(model.DiceReceived, model.DiceRemoved)
    state.reported("dice", fact)
    state.dice_set, state.dice_us, state.dice_seq = event.dice_set, fact.at_us, fact.seq


def _dice_removed(state: TableState, fact: RecordedEvent, event: model.DiceRemoved) -> None:
    state.reported("dice", fact)
    if state.dice_set == event.dice_set:
        state.dice_set, state.dice_us, state.dice_seq = "", None, fact.seq


def _seated(state: TableState, fact: RecordedEvent, event: model.PatronSeated) -> None:
    state.reported("patrons", fact)
    if not state.patrons and (state.just_opened or state.idle):
        state.first_patron_seat = event.seat
    state.patrons[event.seat] = event.patron
    state.seats_unsure -= {event.seat}
    state.patrons_known = not state.seats_unsure


def _left(state: TableState, fact: RecordedEvent, event: model.PatronLeft) -> None:
    state.reported("patrons", fact)
    if state.patrons.get(event.seat, event.patron) != event.patron:
        return  # the departure arrives late: another patron has the seat since
    state.patrons.pop(event.seat, None)
    state.seats_unsure -= {event.seat}
    if not state.patrons and not state.seats_unsure:
        state.is_known_from(model.PatronSeated, model.PatronLeft)
    if not state.patrons:  # if a departure arrives late, what was done to the cards since is on record before it
        state.idle = not state.seats_unsure
        state.idle_seq = fact.seq if state.idle else -fact.seq
        state.idle_spread = state.spread_us > fact.at_us
        state.idle_washed = state.idle_spread and state.washed_us > fact.at_us


def _failed(state: TableState, fact: RecordedEvent, event: model.DeviceFailed) -> None:
    state.reported("devices", fact)
    if event.fault == "inoperative" or event.device == "shuffler":
        state.devices[event.device], state.device_seqs[event.device] = "failed", fact.seq
    if event.device == "shuffler":
        failure = Preparation("failure", fact.seq, "shuffler", 0, event.fault, ())
        for name, deck in state.decks.items():
            if name != state.dealing_deck:
                deck.preparations = [*deck.preparations, failure]
        for name in state.loose.keys() - {state.dealing_deck}:
            state.loose[name] = [*state.loose[name], failure]


def _alarmed(state: TableState, fact: RecordedEvent, event: model.DeviceAlarmed) -> None:
    state.alarms = {**state.alarms, event.device: fact.seq}


def _foreign(state: TableState, fact: RecordedEvent, event: model.ForeignCardFound) -> None:
    state.foreign = {**state.foreign, event.deck: fact.seq}


def _cleared(state: TableState, device: str) -> None:
    if device in state.alarms:
        state.alarms = {name: seq for name, seq in state.alarms.items() if name != device}


def _covered(state: TableState, fact: RecordedEvent, event: model.DeviceCovered) -> None:
    state.reported("devices", fact)
    state.devices[event.device] = "covered"
    _cleared(state, event.device)


def _restored(state: TableState, fact: RecordedEvent, event: model.DeviceRestored) -> None:
    state.reported("devices", fact)
    state.devices.pop(event.device, None)
    _cleared(state, event.device)


def _prepared(state: TableState, deck: str, step: Preparation) -> None:
    if deck in state.decks:
        state.decks[deck].preparations = [*state.decks[deck].preparations, step]
    elif deck:
        state.loose[deck] = [*state.loose.get(deck, []), step]


def _shuffled(state: TableState, fact: RecordedEvent, event: model.CardsShuffled) -> None:
    state.is_known_from(*LASTS_A_SHOE, *USED_UP)
    state.last_shuffled = event.deck
    _cleared(state, "shuffler")
    for shoe in state.shoes:
        shoe.shuffle(fact.seq, event.deck)
    beside = 0
    if (status := state.devices.get("shuffler")) in ("failed", "failed?"):
        if event.method == "manual":
            beside = state.device_seqs["shuffler"] * (1 if status == "failed" else -1)
        else:
            del state.devices["shuffler"]
    if event.deck in state.decks:
        deck = state.decks[event.deck]
        deck.shuffled_us = max(deck.shuffled_us, fact.at_us)
    step = Preparation("shuffle", fact.seq, "dealer", event.count or 0, event.method, (), beside)
    _prepared(state, event.deck, step)


def _offered(state: TableState, fact: RecordedEvent, event: model.CutOffered) -> None:
    detail = "accepted" if event.accepted else "refused"
    seated = tuple(sorted(state.patrons))
    _prepared(state, state.cut_deck, Preparation("offer", fact.seq, event.seat, 0, detail, seated))


def _cut(state: TableState, fact: RecordedEvent, event: model.CardsCut) -> None:
    seated = tuple(sorted(state.patrons))
    step = Preparation("cut", fact.seq, event.by, event.depth, event.counted_from, seated)
    _prepared(state, state.cut_deck, step)


def _recut(state: TableState, fact: RecordedEvent, event: model.RecutOrdered) -> None:
    _prepared(state, state.cut_deck, Preparation("recut", fact.seq, event.by, 0, "", ()))


def _accepted(state: TableState, fact: RecordedEvent, event: model.ProgressiveAccepted) -> None:
    state.is_known_from(*OF_METERS)
    state.readings[event.meter] = event.reading_centicents
    state.readings_before_void.pop(event.meter, None)
    state.unrecorded.pop(event.meter, None)


def _won(state: TableState, fact: RecordedEvent, event: model.ProgressiveWon) -> None:
    state.readings[event.meter] = event.after_centicents
    state.unrecorded.pop(event.meter, None)


def _burned(state: TableState, fact: RecordedEvent, event: model.CardBurned) -> None:
    for shoe in state.shoes:
        shoe.burn(fact.seq)


def _cover_card(state: TableState, fact: RecordedEvent, event: model.CoverCardPlaced) -> None:
    for shoe in state.shoes:
        shoe.place(fact.seq, event)


def _barred(state: TableState, fact: RecordedEvent, event: model.PatronBarred) -> None:
    for shoe in state.shoes:
        shoe.bar(fact.seq, event.patron)


def _armed(state: TableState, fact: RecordedEvent, event: model.MysteryArmed) -> None:
    state.readings[event.meter] = event.reading_centicents
    state.readings_before_void.pop(event.meter, None)
    state.armed[event.meter] = Armed(event.commitment, fact.seq)


def _hit(state: TableState, fact: RecordedEvent, event: model.MysteryHit) -> None:
    state.readings[event.meter] = event.after_centicents
    state.armed.pop(event.meter, None)


def _position_offered(state: TableState, fact: RecordedEvent, event: model.PlayerDealerOffered) -> None:
    state.reported("position", fact)
    state.position_us = fact.at_us
    offer = Offer(event.seat, event.accepted, fact.seq, tuple(sorted(state.patrons)))
    state.position = state.position.offer(offer)


def _position_taken(state: TableState, fact: RecordedEvent, event: model.PlayerDealerWagered) -> None:
    state.reported("position", fact)
    state.position_us = fact.at_us
    if not state.position.dealt:  # else more of the same player-dealer, or the next one's: this round's came before (D202)
        state.position = state.position.take(event.seat, event.bettor)


Change = Callable[[TableState, RecordedEvent, Any], None]

CHANGES: dict[type[Event], Change] = {
    model.TableOpened: _game,
    model.GamingDayOpened: _day,
    model.ShiftChanged: _shift,
    model.DealerTappedIn: _tap_in,
    model.RulesFiled: _rules,
    model.ChapterPublished: _edition,
    model.DeckReceived: _deck_received,
    model.DeckInspected: _inspected,
    model.JokerDestroyed: _joker,
    model.DeckInPlay: _in_play,
    model.DeckRemoved: _deck_removed,
    model.CardsSpread: _spread,
    model.CardsWashed: _washed,
    model.DiceReceived: _dice,
    model.DiceRemoved: _dice_removed,
    model.PatronSeated: _seated,
    model.PatronLeft: _left,
    model.DeviceFailed: _failed,
    model.DeviceAlarmed: _alarmed,
    model.ForeignCardFound: _foreign,
    model.DeviceCovered: _covered,
    model.DeviceRestored: _restored,
    model.CardsShuffled: _shuffled,
    model.CutOffered: _offered,
    model.CardsCut: _cut,
    model.RecutOrdered: _recut,
    model.ProgressiveAccepted: _accepted,
    model.ProgressiveWon: _won,
    model.CardBurned: _burned,
    model.CoverCardPlaced: _cover_card,
    model.PatronBarred: _barred,
    model.MysteryArmed: _armed,
    model.MysteryHit: _hit,
    model.PlayerDealerOffered: _position_offered,
    model.PlayerDealerWagered: _position_taken,
}
"""The events that change more than the round they are in; correcting one of them means folding the table again."""
