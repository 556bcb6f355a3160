"""Each event in one sentence, for pages, packets and commands. Pure.

Invariant: a sentence says what was recorded, right or wrong, and judges nothing. It names who acted, in the present or the simple
past, without names of the wire; typed text is quoted unchanged. An action in a review is a predicate without its person: a
review's history shows the two separately.
"""

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any, Final

import msgspec

from events.vocabulary import model
from events.vocabulary.model import REGISTRY, Event
from replay.narrative.names import (
    balance,
    capitalized,
    cards_short,
    day_words,
    game_name,
    heading,
    identified,
    listed,
    moment,
    plain,
    plural,
    position_phrase,
    table_name,
    wager_name,
    wager_with_number,
)
from replay.narrative.reviews import DISPOSITIONS, INVESTIGATION_OUTCOMES, OUTCOMES

Money = Callable[[int], str]
"""Writes integer cents in the property's currency."""

Sentence = Callable[[Any, Money], str]


def sentence(event: Event, currency: str = "") -> str:
    """Return an event in one sentence, without a period, with amounts in a currency (ISO 4217).

    >>> sentence(model.TotalAnnounced(total=8))
    'The dealer announced a total of 8'
    """
    money: Money = partial(balance, currency=currency)
    stated: Any = event
    if event.KIND in PREDICATES:
        return f"{stated.by} {PREDICATES[event.KIND](event, money)}"
    return capitalized(SENTENCES[event.KIND](event, money))


def sentence_of(type_: str, payload: Mapping[str, Any], currency: str = "") -> str:
    """Return the sentence of an event whose payload was read as plain values.

    An event that this version has no type for, or whose payload is of a later version, is named by its type.

    >>> sentence_of("total_announced", {"total": 8}), sentence_of("something_new", {})
    ('The dealer announced a total of 8', 'Something new')
    """
    version = 1
    while (type_, version) in REGISTRY:
        version += 1
    for older in range(version - 1, 0, -1):
        try:
            return sentence(msgspec.convert(payload, REGISTRY[type_, older], strict=True), currency)
        except msgspec.ValidationError:
            continue  # of an older version, perhaps
    return heading(type_)


def predicate(event: Event, currency: str = "") -> str:
    """Return a person's action in a review, without the person; for other events, the sentence.

    Amounts have no symbol if no currency is given.

    >>> predicate(model.FindingNoted(by="ann", finding_id="0" * 32, note="called the cage"))
    'noted: called the cage'
    """
    say = PREDICATES.get(event.KIND)
    return sentence(event, currency) if say is None else say(event, partial(balance, currency=currency))


# ------------------------------------------------------------------------------------------------ parts of the sentences


def _day(day: str) -> str:
    """Return a day of the record in words; an invalid day is returned unchanged."""
    try:
        return day_words(date.fromisoformat(day))
    except ValueError:
        return day


def _by(e: Any) -> str:
    return table_name(e.by)


def _on(e: Any) -> str:
    """Return the wager that an event is about, with the number it was placed on."""
    return f"the {wager_with_number(e.wager, e.number)}"


def _card(card: str | None) -> str:
    return "an unread card" if card is None else cards_short([card])


