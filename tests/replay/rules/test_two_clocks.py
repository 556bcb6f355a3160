"""Two devices report two events: a finding if their clocks agree with the order, a doubt if they contradict it (D26, D132)."""

from typing import NamedTuple

import pytest

from events.vocabulary import model
from replay.run.adjudicate import Conclusion
from replay.transcript.transcript import parse
from tests.replay.tables import SECOND_US, START_US, Table, lines


class TwoClocks(NamedTuple):
    """What a round covers and what is in it before and after two events, what they show, and the doubt (None: there is none)."""

    words: str
    covers: list[str]
    before: str
    first: model.Event
    second: model.Event
    found: str | None
    doubt: str | None
    after: str = ""


def events(words: str, text: str) -> list[model.Event]:
    (script,) = parse(f"rules {words}\nround 1\n{text}", "played")
    return [each.payload for each in script.events if not isinstance(each.payload, model.RulesFiled | model.RoundOpened)]


def judged(case: TwoClocks, apart_us: int) -> Conclusion:
    """Judge the round; the second device's clock shows so much more than that of the first."""
    table = Table(words=case.words)
    table.say(model.RoundOpened(deck="d-1", observed=case.covers), 1)
    for event in events(case.words, case.before):
        table.say(event, 1)
    at_us = START_US + 100 * SECOND_US
    table.say(case.first, 1, source="camera", at_us=at_us)
    table.say(case.second, 1, source="shoe", at_us=at_us + apart_us)
    for event in (*events(case.words, case.after), model.RoundClosed(by="d-7")):
        table.say(event, 1, source="late", at_us=at_us + 2 * SECOND_US)
    ((_, conclusion),) = table.verdicts()
    return conclusion


def dealt(to: int | str, cards: str, face_up: bool = False) -> model.CardsDealt:
    return model.CardsDealt(to=to, cards=cards.split(), face_up=face_up)


def taken(seat: int, wager: str) -> model.WagerTaken:
    return model.WagerTaken(seat=seat, bettor=f"seat-{seat}", wager=wager, number=None, amount_cents=500, reason="lost")


def hand_set(position: int | str, high: str, low: str) -> model.HandSet:
    by = "dealer" if position == "dealer" else "player"
    return model.HandSet(position=position, high=[high], medium=[], low=[low], by=by)


LOOKED, DEALER_SET, DEALER_SEEN = (
    model.HandExamined(seat=3), hand_set("dealer", "Kh", "Qd"), model.CardExposed(whose="dealer", by="dealer", card="Kh"),
)  # fmt: skip
WHOLE = dealt(5, "As Kd 9h 7c 5s 4d 2c")
ANTES = "wager seat=1 ante 10.00\nwager seat=4 ante 10.00\nburn ??\ndeal seat1=Tc seat4=2d\n"
ENDED = "take seat=1 ante 10.00 surrendered\ntake seat=4 ante 10.00 surrendered"
BOTH = "surrender seat=1\nsurrender seat=4\ndeal seat1=9d 8h\n"

