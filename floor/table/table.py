"""A table between its rounds: opening and closing, decks, dice and people, chips to and from the cage.

A table acts correctly unless an argument says otherwise: injectors of opening and equipment faults leave a step out.
"""

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import ClassVar, Literal

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, fact
from floor.table.casino import SIMULATED, Calendar, SimulatedFiling, TableSpec
from floor.table.inventory import inventory_change
from floor.table.meters import Meter
from floor.table.people import Patron, People, dealer_at, floorperson, shift_at
from floor.table.script import COUNT, DEVICES, Script
from floor.table.streams import HOUR_US, MINUTE_US, SECOND_US, Group, Stream
from rulebook.chapters.rulebook import Rulebook, parse_submission

OPENING_CENTS = 30_000_000
LOW_CENTS, HIGH_CENTS, MOVED_CENTS = 22_000_000, 38_000_000, 10_000_000
RETURNED_ABOVE_CENTS, RETURNED_CENTS = 25_000_000, 4_000_000
CHANGE_MARGIN_US = 15 * MINUTE_US
DICE_CHANGED_US = 19 * HOUR_US
"""Dice are changed well before their 24 hours are over (§ 688a.2(c)(1)(i)): a day at a slow table can be longer."""
COLOURS = ("red", "blue")


@dataclass(slots=True)
class DeckAtTable:
    """A deck in use: when it went into play, and whether it needs a shuffle before the deal."""

    id: str
    color: str
    in_play_us: int
    dirty: bool


