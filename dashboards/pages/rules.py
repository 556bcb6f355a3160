"""Rules: which rules hold at a table, what do its wagers return, and what would another paytable?"""

from __future__ import annotations

import streamlit as st

from analytics import rules
from analytics.rules import FiledSubmission, OfferedWager, Submission
from dashboards.drawing import decisions, markup
from dashboards.drawing.decisions import linked
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, day_name, share
from dashboards.parts import source
from replay.narrative.names import game_name, plural, table_name, wager_name

HISTORY = {
    "State": "short",
    "Submission": "text",
    "From gaming day": "short",
    "Judged by it": "number",
    "Filed": "text",
}
WAGERS = {
    "Wager": "text",
    "Paytable": "text",
    "Limits": "short",
    "Returns": "number",
    "House advantage": "number",
    "Deviation": "number",
    "Wins": "number",
    "How it is known": "text",
}
STATES = {
    "in force": ("rk-v-upheld", "✔\N{VARIATION SELECTOR-15}"),
    "to come": ("rk-medium", "▷"),
    "replaced": ("rk-low", "○"),
    "never used": ("rk-low", "∅"),
}


def page() -> None:
    """Lay the page out: the decision that a link names, a table's rules, and all decisions."""
    source.begin()
    source.show(markup.heading("Rules", "What each table plays by, as it was filed, and what that returns."))
    source.show(decisions.account(st.query_params.get("decision")))
    _rules_of_a_table()
    every_decision()
    source.watch()


def every_decision() -> None:
    """Offer all decisions: how a text is read that leaves room."""
    with st.expander("Decisions: how Discard Rack reads a text that leaves room"):
        source.show(decisions.listing())


def _rules_of_a_table() -> None:
    """Show the submissions of a table, the wagers of one, and the what-if; or what to do where nothing was filed."""
    filed = source.ask(rules.filings)
    if not filed:
        source.show(
            markup.empty(
                "No rules submission on record",
                "A table files its rules with a `rules_filed` event. `rack rules list` shows what can be filed; after that run "
                "`rack replay --log ADDR --warehouse FILE`.",
            )
        )
        return
    formats = source.formats()
    tables = list(dict.fromkeys(each.table_id for each in filed))
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    with left:
        table = source.choose("Table", "table", tables[1:], table_name, table_name(tables[0])) or tables[0]
    of_table = [each for each in filed if each.table_id == table]
    shown = next((each for each in of_table if str(each.seq) == st.query_params.get("filing")), None) or _first(
        of_table
    )
    with right:
        source.show(same(filed, shown))
    source.show(history(of_table, shown, formats))
    submission = rules.read(shown.toml, shown.readings)
    if isinstance(submission, str):
        source.show(markup.notice("This submission was refused, and never came into force", submission))
    else:
        wagers(submission, formats)
        what_if(submission, formats)
    with st.expander(f"The submission as filed: event {shown.seq:,} of {table_name(table)}"):
        st.code(shown.toml, language="toml")
        source.show(f'<p class="rk-hash">SHA-256 {markup.text(shown.digest)}</p>')


def _first(of_table: list[FiledSubmission]) -> FiledSubmission:
    return next((each for each in of_table if each.state == "in force"), of_table[0])


def same(filed: list[FiledSubmission], shown: FiledSubmission) -> Html:
    """Say which other tables play by the same submission."""
    others = sorted(
        {each.table_id for each in filed if each.digest == shown.digest and each.state == "in force"} - {shown.table_id}
    )
    if not others:
        return Html("")
    return Html(f'<p class="rk-note">The same is in force at {markup.text(", ".join(map(table_name, others)))}.</p>')


def history(of_table: list[FiledSubmission], shown: FiledSubmission, formats: Formats) -> Html:
    """Return a table's submissions, the newest first; each is a link to its wagers."""
    rows = []
    for each in of_table:
        kind, shape = STATES[each.state]
        badge = Html(f'<span class="rk-badge {kind}"><span aria-hidden="true">{shape}</span> {each.state}</span>')
        below = "shown below" if each is shown and len(of_table) > 1 else ""
        days = "" if each.first_day is None else f"{day_name(each.first_day)} to {day_name(each.last_day)}"
        rows.append(
            [
                badge,
                markup.two_lines(
                    markup.link("rules", each.submission, table=each.table_id, filing=each.seq),
                    f"SHA-256 {each.digest[:16]}…",
                ),
                day_name(each.effective_gaming_day),
                markup.two_lines(plural(each.rounds, "round"), days),
                markup.two_lines(f"event {each.seq:,}", below),
            ]
        )
    return markup.table(HISTORY, rows, "Rules submissions of this table")


