"""Decks, dice, shufflers, the opening of the table, and the devices' own counters.

58 Pa. Code §§ 688a.2(c)(1)(i), 688a.3, 688a.4, 688a.5(a)-(g), 688a.9(a)(1), 688a.13(k), (m); the log contract.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from events.vocabulary import model
from replay.findings import name
from replay.fold.preparations import deck_at_the_deal, preparations, table_at_the_deal
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_state import NOT_STATED, Deck, Preparation
from replay.rules.log_contract import cite_contract
from replay.rules.rule import EVERY_CHAPTER, Departure, Indeterminate, rule
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position

HOUR_US, SECOND_US = 3_600_000_000, 1_000_000


def _is_fresh(deck: Deck | None) -> bool:
    """Whether a deck came preshuffled and no round was dealt from it yet."""
    return deck is not None and deck.preshuffled and not deck.used


def first_round_of_deck(round_: Round) -> Deck | None:
    """Return the round's deck if this is the first round dealt from it and the record covers equipment and the deck's arrival."""
    deck = deck_at_the_deal(round_)
    if deck is None or deck.used or not deck.sure or round_.first_card is None or not round_.covers("equipment"):
        return None
    return deck


@rule("DEAL-SHUFFLE", on=("5(a)", "9(a)(1)"))
def shuffled(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The cards are shuffled after every round; dealt from the hand only after an automated shuffle."""
    first = round_.first_card
    if first is None or not round_.covers("shuffle"):
        return
    deck, steps = deck_at_the_deal(round_), preparations(round_)
    shuffles = [step for step in steps if step.kind == "shuffle"]
    failures = [step for step in steps if step.kind == "failure"]
    fresh = _is_fresh(deck)
    if not shuffles and not failures and not fresh:
        yield Departure(
            "5(a)",
            expected=f"deck {round_.deck} shuffled since its last round",
            observed="not shuffled",
            evidence=(round_.opened, first),
        )
    elif shuffles and shuffles[-1].detail == "manual" and book.deal_method == "hand" and book.has("9(a)(1)"):
        yield Departure(
            "9(a)(1)",
            expected="an automated shuffle before dealing from the hand",
            observed="shuffled manually",
            evidence=(shuffles[-1].seq, first),
        )


