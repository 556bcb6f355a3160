"""What the page of disputes says of the search: how the words were read, and of each round what agrees. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from analytics.errors.disputes import Candidate, Remembered
from analytics.errors.remembered import CardSeen, cards_typed, time_typed
from analytics.hold.hold import RoundView
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from replay.narrative.names import RANKS, SUITS, cards_short, game_name, plural, table_name

NEAR_MINUTES = 10


def card_said(card: CardSeen) -> str:
    """Return a card as it was understood.

    >>> card_said(CardSeen("A", "s")), card_said(CardSeen("K", "")), card_said(CardSeen("", "h"))
    ('A♠', 'a king', 'one of hearts')
    """
    if card.code:
        return cards_short([card.code])
    return f"a{'n' if card.rank in 'A8' else ''} {RANKS[card.rank]}" if card.rank else f"one of {SUITS[card.suit]}"


def read_back(said: Remembered, cards: str, clock: str) -> Html:
    """Return how the words were read, and which were not understood; nothing where nothing was typed."""
    parts: list[str] = []
    if said.time is not None:
        hour, minute = divmod(said.time.minutes, 60)
        parts.append(
            f"around {hour:02d}:{minute:02d}"
            + (f" or {(hour + 12) % 24:02d}:{minute:02d}" if said.time.either_half else "")
        )
    if said.cards:
        parts.append("cards " + ", ".join(card_said(card) for card in said.cards))
    unread = list(cards_typed(cards).unread)
    if clock.strip() and time_typed(clock) is None:
        unread.append(clock.strip())
    read = f'<span class="rk-soft">Read as: {markup.text("; ".join(parts))}.</span>' if parts else ""
    words = ", ".join(f"“{word}”" for word in unread)
    help_ = "Write a time as 21:15 or 9:15 pm, a card as As or ace of spades."
    missed = f' <span class="rk-unread">? Not understood: {markup.text(words)}. {help_}</span>' if unread else ""
    return Html(f'<p class="rk-under" aria-live="polite">{read}{missed}</p>' if read or missed else "")


def hits(found: Sequence[Candidate], said: Remembered, formats: Formats) -> Html:
    """Return the rounds found, each a link to its answer, with what agrees and what does not."""
    return Html(f'<div class="rk-hits">{"".join(hit(each, said, formats) for each in found)}</div>')


def hit(found: Candidate, said: Remembered, formats: Formats) -> Html:
    """Return one round found."""
    href = markup.href("dispute", of=found.table_id, round=found.round_no, seat=_seat(found, said))
    agrees = "".join(
        f'<span class="rk-{"yes" if yes else "no"}">{"✓" if yes else "✗"} {markup.text(words)}</span>'
        for yes, words in agreement(found, said)
    )
    at = "" if found.cards_at is None else "dealer" if found.cards_at == "dealer" else f"seat {found.cards_at}"
    hand = (
        f'<div class="rk-hand">{at}: {markup.text(cards_short(sorted(found.hand, key=_high_first)))}</div>'
        if at
        else ""
    )
    verdict = markup.verdict_badge(found.verdict)
    findings = f'<div class="rk-soft">{plural(found.findings, "finding")}</div>' if found.findings else ""
    return Html(
        f'<a class="rk-hit" target="_self" href="{markup.text(href)}">'
        f'<div><div class="rk-hit-name">{markup.text(table_name(found.table_id))} · Round {found.round_no:,}</div>'
        f'<div class="rk-soft">{formats.clock(found.opened_at_us)[:5]} to {formats.clock(found.closed_at_us)[:5]}</div></div>'
        f'<div><div class="rk-agrees">{agrees}</div>{hand}<div class="rk-hand">{markup.text(game_name(found.game))}</div></div>'
        f"<div>{verdict}{findings}</div></a>"
    )


def agreement(found: Candidate, said: Remembered) -> list[tuple[bool, str]]:
    """Return what was said and whether the round agrees, in words."""
    parts: list[tuple[bool, str]] = []
    if said.cards:
        every = found.matched == len(said.cards)
        words = (
            "all cards" if every and len(said.cards) > 1 else f"{found.matched} of {plural(len(said.cards), 'card')}"
        )
        elsewhere = said.seat is not None and found.matched and found.cards_at != str(said.seat)
        where = (
            f", but at {'the dealer' if found.cards_at == 'dealer' else f'seat {found.cards_at}'}" if elsewhere else ""
        )
        parts.append((every and not elsewhere, words + where))
    if found.minutes_off is not None:
        near = found.minutes_off <= NEAR_MINUTES
        parts.append((near, "at that time" if found.minutes_off == 0 else f"{plural(found.minutes_off, 'minute')} off"))
    if found.seat_played is not None:
        parts.append((found.seat_played, f"seat {said.seat} {'played' if found.seat_played else 'had no wager'}"))
    return parts


def _high_first(card: str | None) -> int:
    return ("Jk", *"AKQJT98765432").index(card if card == "Jk" else (card or "2")[0])


def _seat(found: Candidate, said: Remembered) -> int | None:
    """The seat whose answer is opened: where the cards are, else the seat said."""
    if found.cards_at is not None and found.cards_at.isdecimal():
        return int(found.cards_at)
    return said.seat if found.seat_played else None


def ways(view: RoundView) -> Html:
    """Return the ways on from a round's answer: its neighbours, step by step, and a new search."""
    table, links = view.round["table_id"], []
    for words, number in (("← Round before", view.previous_round_no), ("Round after →", view.next_round_no)):
        if number is not None:
            links.append(markup.button_link("dispute", words, of=table, round=number))
    links.append(markup.button_link("round", "Open round", table=table, round=view.round["round_no"]))
    links.append(markup.button_link("dispute", "New search"))
    return Html("".join(links))