CASES = {
    "688a.8(b) DEAL-NOBETS": TwoClocks(
        "pa-688a", ["wagering"], "", dealt(5, "As"), model.NoMoreBets(announced_by="dealer"), "DEAL-NOBETS",
        'the clocks contradict the order of "no more bets" and the first card',
    ),
    "688a.13(d) DEAL-ELECTION": TwoClocks(
        "pa-688a", ["deal"], "", LOOKED, model.HandElected(seat=3, election="play"), "DEAL-ELECTION seat=3",
        "seat 3: the clocks contradict the order of looking and electing",
    ),
    "688a.11(b) SET-EARLY": TwoClocks(
        "pa-688a", ["setting"], "", LOOKED, DEALER_SET, "SET-EARLY seat=3",
        "seat 3: the clocks contradict the order of the player's look and the dealer's setting",
    ),
    "688a.11(b) looked before the deal": TwoClocks(
        "pa-688a", ["setting"], "", LOOKED, WHOLE, "SET-EARLY seat=3", "SET-EARLY seat=3: not in the order of the devices' clocks"
    ),
    "688a.11(b) set before the deal": TwoClocks(
        "pa-688a", ["setting"], "", DEALER_SET, WHOLE, "SET-EARLY", "SET-EARLY: not in the order of the devices' clocks"
    ),
    "688a.2(d) WAGER-LOCKOUT": TwoClocks(
        "pa-688a", ["progressive"], "", model.ProgressiveLocked(accepted=1, collected=1),
        model.ProgressiveAccepted(seat=3, meter="m-1", amount_cents=500, reading_centicents=5_000_000, meter_seq=2),
        "WAGER-LOCKOUT seat=3", "seat 3: the clocks contradict the order of the lock and a wager accepted",
    ),
    "687a.11(b) the order of decisions": TwoClocks(
        "pa-687a", [], "", model.DecisionMade(seat=4, decision="raise"), model.DecisionMade(seat=2, decision="raise"),
        "PLAY-ORDER seat=2", "the clocks contradict the order of the decisions of seats 4 and 2",
    ),
    "687a.11(b) the dealer's turning over": TwoClocks(
        "pa-687a trips=DJWT-04", ["deal"], "decide seat=2 raise", model.HandRevealed(position="dealer"),
        model.DecisionMade(seat=4, decision="fold"), "PLAY-ORDER",
        "the clocks contradict the order of the last decision and the dealer's turning over",
    ),
    "687a.13(d) an exposed card": TwoClocks(
        "pa-687a", ["deal"], "", model.CardExposed(whose="dealer", by="dealer", card="Ks"),
        model.DecisionMade(seat=2, decision="raise"), None, "the clocks contradict the order of an exposed card and the raises",
    ),
    "687a.11(e) the order of settlement": TwoClocks(
        "pa-687a trips=DJWT-04", ["settlement"], "take seat=2 ante 5.00", taken(4, "ante"), taken(2, "trips"), "PAY-ORDER seat=2",
        "the clocks contradict the order of the settlement of seats 4 and 2",
    ),
    "687a.8(e) DEAL-SIDE": TwoClocks(
        "pa-687a trips=DJWT-04", ["deal"], "", dealt("side", "6d"), dealt("dealer", "Ks"), "DEAL-SIDE",
        "the clocks contradict the order of the side card and the dealer's hand",
    ),
    "687a.11(g) DEAL-RACK": TwoClocks(
        "pa-687a trips=DJWT-04", ["deal"], "", model.CardsCollected(deck="d-1", of=2, count=5, counted=None), taken(2, "trips"),
        "DEAL-RACK seat=2", "seat 2: the clocks contradict the order of its settlement and of collecting its cards",
    ),
    "659a.11(c) SET-EARLY": TwoClocks(
        "pa-659a", ["setting", "deal"], "", DEALER_SET, hand_set(3, "As", "Ac"), "SET-EARLY seat=3",
        "seat 3: the clocks contradict the order of the player's setting and the dealer's",
    ),
    "659a.13(e) DEAL-EXPOSED": TwoClocks("pa-659a", ["setting", "deal"], "", DEALER_SEEN, DEALER_SET, "DEAL-EXPOSED",
        "the clocks contradict the order of the dealer's exposed card and the turning over of the dealer's",
    ),
    "GEGR-002138 SET-EARLY": TwoClocks(
        "ca-gegr-002138", ["setting"], "player_dealer seat=4 bettor=p-4 100.00", hand_set(5, "Kc", "Qc"), hand_set(4, "Kh", "Qd"),
        "SET-EARLY seat=5", "seat 5: the clocks contradict the order of the player's setting and the player-dealer's",
    ),
    "686a.7(g) PLAY-ORDER": TwoClocks(
        "pa-686a bonus=yes", ["deal", "settlement"], ANTES, model.Surrendered(seat=4), model.Surrendered(seat=1),
        "PLAY-ORDER seat=1", "seat 1: the clocks contradict the order of its decision and what came before it",
        f"deal seat1=9d 8h\ndeal seat4=3c 5h\n{ENDED}",
    ),
    "686a.7(g) WAGER-SURRENDER": TwoClocks(
        "pa-686a bonus=yes", ["deal", "settlement"], f"{ANTES}surrender seat=4\n", dealt(1, "9d 8h", True),
        model.Surrendered(seat=1), "WAGER-SURRENDER seat=1",
        "seat 1: the clocks contradict the order of the surrender and the cards", f"deal seat4=3c 5h\n{ENDED}",
    ),
    "686a.6(d) no contradiction": TwoClocks(
        "pa-686a bonus=yes", ["deal", "settlement"], ANTES + BOTH, dealt(4, "3c 5h", True),
        model.WagerHandled(seat=1, wager="ante"), "WAGER-TOUCHED seat=1 wager=ante", None, ENDED,
    ),
    "686a.6(d) WAGER-TOUCHED": TwoClocks(
        "pa-686a bonus=yes", ["deal", "settlement"], "wager seat=1 ante 10.00\nburn ??\n", dealt(1, "Tc", True),
        model.WagerHandled(seat=1, wager="ante"), "WAGER-TOUCHED seat=1 wager=ante",
        "seat 1 ante: the clocks contradict the order of the handling and the end of the wager's time",
        "surrender seat=1\ndeal seat1=9d 8h\ntake seat=1 ante 10.00 surrendered",
    ),
    "686a.7(i) PAY-ORDER": TwoClocks(
        "pa-686a bonus=yes", ["deal", "settlement"],
        f"wager seat=1 bonus 5.00\nwager seat=4 bonus 5.00\n{ANTES}{BOTH}deal seat4=3c 9h\n", taken(4, "bonus"),
        taken(1, "bonus"), "PAY-ORDER seat=1", "seat 1: the clocks contradict the order of its settlement", ENDED,
    ),
    "686a.7(c) a burn card": TwoClocks(
        "pa-686a bonus=yes", ["deal"], "shuffle automated", dealt(1, "Tc", True), model.CardBurned(card=None, reason="new_shoe"),
        None, "the clocks contradict the order of the burn card and the card dealt next",
    ),
    "686a.7(d) the end of a late wager's time": TwoClocks(
        "pa-686a bonus=yes", [], "", dealt(1, "Tc", True), events("pa-686a", "wager seat=1 ante 10.00")[0], None,
        "seat 1 ante: the clocks contradict the order of the wager and the end of its time",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_finding_that_rests_on_two_clocks(case: TwoClocks) -> None:
    certain, contradicted = judged(case, SECOND_US), judged(case, -SECOND_US)
    assert case.found is None or case.found in lines(certain), lines(certain)
    assert case.doubt is None or case.doubt in contradicted.undetermined
    assert (case.found in lines(contradicted)) is (case.doubt is None)
