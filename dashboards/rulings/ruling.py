"""The ruling on a round or a seat as markup: claim, verdict, amounts due, actions, and hands. Pure functions."""

from collections.abc import Mapping, Sequence
from textwrap import shorten

from analytics.warehouse.round_data import RoundView
from dashboards.drawing import markup
from dashboards.drawing.decisions import linked
from dashboards.drawing.drawing import hands_drawing
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import Position, Table
from dashboards.rulings import round_account
from dashboards.rulings.case_parts import SHOWN_OF_CLAIM
from desk.review.desk import Dispute
from replay.narrative.reviews import Disposed
from replay.narrative.ruling import NOTHING_DONE
from replay.narrative.verdicts import SentenceOutcome

ANSWERS = {
    SentenceOutcome.UNDERPAID: ("under", markup.DOWN),
    SentenceOutcome.OVERPAID: ("over", markup.UP),
    SentenceOutcome.AS_DUE: ("upheld", "✔\N{VARIATION SELECTOR-15}"),
    SentenceOutcome.NOT_CONDUCTED: ("unknown", "!"),
    SentenceOutcome.UNDETERMINED: ("unknown", "?"),
    SentenceOutcome.NOT_SETTLED: ("unknown", "◌"),
    SentenceOutcome.NO_WAGER: ("unknown", "\N{EMPTY SET}"),
}
"""The outcome of a sentence → the style and shape shown with it."""


MOST_LINES = 4
"""Sentences shown at once; the rest is folded, so that the answer stays on the first screen."""
MOST_HANDS = 2
"""This many seats are shown next to the dealer if no seat is chosen."""


def answer(
    view: RoundView,
    seat: int | None,
    formats: Formats,
    claims: Sequence[Dispute] = (),
    disposed: Mapping[str, Disposed] = NOTHING_DONE,
) -> Html:
    """Return the answer to "was it paid right?": of one seat, or of all. Only `AS_DUE` gets a check mark."""
    ruled = round_account.ruling_of(view, seat, formats, disposed)
    told = round_account.narrative_of(view, seat, formats, disposed)
    kind, shape = ANSWERS[told.outcome]
    rows = [("Incident", ruled.incidents), ("Calculation", ruled.reckonings), ("To do", ruled.to_do), ("Done", ruled.done)]
    pairs = "".join(
        f"<dt>{name}</dt><dd>{_lines(sentences)}</dd>" for name, sentences in (*rows, ("Elsewhere", ruled.elsewhere)) if sentences
    )
    return Html(
        f'<div class="rk-answer rk-a-{kind}" role="status"><div class="rk-answer-shape" aria-hidden="true">{shape}</div>'
        f'<div>{"".join(_claim(each) for each in claims)}<p class="rk-answer-words">{linked(told.sentence)}</p>'
        f'<p class="rk-answer-verdict">{markup.verdict_badge(view.round["verdict"])}</p>'
        f"{f'<dl class=rk-pair>{pairs}</dl>' if pairs else ''}</div></div>"
    )


def hands(table: Table, view: RoundView, seat: int | None) -> str:
    """Return the hands of a ruling as a drawing: the dealer's, and the seat's or those with the largest differences."""
    dealer: Position = table.bank if table.bank is not None else "dealer"
    if seat is None:
        money: dict[int, int] = {}
        for row in view.settlements.iter_rows(named=True):
            money[row["seat"]] = money.get(row["seat"], 0) + abs(row["difference_cents"] or 0)
        seats = sorted(money, key=lambda each: (-money[each], each))[:MOST_HANDS]
    else:
        seats = [seat]
    return hands_drawing(table, list(dict.fromkeys([dealer, *seats])), "The hands of the ruling")


def _claim(dispute: Dispute) -> str:
    state = dispute.state
    seat = "" if dispute.seat is None else f" at seat {dispute.seat}"
    words = f"“{shorten(dispute.claim, SHOWN_OF_CLAIM, placeholder=' …')}”{seat} · {state}"
    return f'<p class="rk-answer-claim"><strong>Claim</strong> {markup.text(words)}</p>'


def _lines(sentences: Sequence[str]) -> str:
    lines = [f"<div>{markup.text(sentence)}</div>" for sentence in sentences]
    first, rest = lines[:MOST_LINES], lines[MOST_LINES:]
    more = f"<details><summary>{len(rest)} more</summary>{''.join(rest)}</details>" if rest else ""
    return "".join(first) + more