@rule("DEAL-DEVICE", on=("13(k)",))
def reshuffled_after_failure(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """When a shuffling device jams, stops or does not complete its cycle, the cards are reshuffled."""
    first = round_.first_card
    if first is None or not round_.covers("shuffle"):
        return
    steps = [step for step in preparations(round_) if step.kind in ("shuffle", "failure")]
    if steps and steps[-1].kind == "failure":
        yield Departure(
            "13(k)",
            expected="the cards reshuffled after the shuffler failed",
            observed=f"dealt after the failure ({steps[-1].detail})",
            evidence=(steps[-1].seq, first),
        )


@rule("DEAL-DEVICE", on=("13(m)",))
def covered_when_out_of_order(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A device that cannot be used is covered or signed before another method is used at the table."""
    first_use: dict[str, tuple[int, int]] = {}
    for device, failed, used in _used_instead(round_, book):
        first_use.setdefault(device, (failed, used))
    for device, evidence in first_use.items():
        yield Departure(
            "13(m)",
            expected=f"the {device} covered or marked out of order first",
            observed="another method was used while it stood uncovered",
            evidence=evidence,
        )


def _used_instead(round_: Round, book: Rulebook) -> Iterator[tuple[str, int, int]]:
    """Yield each use of another method while a device stood failed and uncovered: the device, its failure, the use.

    A shuffle by hand is of the round that it makes ready, whenever it is made (D680).
    """
    before = round_.before
    for step in before.preparations(round_.deck):
        if step.beside > 0:
            yield "shuffler", step.beside, step.seq
    if not before.devices and not round_.of(model.DeviceFailed):
        return
    status, failures = dict(before.devices), dict(before.device_seqs)
    dealt = round_.first_card if before.shoe is None else round_.last_card
    for fact in round_.facts:
        match fact.payload:
            case model.DeviceFailed(device=device, fault=fault) if fault == "inoperative" or device == "shuffler":
                status[device], failures[device] = "failed", fact.seq
            case model.DeviceCovered(device=device):
                status[device] = "covered"
            case model.DeviceRestored(device=device):
                status.pop(device, None)
            case model.CardsShuffled(method="manual", deck=deck):
                is_of_this = deck == round_.deck and (dealt is None or fact.seq < dealt.seq)
                if is_of_this and status.get("shuffler") == "failed":
                    yield "shuffler", failures.get("shuffler", fact.seq), fact.seq
            case model.CardsShuffled():
                status.pop("shuffler", None)
            case model.CardsDealt() if status.get("shoe") == "failed" and round_.voided is None and book.has("13(l)"):
                yield "shoe", failures.get("shoe", fact.seq), fact.seq


@rule("DEAL-CUT", on=("5(b)(2)", "5(e)", "5(f)"))
def cut(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After a manual shuffle the cards are cut, at least ten cards deep, and again when a recut is ordered."""
    first = round_.first_card
    if first is not None and round_.covers("shuffle") and not book.exempt("5(e)"):
        yield from cut_before(round_, book, preparations(round_), first)


def cut_before(round_: Round, book: Rulebook, steps: list[Preparation], first: RecordedEvent) -> Iterator[Departure]:
    """Judge the cut between the last of some shuffles, if that was a manual one, and the card dealt next."""
    shuffles = [step for step in steps if step.kind == "shuffle"]
    if not shuffles or shuffles[-1].detail != "manual":
        return
    after = [step for step in steps if step.seq > shuffles[-1].seq]
    cuts = [step for step in after if step.kind == "cut"]
    if not cuts:
        yield Departure(
            "5(b)(2)", expected="the cards cut after a manual shuffle", observed="not cut", evidence=(shuffles[-1].seq, first)
        )
        return
    if not book.has("5(e)"):
        return
    final = cuts[-1]
    yield from _depth(book, final)
    recuts = [step for step in after if step.kind == "recut"]
    if recuts and recuts[-1].seq > final.seq:
        yield Departure("5(f)", expected="the cards recut as ordered", observed="not recut", evidence=(recuts[-1].seq, first))


def _depth(book: Rulebook, made: Preparation) -> Iterator[Departure]:
    numbers = book.chapter.numbers
    least, below = numbers["cut_depth_cards"], numbers.get("cut_from_bottom_cards", numbers["cut_depth_cards"])
    above = made.depth if made.detail == "top" else numbers["deck_size"] - made.depth
    if not least <= above <= numbers["deck_size"] - below:
        yield Departure(
            "5(e)",
            expected=f"at least {least} cards from the top" + (" and the bottom" if below else ""),
            observed=f"{made.depth} from the {made.detail}",
            evidence=(made.seq,),
        )


def shuffler(round_: Round, book: Rulebook) -> str:
    """Return the shuffler at the table, from the opening of the table or else from the filing."""
    return round_.before.shuffler or book.shuffler


def _reshuffles_itself(round_: Round, book: Rulebook) -> bool:
    """Whether the table's device reshuffles by itself, so that neither cutting nor spreading is due."""
    return shuffler(round_, book) == "continuous" and (book.has("687a.5(g)") or book.has("659a.5(f)"))


@rule("DEAL-CUT", on=("659a.5(c)", "687a.5(d)"))
def cut_by_the_dealer(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """In some chapters the dealer alone cuts, and a preshuffled deck is cut before its first round too.

    This does not apply if a device reshuffles by itself (§§ 659a.5(f), 687a.5(g)) and no one shuffled by hand.
    """
    first, deck = round_.first_card, deck_at_the_deal(round_)
    steps = preparations(round_)
    by_hand = any(step.kind == "shuffle" and step.detail == "manual" for step in steps)
    if first is None or not round_.covers("shuffle") or (_reshuffles_itself(round_, book) and not by_hand):
        return
    cuts = [step for step in steps if step.kind == "cut"]
    section, fresh_section = ("687a.5(d)", "687a.5(c)(2)") if book.has("687a.5(d)") else ("659a.5(c)", "659a.5(b)(2)")
    for step in cuts:
        if step.who != "dealer":
            yield Departure(
                section, expected="the cards cut by the dealer", observed=f"cut by seat {step.who}", evidence=(step.seq,)
            )
    if not _is_fresh(deck) or any(step.kind == "shuffle" for step in steps):
        return
    if cuts:
        yield from _depth(book, cuts[-1])
    else:
        yield Departure(
            fresh_section,
            expected="a preshuffled deck cut before it is dealt",
            observed="not cut",
            evidence=(round_.opened, first),
        )


def first_cut(round_: Round) -> tuple[list[Preparation], Preparation] | None:
    """Return the offers and the first cut after the last shuffle of the round's deck, if that was a manual one.

    Offers to the same player that follow each other are one.
    """
    steps = preparations(round_)
    shuffles = [step for step in steps if step.kind == "shuffle"]
    if round_.first_card is None or not round_.covers("shuffle") or not shuffles or shuffles[-1].detail != "manual":
        return None
    after = [step for step in steps if step.seq > shuffles[-1].seq]
    made = next((step for step in after if step.kind == "cut"), None)
    if made is None:
        return None
    offers = [step for step in after if step.kind == "offer" and step.seq < made.seq]
    return [list(same)[-1] for _, same in groupby(offers, key=lambda step: step.who)], made


def _in_turn_to_cut(round_: Round, seated: Sequence[int]) -> list[int]:
    """Who is offered the cut: the first to arrive when the game begins, then from the dealer's right (§ 688a.5(d), D120)."""
    order = sorted(seated, reverse=True)
    beginning = round_.before.first_patron_seat if round_.before.just_opened else 0
    return sorted(order, key=lambda seat: seat != beginning)


def _orders_to_cut(round_: Round, seated: Sequence[int]) -> list[list[int]]:
    """Return every order in which the cut may be offered.

    If all players had left since the last round, or before the first one, the next to arrive may count as the first, or no one
    may (D519, D732).
    """
    from_the_right = sorted(seated, reverse=True)
    if round_.before.idle and not round_.before.just_opened:
        first = round_.before.first_patron_seat
        return [sorted(from_the_right, key=lambda seat: seat != first), from_the_right]
    order = _in_turn_to_cut(round_, seated)
    return [order, from_the_right] if round_.before.idle else [order]


@rule("DEAL-CUT", on=("5(c)", "5(d)"))
def cut_offered(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Offered first to the first player to arrive when the game begins, else from the dealer's right counterclockwise."""
    found = first_cut(round_)
    if found is None or book.exempt("5(d)"):
        return
    offers, made = found
    seated = list((offers[0] if offers else made).seated)
    if not round_.before.patrons_known or not seated:
        return
    orders = _orders_to_cut(round_, seated)
    order, asked = orders[0], [step.who for step in offers]
    taker = asked[-1] if offers and offers[-1].detail == "accepted" else None
    went_on = any(step.detail == "accepted" for step in offers[:-1])
    is_next = any(asked == each[: len(asked)] for each in orders)
    is_in_turn = not went_on and is_next and (taker is not None or len(asked) == len(order))
    if not is_in_turn or made.who != (taker if taker is not None else "dealer"):
        yield Departure(
            "5(d)" if made.who == "dealer" or not is_in_turn else "5(c)",
            expected="the cut offered to " + _seats(order) + " in turn",
            observed=("offered to " + _seats(asked) if asked else "not offered")
            + f"; cut by {made.who if made.who == 'dealer' else f'seat {made.who}'}",
            evidence=(*(step.seq for step in offers), made.seq, *((round_.first_card,) if round_.first_card else ())),
        )


def _seats(seats: Iterable[int | str]) -> str:
    return ", ".join(f"seat {seat}" for seat in seats)


@rule("DEAL-CUT", on=("5(d)",))
def recut_by(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A recut is made by the player who cut last, or by the next in turn; if that player refuses, by the one after (D385)."""
    made = first_cut(round_)
    if made is None or book.exempt("5(f)") or not round_.before.patrons_known:
        return
    if len(_orders_to_cut(round_, made[1].seated)) == 1:
        yield from recut_in_turn(round_, lambda seated: _in_turn_to_cut(round_, seated))


@rule("DEAL-CUT", on=("5(f)",))
def recut_before_the_deal(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A recut is required "after the cards have been cut and before the cards have been dealt", of cards not shuffled since."""
    first, last = round_.first_card, round_.last_card
    if first is None or last is None or book.exempt("5(f)"):
        return
    shuffled = next((fact.seq for fact in round_.of(model.CardsShuffled) if fact.seq > first.seq), last.seq)
    for fact in round_.of(model.RecutOrdered):
        if first.seq < fact.seq < min(shuffled, last.seq):
            yield Departure(
                "5(f)",
                expected="a recut ordered before the cards are dealt",
                observed="ordered when cards had been dealt",
                evidence=(first, fact),
            )


def recut_in_turn(round_: Round, in_turn: Callable[[Sequence[int]], list[int]]) -> Iterator[Departure]:
    """Find a recut by anyone but the player who cut last and the next in turn.

    `in_turn` puts the seats taken in the order of the offers.
    """
    steps = preparations(round_)
    steps = steps[max(at for at, step in enumerate(steps) if step.kind == "shuffle") :]
    ordered = next((step for step in reversed(steps) if step.kind == "recut"), None)
    before = [step for step in steps if ordered is not None and step.kind == "cut" and step.seq < ordered.seq]
    if ordered is None or not before:
        return
    since = [step for step in steps if step.seq > ordered.seq]
    made = next((step for step in since if step.kind == "cut"), None)
    if made is None:
        return
    last, order = before[-1].who, in_turn(made.seated)
    if last not in order:
        return  # the dealer, after everybody had refused, or one who has left
    following = _next_to_cut(order, last, since)
    if made.who not in (last, following):
        yield Departure(
            "5(f)",
            expected=f"recut by {name(last)}, who cut last, or by {name(following)}, next in turn",
            observed=f"recut by {name(made.who)}",
            evidence=(ordered.seq, made.seq),
        )


def _next_to_cut(order: Sequence[Position], last: Position, since: Sequence[Preparation]) -> Position:
    """Return who is next in turn after the one who cut last, among those who did not refuse since; the dealer comes last."""
    refusals = {step.who for step in since if step.kind == "offer" and step.detail == "refused"}
    return next((seat for seat in order[order.index(last) + 1 :] if seat not in refusals), "dealer")


@rule("OPEN-INSPECT", "OPEN-JOKER", "OPEN-SPREAD", on=("4(a)", "4(b)"))
def opening(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Before its first round a deck is inspected and verified, its second joker destroyed, spread face up and washed.

    A preshuffled deck needs none of it, but in 686a the spread: § 686a.4(e) does not name subsection (b).
    """
    deck = first_round_of_deck(round_)
    if deck is None:
        return
    evidence = (deck.received_seq, round_.opened.seq)
    if deck.jokers < book.chapter.numbers.get("jokers", 1):
        yield Departure(
            "3(a)", code="OPEN-JOKER", expected="a deck with a joker", observed="received without one", evidence=evidence
        )
    if deck.preshuffled and not book.has("686a.4(e)"):
        return
    if deck.jokers > book.chapter.numbers.get("jokers_received", 1) and not deck.joker_destroyed:
        yield Departure(
            "4(b)",
            code="OPEN-JOKER",
            expected="the second joker destroyed before a floorperson",
            observed="not on record",
            evidence=evidence,
        )
    washed = deck.washed or deck.preshuffled
    if not deck.inspected and not deck.preshuffled:
        yield Departure(
            "4(a)",
            code="OPEN-INSPECT",
            expected="the deck inspected and the inspection verified",
            observed="not on record",
            evidence=evidence,
        )
    if not (deck.spread and washed):
        missing = " and ".join(step for step, done in (("spread", deck.spread), ("washed", washed)) if not done)
        yield Departure(
            "4(b)",
            code="OPEN-SPREAD",
            expected="the deck spread face up and washed before its first round",
            observed=f"not {missing}",
            evidence=evidence,
        )


@rule("OPEN-IDLE", on=("5(g)",))
def return_to_play(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After a time without players the cards are spread again (and washed; in most chapters only without a shuffler)."""
    before = table_at_the_deal(round_)
    if not before.idle or not round_.covers("equipment") or round_.first_card is None or book.exempt("5(g)"):
        return
    if _reshuffles_itself(round_, book):
        return
    washed = before.idle_washed or (shuffler(round_, book) != "none" and book.has("5(g)(2)"))
    if not (before.idle_spread and washed):
        yield Departure(
            "5(g)",
            expected="the cards spread again for the first player to arrive",
            observed="not washed" if before.idle_spread else "not spread",
            evidence=(before.idle_seq, round_.opened.seq),
        )


def _span(us: int) -> str:
    """Return a time as people say it, rounded up to the second.

    >>> _span(4 * HOUR_US + 1), _span(4 * HOUR_US + 90_000_000)
    ('4 h 0 min 1 s', '4 h 1 min 30 s')
    """
    minutes, seconds = divmod(-(-us // SECOND_US), 60)
    return f"{minutes // 60} h {minutes % 60} min {seconds} s"


@rule("EQUIP-DECK", on=("3(c)(1)", "3(c)(2)"))
def deck_in_time(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A deck is changed at least every 4 hours when dealt by hand, every 8 hours from a shoe, from its going into play."""
    deck = deck_at_the_deal(round_)
    if deck is None or deck.in_play_us is None:
        return
    by_hand = book.deal_method == "hand"
    section, key = ("3(c)(1)", "deck_age_hand_hours") if by_hand else ("3(c)(2)", "deck_age_shoe_hours")
    if not book.has(section):
        return
    limit, age_us = book.chapter.numbers[key], round_.opened.at_us - deck.in_play_us
    if age_us > limit * HOUR_US:
        yield Departure(
            section,
            expected=f"deck {round_.deck} changed within {limit} h",
            observed=f"in play for {_span(age_us)}",
            evidence=(deck.in_play_seq, round_.opened),
        )


@rule("EQUIP-DICE", on=("2(c)(1)(i)",))
def dice_in_time(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Dice do not remain on a table for more than 24 hours."""
    received, since = round_.before.dice_us if round_.before.dice_seq >= 0 else None, round_.before.dice_seq
    limit = book.chapter.numbers["dice_age_hours"]
    fresh = list(round_.of(model.DiceReceived))
    for fact in round_.of(model.DiceRolled):
        while fresh and fresh[0].seq < fact.seq:
            received, since = fresh[0].at_us, fresh.pop(0).seq
        if received is not None and fact.at_us - received > limit * HOUR_US:
            yield Departure(
                "2(c)(1)(i)",
                expected=f"dice changed within {limit} h",
                observed=f"on the table for {_span(fact.at_us - received)}",
                evidence=(since, fact),
            )
            return


@rule("EQUIP-ALTERNATE", on=("3(b)(3)",))
def decks_alternate(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """With two decks, each is used for every other round of play.

    After a void the cards are reshuffled (§ 688a.13), and may be those of the next round (D551).
    """
    before = round_.before
    in_play = [name for name, deck in before.decks.items() if deck.in_play_us is not None]
    both_before = len(in_play) == 2 and before.previous_decks == 2 and before.equipment_known
    if before.last_voided and any(step.kind == "shuffle" for step in preparations(round_)):
        return
    if round_.covers("equipment") and both_before and before.last_deck == round_.deck:
        yield Departure(
            "3(b)(3)",
            expected=f"deck {next(name for name in in_play if name != round_.deck)} for this round",
            observed=f"deck {round_.deck} again",
            evidence=(round_.opened,),
        )


@rule("EQUIP-ALTERNATE", on=("3(b)(1)",))
def decks_of_two_colours(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """With two decks, the backs of one are of another color than those of the other."""
    before = round_.before
    deck = first_round_of_deck(round_)
    if deck is None or deck.back in ("", NOT_STATED):
        return
    others = [each for id_, each in before.decks.items() if id_ != round_.deck and each.in_play_us is not None]
    alike = [each.received_seq for each in others if each.sure and each.back == deck.back]
    if alike:
        yield Departure(
            "3(b)(1)",
            expected="two decks with backs of different colours",
            observed=f"both {deck.back}",
            evidence=(deck.received_seq, *alike, round_.opened),
        )


@rule("LOG-SOURCE-GAP", "LOG-SOURCE-REPEAT", "LOG-CLOCK", "LOG-CORRECTION", "LOG-ROUND-REPEAT", "LOG-FILING", on=EVERY_CHAPTER)
def device_counters(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A device's counter does not jump or repeat, its clock does not run back, a correction fits, a round is opened once, and
    no device files rules if the office does.

    It cannot be told whether a correction that does not fit was meant to change the round. A gap is found once, in the round that
    shows it; the rounds before that it may be about are in doubt (D656).
    """
    once = ("LOG-ROUND-REPEAT", "a number of its own for every round")
    kinds = {
        "gap": ("LOG-SOURCE-GAP", "every number of the device once and in order"),
        "repeat": ("LOG-SOURCE-REPEAT", "a number once, or again with the same content"),
        "clock": ("LOG-CLOCK", "a clock that does not run back"),
        "correction": ("LOG-CORRECTION", "a correction that names an earlier event of its stream by number and id"),
        "round": once,
        "reopened": once,
        "filing": ("LOG-FILING", "rules filed by the office"),
    }
    for fault in round_.record_faults:
        if fault.kind == "late" or (fault.kind == "gap" and not (fault.missing and fault.round_no == round_.round_no)):
            continue
        code, expected = kinds[fault.kind]
        yield Departure(
            cite_contract(code),
            code=code,
            expected=expected,
            observed=fault.detail,
            evidence=(round_.opened, fault.seq) if fault.kind in ("round", "reopened") else (fault.seq,),
        )
        if fault.kind in ("correction", "reopened"):
            yield Indeterminate(fault.detail)