def _reading(centicents: int, money: Money) -> str:
    return money((abs(centicents) // 100) * (-1 if centicents < 0 else 1))


def _percent(share_bp: int) -> str:
    return f"{share_bp / 100:g} %"


def _signing_key(text: str) -> str:
    """Return a public key's name and id, without the key itself."""
    return text.rpartition("+")[0]


def _hand_of(position: int | str) -> str:
    return f"the hand of {position_phrase(position)}"


DEALING: Final = {
    "manual_shoe": "dealt from a manual shoe",
    "hand": "dealt by hand",
    "automated_shoe": "dealt from an automated shoe",
}
SHUFFLING: Final = {
    "none": "shuffled by hand",
    "automated": "an automated shuffler",
    "automated_counting": "an automated shuffler that counts",
    "continuous": "a continuous shuffler",
}
FAULTS: Final = {
    "jam": "jammed",
    "stopped": "stopped",
    "incomplete": "did not complete its cycle",
    "inoperative": "became inoperative",
}
ALARMS: Final = {
    "red_light": "showed its red light",
    "sound": "sounded its alarm",
    "message": "displayed an error",
    "other": "signaled that something is wrong",
}
VOIDED: Final = {
    "wrong_start": "wrong starting position",
    "wrong_count": "wrong card count",
    "stub_count": "wrong stub count",
    "face_up_cards": "cards found face up",
    "exposed_stack": "exposed stack",
    "device_failed": "device failure",
    "exposed_card": "exposed card",
    "floor_decision": "floor decision",
    "exposed_dealer": "exposed card of the dealer",
}
"""The grounds on which a round or a hand was declared void."""
REASONS: Final = {
    "foul": "foul hand",
    "other": "other reason",
    "uncovered": "not covered by the player-dealer",
    "incorrect_count": "wrong card count",
    "house_way": "to follow the house way",
    "device_failed": "device failure",
}
"""Reasons that are not just the words of the wire."""
BURNED: Final = {"new_shoe": "for a new shoe", "new_dealer": "for a new dealer", "reshuffle": "after a reshuffle"}
RESULTS: Final = {"win": "a win", "lose": "a loss", "tie": "a tie"}
DECIDED: Final = {"raise": "raised", "fold": "folded", "over": "chose over", "under": "chose under"}
WAGER_FORMS: Final = {
    "chips": "",
    "plaque": " with a plaque",
    "instrument": " with a gaming instrument",
    "cash": " in cash",
    "verbal": " verbally",
}
BUY_IN_FORMS: Final = {"cash": "in cash", "voucher": "with a voucher", "marker": "on a marker"}


def _reason(reason: str) -> str:
    return REASONS.get(reason) or plain(reason)


def _shaken(e: model.ShakerShaken, money: Money) -> str:
    how = "The dealer shook the dice " + plural(e.times, "time") if e.times is not None else "The dice were shaken"
    if e.times is None and e.duration_ms is not None:
        how = f"The shaker shook the dice for {e.duration_ms / 1000:.1f} s"
    return how if e.covered else f"{how}, uncovered"


def _foreign(e: model.ForeignCardFound, money: Money) -> str:
    at = f"in the {e.found}" if e.found in ("deck", "stub") else f"at {position_phrase(e.found)}"
    kind = "that the deck does not have" if e.back_colour is None else f"with a {e.back_colour} back"
    return f"{_card(e.card)} {kind} was found {at}, in {identified('deck', e.deck)}"


def _rolled(e: model.DiceRolled, money: Money) -> str:
    dice = ["?" if die is None else str(die) for die in e.dice]
    if e.colours is not None:
        dice = [f"{color} {die}" for color, die in zip(e.colours, dice, strict=True)]
    lie = {"flat": "", "not_flat": ", and did not lie flat", "fell_out": ", and a die fell out"}[e.lie]
    return f"the dice showed {listed(dice)}{lie}"


def _dealt(e: model.CardsDealt, money: Money) -> str:
    side = ", face up" if e.face_up else ""
    if e.to == "burn":
        return f"the dealer burned {cards_short(e.cards)}{side}"
    to = "the side" if e.to == "side" else position_phrase(e.to)
    return f"the dealer dealt {cards_short(e.cards)} to {to}{side}"


def _set(e: model.HandSet | model.HandReset, money: Money) -> str:
    hands = "; ".join(
        f"{name} {cards_short(cards)}" for name, cards in (("high", e.high), ("medium", e.medium), ("low", e.low)) if cards
    )
    own = e.by == "dealer" if e.position == "dealer" else e.by == "player"
    who = position_phrase(e.position) if own else f"the {e.by}"
    whose = "the hand" if own else _hand_of(e.position)
    again = f" again ({_reason(e.reason)})" if isinstance(e, model.HandReset) else ""
    return f"{who} set {whose}{again}: {hands}" if hands else f"{who} set {whose}{again}"


def _paid(e: model.WagerPaid, money: Money) -> str:
    who = "the player-dealer" if e.source == "player_dealer" else "the dealer"
    slip = " by slip" if e.source == "slip" else ""
    stake = f", and returned the {money(e.stake_cents)} stake" if e.stake_cents else ""
    return f"{who} paid seat {e.seat} {money(e.winnings_cents)} on {_on(e)}{slip}{stake}"


def _collected(e: model.CardsCollected, money: Money) -> str:
    of = {"all": "", "stub": " of the stub", "aside": " that lay aside"}.get(str(e.of), f" of {position_phrase(e.of)}")
    counted = "" if e.counted is None else f", {e.counted} by the dealer's count"
    return f"the dealer collected {plural(e.count, 'card')}{of} into the discard rack{counted}"


def _voided(e: model.RoundVoided, money: Money) -> str:
    what = "round" if e.scope == "round" else f"hand of seat {e.scope}"
    return f"the {what} was declared void: {VOIDED[e.reason]}"


def _shuffled(e: model.CardsShuffled, money: Money) -> str:
    how = {"manual": "the dealer shuffled {} by hand", "automated": "the shuffler shuffled {}"}.get(
        e.method, "the continuous shuffler shuffled {}"
    )
    counted = "" if e.count is None else f" and counted {plural(e.count, 'card')}"
    return how.format(identified("deck", e.deck)) + counted


def _corrected(e: model.EventCorrected, money: Money) -> str:
    if e.replacement is None:
        return f"{_by(e)} struck event {e.supersedes_seq}, which never happened: {e.reason}"
    return f"{_by(e)} corrected event {e.supersedes_seq} ({e.reason}): {_whole(e.replacement, money)}"


def _whole(event: model.Replacement, money: Money) -> str:
    """The sentence of an event within another."""
    cls = REGISTRY[event.type, event.version]
    return capitalized(SENTENCES[cls.KIND](msgspec.convert(event.payload, cls, strict=True), money))


def _clock_and_file(e: model.VideoMarked | model.VideoMarked2) -> str:
    if isinstance(e, model.VideoMarked):
        return ""
    ahead = e.clock_offset_ms
    clock = (
        ""
        if ahead is None
        else f", {abs(ahead) / 1e3:.1f} s {'behind' if ahead < 0 else 'ahead'}"
        if ahead
        else ", which is right"
    )
    return clock + ("" if e.digest is None else f" (file with SHA-256 {e.digest})")


def _resolved(e: model.FindingResolved, money: Money) -> str:
    did = "gave the second signature" if e.signs is not None else "resolved the finding"
    moved = "" if e.amount_cents is None else f", {money(e.amount_cents)}"
    other = "" if e.duplicate_of is None else f" ({e.duplicate_of[:8]})"
    return f"{did}: {DISPOSITIONS[e.disposition]}{moved}{other}: {e.reason}"


def _verified(who: str | None, verb: str) -> str:
    return f", and no one {verb} it" if who is None else f", {verb} by {table_name(who)}"


def _second(e: Any) -> str:
    return _verified(e.verified_by, "verified") if e.VERSION > 1 else ""


# ---------------------------------------------------------------------------------------------------------- the sentences

SENTENCES: Final[Mapping[type[Event], Sentence]] = {
    # the property
    model.PropertyConfigured: lambda e, m: (
        f"the property {e.name} keeps {plain(e.time_zone)} time and "
        f"{e.currency}, and starts its gaming day at {e.gaming_day_cutover}"
    ),
    model.PropertyApplied: lambda e, m: (
        f"{_by(e)} applied the property's file (SHA-256 {e.sha256}), by which "
        + ("only the office files rules" if e.only_office_files else "devices file rules, too")
    ),
    model.GamingDayOpened: lambda e, m: f"gaming day {_day(e.gaming_day)} began",
    model.ShiftChanged: lambda e, m: f"the {e.shift} shift began",
    model.RulesFiled: lambda e, m: (
        f"the property filed rules submission {e.submission}, effective {_day(e.effective_gaming_day)} (SHA-256 {e.sha256})"
    ),
    model.ChapterPublished: lambda e, m: (
        f"{_by(e)} and {table_name(e.signed_by)} published edition {e.edition} of {e.chapter}, "
        f"in force from {e.effective_gaming_day}"
    ),
    model.VerdictsAdopted: lambda e, m: (
        f"{_by(e)} and {table_name(e.signed_by)} adopted the verdicts of {e.shadow} (engine {e.engine}; "
        f"{e.changed:,} changed): {e.reason}"
    ),
    model.FilingSigned: lambda e, m: f"{_by(e)} signed the filing of rules that is event {e.signs}",
    model.EntryInitialed: lambda e, m: f"{_by(e)} initialed the entry that is event {e.entry}",
    model.KeyPublished: lambda e, m: f"{_by(e)} published the signing key {_signing_key(e.public_key)}",
    model.KeyRetired: lambda e, m: f"{_by(e)} retired the signing key {_signing_key(e.public_key)}: {e.reason}",
    # the table between and around its rounds
    model.TableOpened: lambda e, m: (
        f"the table opened for {game_name(e.game)}: {plural(e.seats, 'seat')}, {DEALING[e.deal_method]}, {SHUFFLING[e.shuffler]}"
    ),
    model.TableClosed: lambda e, m: f"{_by(e)} closed the table",
    model.InventoryCounted: lambda e, m: (
        f"{_by(e)} counted the table inventory at {m(e.amount_cents)} as {e.kind}{_verified(e.verified_by, 'verified')}"
    ),
    model.DealerTappedIn: lambda e, m: f"dealer {table_name(e.dealer)} tapped in",
    model.DealerTappedOut: lambda e, m: f"dealer {table_name(e.dealer)} tapped out",
    model.DeckReceived: lambda e, m: (
        f"the table received {identified('deck', e.deck)}: back {e.back_colour}, {plural(e.jokers, 'joker')}"
        + (", preshuffled" if e.preshuffled else "")
    ),
    model.DeckInspected: lambda e, m: f"{_by(e)} inspected {identified('deck', e.deck)}{_verified(e.verified_by, 'verified')}",
    model.JokerDestroyed: lambda e, m: (
        f"{_by(e)} destroyed the second joker of {identified('deck', e.deck)}{_verified(e.witnessed_by, 'witnessed')}"
    ),
    model.DeckInPlay: lambda e, m: f"{identified('deck', e.deck)} went into play",
    model.DeckRemoved: lambda e, m: f"{identified('deck', e.deck)} left the table: {_reason(e.reason)}",
    model.CardsSpread: lambda e, m: (
        f"the dealer spread {identified('deck', e.deck)} "
        f"{'face up' if e.face_up else 'face down'}{_verified(e.inspected_by, 'inspected')}"
    ),
    model.CardsWashed: lambda e, m: f"the dealer washed {identified('deck', e.deck)}",
    model.DiceReceived: lambda e, m: f"{identified('dice set', e.dice_set)} went into the shaker",
    model.DiceRemoved: lambda e, m: f"{identified('dice set', e.dice_set)} left the table",
    model.PatronSeated: lambda e, m: f"patron {table_name(e.patron)} took seat {e.seat}",
    model.PatronLeft: lambda e, m: f"patron {table_name(e.patron)} left seat {e.seat}",
    model.PatronBarred: lambda e, m: f"patron {table_name(e.patron)} was barred from wagering: {plain(e.reason)}",
    model.BuyIn: lambda e, m: f"seat {e.seat} bought in for {m(e.amount_cents)} {BUY_IN_FORMS[e.form]}",
    model.MarkerIssued: lambda e, m: f"seat {e.seat} was issued {identified('marker', e.document)} for {m(e.amount_cents)}",
    model.FillReceived: lambda e, m: (
        f"{_by(e)} received a fill of {m(e.amount_cents)} on {identified('slip', e.slip)}{_second(e)}"
    ),
    model.CreditSent: lambda e, m: f"{_by(e)} sent a credit of {m(e.amount_cents)} on {identified('slip', e.slip)}{_second(e)}",
    model.DropCounted: lambda e, m: (
        f"{_by(e)} counted {m(e.amount_cents)} in {identified('drop box', e.box)} of gaming day {_day(e.gaming_day)}"
    ),
    model.DeviceFailed: lambda e, m: f"the {plain(e.device)} {FAULTS[e.fault]}",
    model.DeviceAlarmed: lambda e, m: f"the {plain(e.device)} {ALARMS[e.alarm]}",
    model.ForeignCardFound: _foreign,
    model.DeviceCovered: lambda e, m: (
        f"the {plain(e.device)} was {'covered' if e.how == 'cover' else 'marked with a sign'} as out of order"
    ),
    model.DeviceRestored: lambda e, m: f"the {plain(e.device)} returned to service",
    model.IntakeRefused: lambda e, m: f"intake refused input of {plural(e.size, 'byte')}: {e.reason}",
    # meters
    model.MeterSet: lambda e, m: (
        f"the controller set the meter to {_reading(e.value_centicents, m)}, "
        f"seed {m(e.seed_cents)}, rate {_percent(e.rate_bp)}: {e.reason}"
    ),
    model.MeterAdvanced: lambda e, m: (
        f"the {m(e.wager_cents)} wager of seat {e.seat} at {table_name(e.table)} in "
        f"round {e.round_no:,} advanced the meter to {_reading(e.value_centicents, m)}"
    ),
    model.MeterReset: lambda e, m: (
        f"seat {e.seat} at {table_name(e.table)} in round {e.round_no:,} took {_percent(e.share_bp)} of "
        f"the meter, {_reading(e.paid_centicents, m)}; it then read {_reading(e.value_centicents, m)}"
    ),
    model.MysteryArmed: lambda e, m: (
        f"the controller drew a Must-Hit-By target between {m(e.minimum_cents)} and {m(e.maximum_cents)}"
    ),
    model.MysteryHit: lambda e, m: (
        f"seat {e.seat} at {table_name(e.table)} in round {e.round_no:,} "
        f"hit the Must-Hit-By bonus at {_reading(e.reading_centicents, m)}"
    ),
    # shuffle, cut, start
    model.RoundOpened: lambda e, m: f"the round began with {identified('deck', e.deck)}",
    model.CardsShuffled: _shuffled,
    model.CutOffered: lambda e, m: (
        f"the dealer offered the cut to seat {e.seat}, which {'accepted' if e.accepted else 'declined'}"
    ),
    model.CardsCut: lambda e, m: f"{position_phrase(e.by)} cut the cards {plural(e.depth, 'card')} from the {e.counted_from}",
    model.RecutOrdered: lambda e, m: f"{_by(e)} ordered a recut",
    model.CardBurned: lambda e, m: f"the dealer burned {_card(e.card)} {BURNED[e.reason]}",
    model.CoverCardPlaced: lambda e, m: f"the dealer placed the cover card {plural(e.depth, 'card')} from the {e.counted_from}",
    model.CoverCardReached: lambda e, m: (
        "the cover card came first in the round" if e.at == "start" else f"the cover card came out at {position_phrase(e.at)}"
    ),
    model.ShakerActivated: lambda e, m: f"seat {e.seat} activated the shaker",
    model.ShakerShaken: _shaken,
    model.DiceRolled: _rolled,
    model.DiceAnnounced: lambda e, m: f"the dealer announced the dice as {listed(map(str, e.dice))}",
    model.TotalAnnounced: lambda e, m: f"the dealer announced a total of {e.total}",
    model.NumberDrawn: lambda e, m: f"the random number generator drew {e.number}",
    model.StartAnnounced: lambda e, m: f"the dealer announced the first card to {position_phrase(e.position)}",
    model.ShakerCovered: lambda e, m: (
        "the dealer covered the shaker" + ("" if e.placed_right_of_dealer else ", but did not place it to the right")
    ),
    # wagering
    model.WagerPlaced: lambda e, m: f"seat {e.seat} wagered {m(e.amount_cents)} on {_on(e)}{WAGER_FORMS[e.form]}",
    model.WagerRemoved: lambda e, m: f"seat {e.seat} withdrew {m(e.amount_cents)} from {_on(e)}",
    model.WagerRefused: lambda e, m: f"the dealer refused seat {e.seat} {m(e.amount_cents)} on {_on(e)}: {e.reason}",
    model.WagerHandled: lambda e, m: f"seat {e.seat} handled the {wager_name(e.wager)} before it was decided",
    model.NoMoreBets: lambda e, m: f"the {e.announced_by} announced no more bets",
    model.ProgressiveLocked: lambda e, m: (
        f"the progressive locked with {plural(e.accepted, 'wager')} accepted; the dealer collected {plural(e.collected, 'chip')}"
    ),
    model.ProgressiveAccepted: lambda e, m: (
        f"the progressive system accepted {m(e.amount_cents)} from seat "
        f"{e.seat}; the meter read {_reading(e.reading_centicents, m)}"
    ),
    model.LammerPlaced: lambda e, m: f"the dealer placed an Envy lammer at seat {e.seat} for the {wager_name(e.wager)}",
    # the player-dealer
    model.PlayerDealerOffered: lambda e, m: (
        f"the dealer offered the player-dealer position to seat {e.seat}, which {'accepted' if e.accepted else 'declined'}"
    ),
    model.PlayerDealerWagered: lambda e, m: f"seat {e.seat} took the player-dealer position with {m(e.amount_cents)}",
    model.ActionButtonPlaced: lambda e, m: f"the dealer placed the action button at seat {e.seat}",
    model.PileSelected: lambda e, m: f"the player-dealer selected {position_phrase(e.pile)}",
    model.CollectionTaken: lambda e, m: f"the dealer took a collection fee of {m(e.amount_cents)} from seat {e.seat}",
    # the deal
    model.CardsDealt: _dealt,
    model.CardDrawnInError: lambda e, m: f"the dealer drew {_card(e.card)} in error",
    model.CardExposed: lambda e, m: (
        f"{'the dealer' if e.by == 'dealer' else f'a {e.by}'} exposed {_card(e.card)} of {position_phrase(e.whose)}"
    ),
    model.CardFoundFaceUp: lambda e, m: f"the dealer found {_card(e.card)} face up",
    model.BoxedCardFound: lambda e, m: (
        f"the dealer found {_card(e.card)} the wrong way in the deck, not face up, and {'used it' if e.used else 'set it aside'}"
    ),
    model.StackMoved: lambda e, m: f"the dealer moved the cards at {position_phrase(e.at)} to {position_phrase(e.to)}",
    model.HandElected: lambda e, m: f"seat {e.seat} elected to {'play out' if e.election == 'play' else 'void'} the hand",
    model.StubCounted: lambda e, m: (
        f"the dealer counted {plural(e.count, 'card')} in the stub" + (f", {e.exposed} of them exposed" if e.exposed else "")
    ),
    # hands and results
    model.HandExamined: lambda e, m: f"seat {e.seat} examined the hand",
    model.HandSet: _set,
    model.HandReset: _set,
    model.DecisionMade: lambda e, m: f"seat {e.seat} {DECIDED[e.decision]}",
    model.Surrendered: lambda e, m: f"seat {e.seat} surrendered",
    model.HandRevealed: lambda e, m: f"the dealer revealed {_hand_of(e.position)}",
    model.ResultAnnounced: lambda e, m: f"the dealer announced {RESULTS[e.result]} on the {wager_name(e.wager)} of seat {e.seat}",
    model.EnvyAcknowledged: lambda e, m: f"the dealer acknowledged an Envy hand at seat {e.seat}",
    model.LightSeen: lambda e, m: f"the progressive light of seat {e.seat} came on",
    # the settlement
    model.WagerTaken: lambda e, m: f"the dealer took {m(e.amount_cents)} of {_on(e)} from seat {e.seat} ({_reason(e.reason)})",
    model.WagerPaid: _paid,
    model.WagerReturned: lambda e, m: (
        f"the dealer returned {m(e.amount_cents)} of {_on(e)} to seat {e.seat} ({_reason(e.reason)})"
    ),
    model.WagerAbandoned: lambda e, m: f"seat {e.seat} abandoned its wagers",
    model.VigorishTaken: lambda e, m: f"the dealer took a vigorish of {m(e.amount_cents)} from seat {e.seat}",
    model.EnvyPaid: lambda e, m: (
        f"the dealer paid seat {e.seat} an Envy Bonus of {m(e.amount_cents)} "
        f"on the {wager_name(e.wager)} for {_hand_of(e.for_position)}"
    ),
    model.ProgressiveWon: lambda e, m: (
        f"seat {e.seat} won {_percent(e.share_bp)} of the meter at {_reading(e.reading_centicents, m)}"
    ),
    model.PayoutValidated: lambda e, m: f"{plain(e.role)} {_by(e)} validated the {wager_name(e.wager)} payout of seat {e.seat}",
    model.PayoutDocumented: lambda e, m: (
        f"the {wager_name(e.wager)} payout of {m(e.amount_cents)} to seat {e.seat} was documented on {e.document}"
    ),
    model.CardsCollected: _collected,
    model.RoundVoided: _voided,
    model.RoundClosed: lambda e, m: f"{_by(e)} closed the round",
    # corrections
    model.EventCorrected: _corrected,
}
"""Event → its sentence, without its capital."""


def _dispute_closed(e: model.DisputeClosed | model.DisputeClosed2, m: Money) -> str:
    if isinstance(e, model.DisputeClosed) or e.override is None:
        return f"closed dispute {e.dispute}, {OUTCOMES[e.outcome]}: {e.reason}"
    if e.signs is not None:
        return f"signed the decision of dispute {e.dispute} too, {OUTCOMES[e.outcome]} against the record: {e.reason}"
    return (
        f"decided dispute {e.dispute} against the record, {OUTCOMES[e.outcome]}, for a second person to sign: {e.reason}; "
        f"against the record because {e.override}"
    )


def _observation_opened(e: model.ObservationOpened, m: Money) -> str:
    watched = f" of dealer {e.dealer}" if e.dealer else ""
    selected = {"random": "selected at random", "systematic": "selected by a system", "for_cause": "selected for cause"}
    return (
        f"opened observation {e.observation}, a {plain(e.purpose)}{watched}, with {plural(e.planned, 'round')} planned, "
        f"{selected[e.selection]}"
    )


def _round_observed(e: model.RoundObserved, m: Money) -> str:
    camera = f" of camera {e.camera}" if e.camera else ""
    source = {"live": "seen live", "video": f"seen on video{camera}", "paper": "taken from paper"}[e.basis]
    of = f" for observation {e.observation}" if e.observation else ""
    same = f", the same as round {e.same_as.round_no} of {e.same_as.stream}" if e.same_as else ""
    order = "" if e.order_seen else "; the order was not seen"
    return f"entered a round of {_day(e.played_gaming_day)}, {source}{of}{same}{order}"


PREDICATES: Final[Mapping[type[Event], Sentence]] = {
    model.VideoMarked: lambda e, m: (
        f"marked {(e.ends_us - e.starts_us) / 1e6:.0f} s of video of {identified('camera', e.camera)} "
        f"from {moment(e.starts_us, None):%Y-%m-%d %H:%M:%S} UTC by its clock{_clock_and_file(e)}: {e.reason}"
    ),
    model.FindingAssigned: lambda e, m: f"assigned the finding to {e.to}: {e.reason}",
    model.FindingNoted: lambda e, m: f"noted: {e.note}",
    model.FindingResolved: _resolved,
    model.AlarmAcknowledged: lambda e, m: f"acknowledged the alarm: {e.note}",
    model.FindingReopened: lambda e, m: f"reopened the finding: {e.reason}",
    model.DisputeOpened: lambda e, m: f"opened dispute {e.dispute}: {e.reason}",
    model.DisputeClosed: _dispute_closed,
    model.InvestigationOpened: lambda e, m: f"opened investigation {e.investigation}: {e.reason}",
    model.InvestigationClosed: lambda e, m: (
        f"closed investigation {e.investigation}, {INVESTIGATION_OUTCOMES[e.outcome]}: {e.reason}"
    ),
    model.CaseOpened: lambda e, m: (
        f"opened case {e.case} of dispute {e.dispute}, due {_day(e.due)}"
        + (f", seat {e.seat}" if e.seat else "")
        + (f", patron {e.patron}" if e.patron else "")
    ),
    model.CaseAssigned: lambda e, m: f"gave case {e.case} to {e.to}: {e.reason}",
    model.CaseDueMoved: lambda e, m: f"moved the due date of case {e.case} from {_day(e.was)} to {_day(e.due)}: {e.reason}",
    model.CaseNoted: lambda e, m: f"noted in case {e.case}: {e.note}",
    model.CaseAttached: lambda e, m: (
        f"attached {e.name} to case {e.case} ({plural(e.size, 'byte')}, SHA-256 {e.digest}): {e.note}"
    ),
    model.RoundAttached: lambda e, m: f"attached {e.name} to the round ({plural(e.size, 'byte')}, SHA-256 {e.digest}): {e.note}",
    model.CaseLetterMade: lambda e, m: (
        f"made the letter of case {e.case} on the decision in event {e.decision} (SHA-256 {e.digest})"
    ),
    model.CaseAppealed: lambda e, m: f"recorded the patron's appeal in case {e.case}, due {_day(e.due)}: {e.reason}",
    model.SurveillanceNoted: lambda e, m: (
        "entered in the surveillance log"
        + (f" of table {table_name(e.table)}" if e.table else "")
        + (f", camera {e.camera}" if e.camera else "")
        + (f", {e.persons}" if e.persons else "")
        + f": {e.note}"
    ),
    model.ShiftSignedOver: lambda e, m: (
        f"handed over the {plain(e.shift)} shift with {plural(e.incidents, 'open incident')} "
        f"and {plural(e.disputes, 'open dispute')}: {e.note}"
    ),
    model.ShiftAccepted: lambda e, m: f"accepted the surveillance log handed over in event {e.signs}: {e.note}",
    model.ObservationOpened: _observation_opened,
    model.ObservationClosed: lambda e, m: (
        f"closed observation {e.observation} with {plural(e.unreadable, 'unreadable round')}: {e.reason}"
    ),
    model.RoundObserved: _round_observed,
    model.EntryLineAdded: lambda e, m: f"added a line after event {e.after_seq} ({e.reason}): {_whole(e.line, m)}",
    model.VerdictUnveiled: lambda e, m: (
        f"saw what was due before what was done was typed, in the next round for observation {e.observation}"
    ),
    model.RoundUnreadable: lambda e, m: f"could not read a round that was selected for observation {e.observation}: {e.reason}",
    model.EntryConfirmed: lambda e, m: "compared the entry with its source and found it the same",
    model.RecordViewed: lambda e, m: f"viewed the {e.what}: {e.reason}",
    model.RecordExported: lambda e, m: f"exported the {e.what} as {e.format} (SHA-256 {e.digest}): {e.reason}",
}
"""Event of a review → what the person did."""
