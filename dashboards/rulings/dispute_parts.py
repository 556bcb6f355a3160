"""The search results of the dispute page: how the words were understood, and what matches in each round. Pure functions."""

from collections.abc import Sequence

from analytics.search import search_words
from analytics.search.disputes import Candidate, Remembered
from analytics.warehouse.round_data import RoundView
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from desk.review.full_text import FoundText
from desk.review.surveillance import SURVEILLANCE
from replay.narrative.names import cards_short, game_name, plural

TEXTS = {"What": "short", "Where": "short", "Says": "text", "Written": "short"}


def read_back(said: Remembered, formats: Formats, unread: Sequence[str], notes: Sequence[str] = ()) -> Html:
    """Return the search terms, the chosen meanings of ambiguous words, and words not understood."""
    parts = search_words.understood(said, formats.currency)
    read = f'<span class="rk-soft">Searched for: {markup.text("; ".join(parts))}.</span>' if parts else ""
    noted = "".join(f' <span class="rk-soft">{markup.text(note[:1].upper() + note[1:])}.</span>' for note in notes)
    words = ", ".join(f"“{word}”" for word in unread)
    help_ = "You can fill in the boxes: a time as 21:15 or 9:15 pm, a card as As or ace of spades."
    missed = f' <span class="rk-unread">? Ignored: {markup.text(words)}. {help_}</span>' if unread else ""
    return Html(f'<p class="rk-under" aria-live="polite">{read}{noted}{missed}</p>' if read or missed else "")


def texts(found: Sequence[FoundText], formats: Formats) -> Html:
    """Return matching findings, notes, disputes and cases, each with a link."""
    rows = [
        [each.kind.capitalize(), _text_link(each), each.says, formats.day_and_clock(each.at_us) if each.at_us else "–"]
        for each in found
    ]
    return markup.table(TEXTS, rows, "Findings, notes, disputes and cases")


def _text_link(found: FoundText) -> Html:
    if found.kind == "case":
        return markup.link("cases", found.id, case=found.id)
    if found.table == SURVEILLANCE:
        return markup.link("surveillance", found.place)
    if found.round_no is None:
        return markup.text(found.place)
    if found.table.startswith("observed/"):
        return markup.link("observations", found.place, table=found.table.partition("/")[2], round=found.round_no)
    finding = found.id if found.kind in ("finding", "note") else None
    if found.kind == "dispute":
        return markup.link("dispute", found.place, of=found.table, round=found.round_no)
    return markup.link("round", found.place, table=found.table, round=found.round_no, finding=finding)


def hits(found: Sequence[Candidate], said: Remembered, formats: Formats, sentence: str) -> Html:
    """Return the rounds found by a sentence, each a link to its answer, with what matches and what does not."""
    links = "".join(hit(each, said, formats) for each in found)
    return Html(f'<div class="rk-hits" data-sentence="{markup.text(sentence)}">{links}</div>')


def hit(found: Candidate, said: Remembered, formats: Formats) -> Html:
    """Return one round found."""
    href = markup.href("dispute", of=found.table_id, round=found.round_no, seat=search_words.seat_meant(found, said))
    agrees = "".join(
        f'<span class="rk-{"yes" if yes else "no"}">{"✓" if yes else "✗"} {markup.text(words)}</span>'
        for yes, words in search_words.agreement(found, said, formats.currency)
    )
    at = "" if found.cards_at is None else "dealer" if found.cards_at == "dealer" else f"seat {found.cards_at}"
    hand = f'<div class="rk-hand">{at}: {markup.text(cards_short(sorted(found.hand, key=_high_first)))}</div>' if at else ""
    verdict = markup.verdict_badge(found.verdict)
    findings = f'<div class="rk-soft">{plural(found.findings, "finding")}</div>' if found.findings else ""
    return Html(
        f'<a class="rk-hit" target="_self" href="{markup.text(href)}">'
        f'<div><div class="rk-hit-name">{markup.text(search_words.heading(found))}</div>'
        f'<div class="rk-soft">{formats.time_of_day(found.opened_at_us)} to {formats.time_of_day(found.closed_at_us)}</div></div>'
        f'<div><div class="rk-agrees">{agrees}</div>{hand}<div class="rk-hand">{markup.text(game_name(found.game))}</div></div>'
        f"<div>{verdict}{findings}</div></a>"
    )


def _high_first(card: str | None) -> int:
    return ("Jk", *"AKQJT98765432").index(card if card == "Jk" else (card or "2")[0])


def ways(view: RoundView) -> Html:
    """Return the links from a round's answer: its neighbors, step by step, and a new search."""
    table, links = view.round["table_id"], []
    for words, number in (("← Previous round", view.previous_round_no), ("Next round →", view.next_round_no)):
        if number is not None:
            links.append(markup.button_link("dispute", words, of=table, round=number))
    links.append(markup.button_link("round", "Open round", table=table, round=view.round["round_no"]))
    links.append(markup.button_link("dispute", "New search"))
    return Html("".join(links))