def wagers(submission: Submission, formats: Formats) -> None:
    """Show what is offered, within which limits, and what each wager returns exactly."""
    offered = submission.offered
    source.show(
        markup.section(
            f"{game_name(submission.game)} under {submission.chapter}",
            "Per amount wagered; the last column says how it is known.",
        )
    )
    source.show(markup.table(WAGERS, [_row(each, formats) for each in offered], "Wagers offered and what they return"))
    notices = [(each.wager, notice) for each in offered if each.figures for notice in each.figures.notices]
    for wager, notice in dict.fromkeys(notices):
        source.show(f'<p class="rk-note">{markup.text(wager_name(wager))}: {linked(notice)}</p>')


def _row(each: OfferedWager, formats: Formats) -> list[object]:
    figures = each.figures
    limits = f"{formats.chips(each.min_cents)} to {formats.chips(each.max_cents)}"
    if figures is None:
        return [
            wager_name(each.wager),
            each.paytable or "–",
            limits,
            "–",
            "–",
            "–",
            "–",
            _why_not(each),
        ]
    off = f"± {share(figures.std_error_percent, 3)}" if figures.std_error_percent else ""
    return [
        markup.two_lines(wager_name(each.wager), linked(figures.cite)),
        each.paytable or "–",
        limits,
        markup.two_lines(share(figures.return_percent, 3), off),
        share(figures.house_advantage_percent, 3),
        f"{figures.std_dev:,.3f}",
        share(100 * figures.hit_frequency, 3),
        figures.method if not each.together else f"{figures.method}; with {_both(each.together[1:])}",
    ]


def _why_not(each: OfferedWager) -> str:
    """Say why a wager has no figures of its own."""
    if each.reading:
        return f"filed: {each.reading}; what it returns by that is not reckoned"
    if each.together:
        return f"settled with {_both(tuple(wager for wager in each.together if wager != each.wager))}"
    return "not reckoned"


def _both(wagers: tuple[str, ...]) -> str:
    return " and ".join(map(wager_name, wagers))


def what_if(submission: Submission, formats: Formats) -> None:
    """Ask what another paytable would have returned on the wagers that were made."""
    choices = submission.other_paytables
    if not choices:
        return
    source.show(
        markup.section(
            "What if", "What the house should have won on the wagers made so far, had another paytable been filed."
        )
    )
    now = {each.wager: each.paytable for each in submission.offered}
    boxes = st.columns([2, 2, 6], vertical_alignment="bottom")
    with boxes[0]:
        wager = source.choose("Wager", "wager", list(choices)[1:], wager_name, wager_name(next(iter(choices)))) or next(
            iter(choices)
        )
    others = choices[wager]
    with boxes[1]:
        other = (
            source.choose("Instead of " + now[wager], "other", others[1:], _paytable, _paytable(others[0])) or others[0]
        )
    told = source.ask(lambda db: rules.what_if(db, submission, wager, other))
    if told is None:
        source.show(markup.empty("Nothing to reckon", "No such wager was settled yet, or its return is not known."))
        return
    change = told.other_cents - told.theoretical_cents
    now_said, other_said = (
        f"{share(advantage, 3)} of the handle" for advantage in (told.advantage_percent, told.other_advantage_percent)
    )
    figures = [
        markup.figure("Handle", formats.money(told.handle_cents), plural(told.wagers, "wager")),
        markup.figure(f"Due on paytable {told.paytable}", formats.money(told.theoretical_cents), now_said),
        markup.figure(f"Due on paytable {told.other_paytable}", formats.money(told.other_cents), other_said),
        markup.figure("Difference", formats.signed(change), "for the house" if change >= 0 else "for the patrons"),
    ]
    source.show(markup.figures(figures))
    source.show(
        '<p class="rk-note">Expected of the same wagers; patrons may wager otherwise on another paytable. To judge the recorded '
        "rounds by another submission: <code>rack replay --log ADDR --rules FILE</code>.</p>"
    )


def _paytable(name: str) -> str:
    return f"Paytable {name}"


page()