class Table:
    """One table: its stream, its clock, its equipment, its patrons and dealer, and its chips."""

    cuts_preshuffled: ClassVar[bool] = False
    """Whether a deck that came preshuffled is cut before it is dealt (§ 659a.5(b)(2))."""

    def __init__(
        self,
        index: int,
        tables: int,
        spec: TableSpec,
        meters: dict[str, Meter],
        people: People,
        random: Random,
        calendar: Calendar = SIMULATED,
    ) -> None:
        self.index, self.tables, self.spec, self.random = index, tables, spec, random
        self.id = spec.id
        self.stream = Stream(f"table/{spec.id}", random)
        self.meters, self.people, self.calendar = meters, people, calendar
        self.floor = floorperson(index)
        self.now_us = calendar.opening_us
        self.day = -1
        self.round_no = 0
        self.seats: dict[int, Patron] = {}
        self.dealer = ""
        self.shift = ""
        self.dice_us: int | None = None
        self.inventory = OPENING_CENTS
        self.decks: list[DeckAtTable] = []
        self.uncut: set[str] = set()
        """The decks that came preshuffled and wait for their cut."""
        self.turn = 0
        self.just_opened = False
        self.was_idle = False
        self.first_seat = 0
        self.shuffler_out = False
        self.out_rounds = 0
        self.wrong_stub = False
        self.old_dice = False
        self.rounds_today = 0
        self.voided_last = False
        """Whether the last round was void: its cards are reshuffled, and may be those of the next round (§ 688a.13)."""
        self.stacked = index * 5
        self.worn = 0.0
        self.lost = False
        """Whether messages of the last round were lost: what made the next one ready is not known then."""
        self.meter_read = True
        """Whether the meter was read since messages were lost: what it should stand at is not known before (D402)."""
        self.house_way = False
        """Whether every patron sets by the house way and decides as is best, and no one bets more than is covered."""
        self.group: list[Draft] = []
        self.drop: dict[int, int] = {}
        self._serial: dict[str, int] = {}
        self._filings: list[tuple[int, SimulatedFiling, Rulebook, str]] = []
        self._sizes = 4
        self._later_to_file = True
        for day, filing in ((0, spec.first), (1, spec.later)):
            if filing is not None:
                text = spec.submission(filing, calendar.gaming_day(day))
                self._filings.append((day, filing, parse_submission(text), text))
        self.book = self._filings[0][2]
        self.editions: tuple[str, ...] = ()
        """The amendments that the property published, each whole."""

    def publish(self, event: model.ChapterPublished, source: str, at_us: int) -> None:
        """Publish an amendment as the office."""
        self.editions += (event.toml,)
        self.group.append(self.stream.draft(source, event, at_us, None))

    def book_on(self, day: int, editions: tuple[str, ...]) -> Rulebook:
        """Return the rules of a day, with these amendments. Raises `RulesRefused` if they do not fit."""
        *_, (_, _, book, text) = (filing for filing in self._filings if filing[0] <= day)
        on, name = self.calendar.gaming_day(day), f"the rules of {self.id}"
        return parse_submission(text, name, on, editions) if editions else book

    @property
    def deck_limit_us(self) -> int:
        """How long a deck may stay in play (§ 688a.3(c))."""
        return (4 if self.spec.deal_method == "hand" else 8) * HOUR_US

    @property
    def by_hand(self) -> bool:
        """Whether cards are now shuffled by hand: there is no working shuffler."""
        return self.spec.shuffler == "none" or self.shuffler_out

    @property
    def meter(self) -> Meter:
        """The meter of the rules in force."""
        assert self.book.meter is not None
        return self.meters[self.book.meter]

    @property
    def books(self) -> list[Rulebook]:
        """The rules that the table files, first to last."""
        return [book for _, _, book, _ in self._filings]

    def meters_filed(self, seed: int) -> list[Meter]:
        """Return the progressive meters that the table's rules name, each with a random start of its own."""
        return [
            Meter(book.meter, book.chapter.key, paytable, Random(f"{seed}/{book.meter}"))
            for book in self.books
            if book.meter is not None and (paytable := book.offers["progressive"].paytable) is not None
        ]

    @property
    def deck(self) -> DeckAtTable:
        """The deck of the next round."""
        return self.decks[self.turn % len(self.decks)]

    def serial(self, kind: str) -> str:
        """Return the next token of a kind at this table."""
        number = self._serial.get(kind, 0) + 1
        self._serial[kind] = number
        return f"{kind}-{self.id[3:]}-{number:03d}"

    def device(self, source: str) -> str:
        """Return the token of one of the table's devices."""
        return f"{self.id}-{source}"

    def report(self, *payloads: Event, source: str | None = None) -> None:
        """Report events between rounds, one after the other."""
        for payload in payloads:
            device, least, most = DEVICES.get(payload.KIND, ("dealer", 500, 2000))
            self.now_us += self.random.randrange(least, most) * 1000
            self.group.append(self.stream.draft(self.device(source or device), payload, self.now_us, None))

    def take_group(self) -> Group:
        """Return the reports since the last call."""
        group, self.group = self.group, []
        return self.stream.name, group

    def wait(self, us: int) -> None:
        """Let time pass."""
        self.now_us += us

    def open_day(self, day: int, keep_dice: bool = False) -> None:
        """Open the table on a gaming day; `keep_dice` leaves yesterday's dice in the shaker."""
        random = self.random
        self.day = day
        self.now_us = max(self.now_us, self.calendar.cutover_us(day)) + random.randrange(5, 20) * MINUTE_US
        self.report(model.GamingDayOpened(gaming_day=self.calendar.gaming_day(day)))
        if day == 0:
            self._file(self._filings[0])
        self.book = self.book_on(day, self.editions)
        if day:
            self.count_drop(day - 1)
        self.report(model.InventoryCounted(kind="opener", amount_cents=self.inventory, by=self.floor, verified_by="c-1"))
        self.rotate()
        how = {"deal_method": self.spec.deal_method, "shuffler": self.spec.shuffler}
        self.report(fact(model.TableOpened, game=self.book.game, seats=self.book.chapter.numbers["seats"], **how))
        self.just_opened, self.first_seat, self.turn, self.rounds_today = True, 0, 0, 0
        self.old_dice = keep_dice and self.dice_us is not None
        if self.old_dice and self.dice_us is not None:
            self.wait(max(0, self.dice_us + 24 * HOUR_US + 2 * MINUTE_US - self.now_us))
        else:
            self.change_dice()
        self.decks = []
        new = [self._receive(COLOURS[i], preshuffled=False) for i in range(self.spec.decks)]
        for deck, jokers in new:
            self._inspect(deck, jokers)
        self.wait(random.randrange(2, 10) * MINUTE_US)
        self._arrive()
        self.first_seat = next(iter(self.seats))
        for deck, _ in new:
            self._spread(deck, self._witness())
            self._put_in_play(deck)
        while random.random() < 0.6 and len(self.seats) < 5:
            self._arrive()

    def file_later_rules(self) -> None:
        """File the rules of the next day, once; they are not in force yet."""
        if self.day == 0 and self._later_to_file:
            self._later_to_file = False
            for filing in self._filings[1:]:
                self._file(filing)

    def _file(self, filing: tuple[int, SimulatedFiling, Rulebook, str]) -> None:
        day, _, _, text = filing
        filed = {"submission": f"rs-{self.id}-{day + 1}", "effective_gaming_day": self.calendar.gaming_day(day), "toml": text}
        self.report(fact(model.RulesFiled, **filed, sha256=sha256(text.encode()).hexdigest()))

    def close_day(self) -> None:
        """Close the table: everyone leaves, cards and chips are counted away."""
        self.file_later_rules()
        self.restore_shuffler()
        for seat in list(self.seats):
            self._leave(seat)
        for deck in self.decks:
            self.report(model.DeckRemoved(deck=deck.id, reason="table_closed"))
        self.decks = []
        if self.inventory > RETURNED_ABOVE_CENTS:
            self._credit(RETURNED_CENTS)
        self.report(
            model.InventoryCounted(kind="closer", amount_cents=self.inventory, by=self.floor, verified_by=self.dealer),
            model.TableClosed(by=self.floor),
            model.DealerTappedOut(dealer=self.dealer),
        )
        self.dealer = ""

    def count_drop(self, day: int) -> None:
        """Report the count of a past day's drop box."""
        counted = {"gaming_day": self.calendar.gaming_day(day), "amount_cents": self.drop.get(day, 0)}
        self.report(fact(model.DropCounted, box=f"box-{self.id}", by="c-2", **counted), source=COUNT)

    def open_day_for_counting(self, day: int) -> None:
        """Open the day after the last, for the count of the last drop box only."""
        self.now_us = max(self.now_us, self.calendar.cutover_us(day)) + 5 * MINUTE_US
        self.report(model.GamingDayOpened(gaming_day=self.calendar.gaming_day(day)))
        self.count_drop(day - 1)

    def change_dice(self) -> None:
        """Put new dice into the shaker."""
        self.old_dice = False
        if not self.spec.has_dice:
            return
        if self.dice_us is not None:
            self.report(model.DiceRemoved(dice_set=f"dice-{self.id}-{self._serial['dice']}"))
        self._serial["dice"] = self._serial.get("dice", 0) + 1
        self.report(model.DiceReceived(dice_set=f"dice-{self.id}-{self._serial['dice']}"))
        self.dice_us = self.now_us

    def throw(self, random: Random) -> list[int]:
        """Return the values of three dice; a worn one shows a six more often than it should."""
        dice = [random.randrange(1, 7) for _ in range(3)]
        if self.worn and random.random() < self.worn:
            dice[0] = 6
        return dice

    def _receive(self, color: str, preshuffled: bool, jokers: int | None = None) -> tuple[str, int]:
        deck = self.serial("deck")
        jokers = jokers or self.random.choice((1, 2))
        self.report(model.DeckReceived(deck=deck, back_colour=color, jokers=jokers, preshuffled=preshuffled))
        return deck, jokers

    def _inspect(self, deck: str, jokers: int, without: Collection[str] = ()) -> None:
        """Inspect a deck and leave one joker in it; `without` names omitted steps."""
        verifier = None if "verified" in without else self.floor
        if "inspect" not in without:
            self.report(model.DeckInspected(deck=deck, by=self.dealer, verified_by=verifier))
        if jokers == 2 and "joker" not in without:
            witness = None if "witness" in without else self.floor
            self.report(model.JokerDestroyed(deck=deck, by=self.dealer, witnessed_by=witness))

    def _spread(self, deck: str, by: str | None, without: Collection[str] = ()) -> None:
        if "spread" not in without:
            self.report(model.CardsSpread(deck=deck, face_up="face_up" not in without, inspected_by=by))
        if "wash" not in without:
            self.report(model.CardsWashed(deck=deck))

    def _put_in_play(self, deck: str, preshuffled: bool = False, at: int | None = None) -> None:
        self.report(model.DeckInPlay(deck=deck))
        color = COLOURS[(at if at is not None else len(self.decks)) % 2]
        in_play = DeckAtTable(deck, color, self.now_us, dirty=not preshuffled)
        if at is None:
            self.decks.append(in_play)
        else:
            self.decks[at] = in_play
        if preshuffled and self.cuts_preshuffled:
            self.uncut.add(deck)
        if in_play.dirty and not self.by_hand:
            self.shuffle(in_play)

    def shuffle(self, deck: DeckAtTable) -> None:
        """Shuffle a deck by machine between rounds: it needs no cut then."""
        self.report(self.shuffled(deck))
        deck.dirty = False
        self.uncut.discard(deck.id)

    def shuffled(self, deck: DeckAtTable) -> model.CardsShuffled:
        """The event of a machine's shuffle, with the count of cards if it counts."""
        count = 53 if self.spec.shuffler == "automated_counting" else None
        return model.CardsShuffled(deck=deck.id, method="automated", count=count)

    def change_deck(
        self,
        at: int,
        reason: Literal["changed", "incorrect_count"] = "changed",
        preshuffled: bool = False,
        jokers: int | None = None,
        without: Collection[str] = (),
        color: str = "",
    ) -> None:
        """Replace a deck with a new one, of the same or another color; `without` names omitted steps."""
        old = self.decks[at]
        new, jokers = self._receive(color or old.color, preshuffled, jokers)
        self._look_over(new, jokers, preshuffled, without)
        self.report(model.DeckRemoved(deck=old.id, reason=reason))
        self._put_in_play(new, preshuffled, at)
        if color:
            self.decks[at].color = color

    def _look_over(self, deck: str, jokers: int, preshuffled: bool, without: Collection[str]) -> None:
        """Inspect a new deck and spread it; of a preshuffled one, only an extra joker is destroyed."""
        if not preshuffled:
            self._inspect(deck, jokers, without)
            self._spread(deck, self._witness(), without)
        elif jokers == 2:
            self.report(model.JokerDestroyed(deck=deck, by=self.dealer, witnessed_by=self.floor))

    def _witness(self) -> str | None:
        """The patron who sees a deck spread, if one is seated."""
        return next((patron.token for patron in self.seats.values()), None)

    def decks_due(self, ahead_us: int) -> bool:
        """Return whether a deck change is due within a time."""
        limit = self.deck_limit_us - CHANGE_MARGIN_US - ahead_us
        return any(self.now_us - deck.in_play_us > limit for deck in self.decks)

    def change_old_decks(self) -> None:
        """Change every deck whose time is nearly up."""
        for at, deck in enumerate(self.decks):
            if self.now_us - deck.in_play_us > self.deck_limit_us - CHANGE_MARGIN_US:
                self.change_deck(at, preshuffled=self.random.random() < 0.3)

    def fail_shuffler(self, rounds: int, covered: bool = True) -> None:
        """Break the shuffler for some rounds, covered or not; cards are shuffled by hand meanwhile."""
        self.report(model.DeviceFailed(device="shuffler", fault="inoperative"))
        if covered:
            self.report(model.DeviceCovered(device="shuffler", how=self.random.choice(("cover", "sign"))))
        self.shuffler_out, self.out_rounds = True, rounds
        for deck in self.decks:
            deck.dirty = True

    def restore_shuffler(self) -> None:
        """Repair the shuffler."""
        if not self.shuffler_out:
            return
        self.report(model.DeviceRestored(device="shuffler"))
        self.shuffler_out, self.out_rounds = False, 0
        for deck in self.decks:
            deck.dirty = True

    def _arrive(self) -> None:
        free = [seat for seat in self.book.chapter.seats if seat not in self.seats]
        if not free:
            return
        patron, seat = self.people.patron(), self.random.choice(free)
        self.seat_patron(seat, patron)
        if self.spec.adjacent_boxes and seat + 1 in free and self.random.random() < 0.35:
            self.take_box_beside(seat)

    def take_box_beside(self, seat: int) -> None:
        """Give a patron the next seat too."""
        self.seats[seat + 1] = self.seats[seat]
        self.report(fact(model.PatronSeated, seat=seat + 1, patron=self.seats[seat].token))

    def seat_patron(self, seat: int, patron: Patron) -> None:
        """Seat a patron, who buys in."""
        self.seats[seat] = patron
        self.report(fact(model.PatronSeated, seat=seat, patron=patron.token))
        self.buy_in(seat)

    def buy_in(self, seat: int) -> None:
        """Have a patron buy chips: mostly for cash, sometimes a voucher or a marker; the drop box's count includes all."""
        patron, random = self.seats[seat], self.random
        least = self.book.offers[self.book.chapter.base].min_cents
        amount = patron.units * least * random.randrange(8, 30) // 10_000 * 10_000 + 20_000
        roll = random.random()
        if roll < 0.06:
            document = self.serial("marker")
            self.report(
                fact(model.MarkerIssued, seat=seat, patron=patron.token, amount_cents=amount, document=document),
                fact(model.BuyIn, seat=seat, patron=patron.token, amount_cents=amount, form="marker"),
            )
        else:
            form = "voucher" if roll < 0.12 else "cash"
            self.report(fact(model.BuyIn, seat=seat, patron=patron.token, amount_cents=amount, form=form))
        self.inventory -= amount
        self.drop[self.day] = self.drop.get(self.day, 0) + amount

    def _leave(self, seat: int) -> None:
        patron = self.seats.pop(seat)
        self.report(fact(model.PatronLeft, seat=seat, patron=patron.token))

    def leave_with_boxes(self, seat: int) -> None:
        """Have a patron leave all boxes held."""
        token = self.seats[seat].token
        for held in [s for s, patron in self.seats.items() if patron.token == token]:
            self._leave(held)

    def idle(self, us: int, without: Collection[str] = ()) -> None:
        """Have the last patron leave and, after a time, another arrive, for whom the cards are spread again."""
        for seat in list(self.seats):
            self._leave(seat)
        self.wait(us)
        self.rotate()
        self.change_old_decks()
        self._arrive()
        self.was_idle, self.first_seat = True, next(iter(self.seats))
        self._spread_again(without)

    def _spread_again(self, without: Collection[str]) -> None:
        """Spread the cards, and wash them if that is due.

        The used deck goes into the shuffler; the deck from the shuffler comes into play (§ 688a.5(g)).
        """
        used = self.decks[(self.turn - 1) % len(self.decks)]
        washed = self.by_hand or not self.book.has("5(g)(2)")
        self._spread_used(used, without if washed else {*without, "wash"})
        if self.by_hand:
            used.dirty = True
        else:
            self.shuffle(used)

    def _spread_used(self, deck: DeckAtTable, without: Collection[str]) -> None:
        """Spread used cards, either way up."""
        face_up = self.random.random() < 0.5
        self._spread(deck.id, self._witness(), without if face_up else {*without, "face_up"})

    def come_and_go(self) -> None:
        """Have patrons leave, arrive and buy more chips."""
        random = self.random
        for seat in list(self.seats):
            if seat in self.seats and random.random() < 0.012:
                if len({patron.token for patron in self.seats.values()}) == 1:
                    self.idle(random.randrange(4, 25) * MINUTE_US)
                    return
                self.leave_with_boxes(seat)
        if random.random() < 0.02:
            self._sizes = random.choice((2, 3, 4, 4, 5, 6))
        if len(self.seats) < self._sizes and random.random() < 0.2:
            self._arrive()
        if random.random() < 0.04:
            self.buy_in(random.choice(list(self.seats)))

    def rotate(self) -> None:
        """Change dealer and shift if their time has come."""
        dealer = dealer_at(self.index, self.tables, self.now_us)
        if dealer != self.dealer:
            if self.dealer:
                self.report(model.DealerTappedOut(dealer=self.dealer))
            self.dealer = dealer
            self.report(model.DealerTappedIn(dealer=dealer))
        shift = shift_at(self.now_us - self.calendar.cutover_us(self.day))
        if shift != self.shift:
            self.shift = shift
            self.report(model.ShiftChanged(shift=shift))

    def balance(self) -> None:
        """Fill or credit the table inventory if it ran low or high."""
        if self.inventory < LOW_CENTS:
            self.report(model.FillReceived(amount_cents=MOVED_CENTS, slip=self.serial("fill"), by="c-1"))
            self.inventory += MOVED_CENTS
        elif self.inventory > HIGH_CENTS:
            self._credit(MOVED_CENTS)

    def _credit(self, amount_cents: int) -> None:
        self.report(model.CreditSent(amount_cents=amount_cents, slip=self.serial("credit"), by="c-1"))
        self.inventory -= amount_cents

    def between_rounds(self) -> None:
        """Do everything between two rounds."""
        self.wait(self.random.randrange(2, 8) * SECOND_US)
        if self.shuffler_out:
            self.out_rounds -= 1
            if self.out_rounds < 0:
                self.restore_shuffler()
        self.rotate()
        self.balance()
        self.come_and_go()
        self.change_old_decks()
        if self.dice_us is not None and not self.old_dice and self.now_us - self.dice_us > DICE_CHANGED_US:
            self.change_dice()

    def note_loss(self, script: Script) -> None:
        """Record whether messages of a round were lost, and what is then unknown."""
        self.lost = any(step.counter_jump > 0 for step in script)
        read = any(isinstance(step.payload, model.ProgressiveAccepted) for step in script)
        self.meter_read = not self.lost and (self.meter_read or read)

    def book_round(self, script: Script) -> None:
        """Add a round's changes to the table inventory."""
        for step in script.steps:
            if step.meter is None:
                self.inventory += inventory_change(step.truth or step.payload, self.book)

    def end_round(self, deck: DeckAtTable) -> None:
        """End the round: its deck needs a shuffle, and the other deck is next."""
        self.round_no += 1
        self.rounds_today += 1
        deck.dirty = True
        if self.wrong_stub:
            self.wrong_stub = False
            self.change_deck(self.turn % len(self.decks), "incorrect_count")
        self.turn += 1
        self.just_opened = False
