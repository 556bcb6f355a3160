"""Rules: which rules apply at a table, what do its wagers return, and what would another paytable return?"""

from datetime import date
from functools import partial

import streamlit as st

from analytics import rules
from analytics.rules import FiledSubmission, OfferedWager, ReadSubmission, WhatIf
from analytics.warehouse.warehouse import Warehouse
from dashboards.drawing import decisions, markup
from dashboards.drawing.decisions import linked
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, day_name, share
from dashboards.parts import source
from replay.narrative.names import (
    edition_changes,
    game_name,
    line_name,
    plural,
    readable,
    table_name,
    wager_name,
    wager_with_paytable,
)

HISTORY = {"State": "short", "Submission": "text", "From gaming day": "short", "Judged by it": "number", "Filed": "text"}
WAGERS = {
    "Wager": "short",
    "Paytable": "text",
    "Limits": "short",
    "Returns": "number",
    "House advantage": "number",
    "Deviation": "number",
    "Wins": "number",
    "How it is known": "text",
}
WHAT_IF = {
    "Wager": "text",
    "Handle": "number",
    "Theoretical win, filed": "number",
    "Theoretical win, other": "number",
    "95 % range": "number",
    "Difference": "number",
}
STATES = {
    "in force": ("rk-v-upheld", "✔\N{VARIATION SELECTOR-15}"),
    "to come": ("rk-medium", "▷"),
    "replaced": ("rk-low", "○"),
    "never used": ("rk-low", "∅"),
}
HELD = {"program": "by the program", "property": "by this property", "not held": "no"}


def page() -> None:
    """Lay the page out: the decision or finding of a link, a table's rules, and all decisions."""
    source.begin()
    source.heading("Rules", "The rules that each table filed, and what its wagers return.")
    source.show(decisions.account(st.query_params.get("decision")))
    source.show(decisions.finding_account(st.query_params.get("code")))
    _rules_of_a_table()
    every_edition()
    source.on_opening("How ambiguous rules are interpreted", lambda: source.show(decisions.listing()))
    source.watch()


def every_edition() -> None:
    """Offer the editions of all chapters: the changes of each, its date, and what is not held."""
    columns = {"Chapter": "short", "Edition": "number", "From": "short", "Published": "text", "Held": "short", "Changes": "text"}
    rows = [
        (
            each.chapter,
            each.edition or "–",
            day_name(date.fromisoformat(each.effective)) if each.effective else "–",
            each.cite or "–",
            HELD[each.held],
            edition_changes(each.changes),
        )
        for each in source.ask(rules.editions)
    ]
    source.on_opening("Editions of the chapters", lambda: source.table(columns, rows, "Editions"))


def _rules_of_a_table() -> None:
    """Show a table's submissions, the wagers of one, and the what-if; or what to do if nothing was filed."""
    filed = source.ask(rules.filings)
    if not filed:
        source.empty(
            "No rules submission on record",
            "A table files its rules with a `rules_filed` event. `rack rules list` shows what can be filed; after that run "
            "`rack replay --log ADDR --warehouse FILE`.",
        )
        return
    formats = source.formats()
    tables = list(dict.fromkeys(each.table_id for each in filed))
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    with left:
        table = source.choose_one("Table", "table", tables, table_name)
    of_table = [each for each in filed if each.table_id == table]
    shown = next((each for each in of_table if str(each.seq) == st.query_params.get("filing")), None) or _first(of_table)
    with right:
        source.show(tables_with_the_same(filed, shown))
    source.show(history(of_table, shown, formats))
    submission = rules.read_filing(shown)
    if isinstance(submission, str):
        source.notice("This submission was refused, and never came into force", submission)
    else:
        show_wagers(submission, formats)
        show_pay_lines(submission, formats)
        show_what_if(submission, formats)

    def filing() -> None:
        st.code(shown.toml, language="toml")
        source.show(f'<p class="rk-hash">SHA-256 {markup.text(shown.digest)}</p>')

    label = f"Filing: {shown.submission}, event {shown.seq:,} of {table_name(table)}"
    source.on_opening(label, filing, expanded=isinstance(submission, str))


def _first(of_table: list[FiledSubmission]) -> FiledSubmission:
    return next((each for each in of_table if each.state == "in force"), of_table[0])


def tables_with_the_same(filed: list[FiledSubmission], shown: FiledSubmission) -> Html:
    """Show which other tables play by the same submission."""
    others = sorted(
        {each.table_id for each in filed if each.digest == shown.digest and each.state == "in force"} - {shown.table_id}
    )
    if not others:
        return Html("")
    return Html(f'<p class="rk-note">The same is in force at {markup.text(", ".join(map(table_name, others)))}.</p>')


def history(of_table: list[FiledSubmission], shown: FiledSubmission, formats: Formats) -> Html:
    """Return a table's submissions, newest first, each a link to its wagers."""
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
                    markup.link("rules", each.submission, table=each.table_id, filing=each.seq), f"SHA-256 {each.digest[:16]}…"
                ),
                day_name(each.effective_gaming_day),
                markup.two_lines(plural(each.rounds, "round"), days),
                markup.two_lines(f"event {each.seq:,}", below),
            ]
        )
    return markup.table(HISTORY, rows, "Rules submissions of this table")


def show_wagers(submission: ReadSubmission, formats: Formats) -> None:
    """Show the offered wagers, their limits, and the exact return of each."""
    offered = submission.offered
    source.section(
        f"{game_name(submission.game)} under {_edition(submission.chapter)}",
        "Per amount wagered; the last column says how it is known.",
    )
    source.table(WAGERS, [_row(each, formats) for each in offered], "Wagers offered and what they return")
    notices = [(each.wager, notice) for each in offered if each.figures for notice in each.figures.notices]
    for wager, notice in dict.fromkeys(notices):
        source.note(f"{markup.text(wager_name(wager))}: {linked(notice)}")


def _edition(key: str) -> str:
    name, _, number = key.partition("#")
    return f"{name}, edition {number}" if number else name


def _row(each: OfferedWager, formats: Formats) -> list[object]:
    figures = each.figures
    limits = f"{formats.chips(each.min_cents)} to {formats.chips(each.max_cents)}"
    if figures is None:
        return [wager_name(each.wager), each.paytable or "–", limits, "–", "–", "–", "–", _why_not(each)]
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
    """Show why a wager has no figures of its own."""
    if each.reading:
        return f"filed: {each.reading}; the return by this reading is not computed"
    if each.together:
        return f"settled with {_both(tuple(wager for wager in each.together if wager != each.wager))}"
    return "not computed"


def _both(wagers: tuple[str, ...]) -> str:
    return " and ".join(map(wager_name, wagers))


def show_pay_lines(submission: ReadSubmission, formats: Formats) -> None:
    """Show the lines of each filed paytable: the payout of each, and its frequency."""
    for each in submission.offered:
        if not each.lines:
            continue
        with st.expander(f"Pay lines: {wager_with_paytable(each.wager, each.paytable)}"):
            envy = any(line.envy_cents for line in each.lines)
            rows = [
                [
                    line_name(line.hand),
                    readable(line.pays, formats.currency),
                    *([formats.chips(line.envy_cents) if line.envy_cents else "–"] if envy else []),
                    "–" if line.chance is None else share(100 * line.chance, 6),
                    "–" if not line.chance else f"1 in {1 / line.chance:,.0f}",
                ]
                for line in each.lines
            ]
            columns = {"Pay line": "text", "Pays": "text", **({"Envy Bonus": "number"} if envy else {})}
            columns |= {"Frequency": "number", "Odds": "number"}
            source.table(columns, rows, f"Pay lines of {wager_with_paytable(each.wager, each.paytable)}")


def show_what_if(submission: ReadSubmission, formats: Formats) -> None:
    """Ask for other paytables of one or several wagers, and show what they would have returned on past wagers."""
    choices = submission.other_paytables
    if not choices:
        return
    source.section("What if", "What the house should have won on the wagers made so far, had other paytables been filed.")
    filed = {each.wager: each.paytable for each in submission.offered}
    others: dict[str, str] = {}
    boxes = st.columns(4)
    for place, (wager, names) in enumerate(choices.items()):
        with boxes[place % 4]:
            other = source.choose(
                wager_name(wager), f"other-{wager}", names, "Paytable {}".format, f"As filed: paytable {filed[wager]}"
            )
        if other is not None:
            others[wager] = other
    if not others:
        source.note("Choose another paytable for one wager or several.")
        return
    everywhere = st.toggle(
        "All tables", key="what-if-all", bind="query-params", help="Every table of this chapter, whatever paytable it filed"
    )
    known: list[WhatIf] = []
    unknown: list[str] = []
    for wager, other in others.items():
        found = source.ask(partial(_answers, submission=submission, wager=wager, other=other, everywhere=everywhere))
        known += found
        unknown += [] if found else [wager_name(wager)]
    if known:
        rows = [_what_if_row(answer, formats) for answer in known]
        source.table(WHAT_IF, [*rows, *_sum_row(known, formats)], "What other paytables would have returned")
    if unknown:
        source.empty(f"Not computed: {', '.join(unknown)}", "No such wager was settled yet, or its return is not known.")
    source.note(
        "Expected of the same wagers; patrons may wager otherwise on another paytable. Range: 95 of 100 such "
        "periods, on the other paytable; of a sum, the wagers taken as ending together. A Progressive is counted with what its "
        "meter pays, which is no part of the house win on Hold. To judge the recorded rounds by another "
        "submission: <code>rack replay --log ADDR --rules FILE</code>."
    )


def _answers(db: Warehouse, *, submission: ReadSubmission, wager: str, other: str, everywhere: bool) -> list[WhatIf]:
    if everywhere:
        return rules.what_if_anywhere(db, submission, wager, other)
    answer = rules.what_if(db, submission, wager, other)
    return [] if answer is None else [answer]


def _what_if_row(answer: WhatIf, formats: Formats) -> list[object]:
    return [
        markup.two_lines(wager_name(answer.wager), plural(answer.wagers, "wager")),
        formats.money(answer.handle_cents),
        markup.two_lines(
            formats.money(answer.theoretical_cents), f"paytable {answer.paytable}: {share(answer.advantage_percent, 3)}"
        ),
        markup.two_lines(
            formats.money(answer.other_cents), f"paytable {answer.other_paytable}: {share(answer.other_advantage_percent, 3)}"
        ),
        _range(answer.other_cents, answer.below_cents, answer.above_cents, formats),
        formats.signed(answer.other_cents - answer.theoretical_cents),
    ]


def _sum_row(answers: list[WhatIf], formats: Formats) -> list[list[object]]:
    """Return the sum of several wagers; half-widths are added, since wagers on one hand are correlated to an unknown degree."""
    if len(answers) < 2:
        return []
    due, other = sum(each.theoretical_cents for each in answers), sum(each.other_cents for each in answers)
    ends = [[getattr(each, name) for each in answers] for name in ("below_cents", "above_cents")]
    below, above = (None if None in end else sum(end) for end in ends)
    return [
        [
            "All of these",
            formats.money(sum(each.handle_cents for each in answers)),
            formats.money(due),
            formats.money(other),
            _range(other, below, above, formats),
            formats.signed(other - due),
        ]
    ]


def _range(middle: int, below: int | None, above: int | None, formats: Formats) -> str:
    return "–" if below is None or above is None else f"{formats.money(middle - below)} to {formats.money(middle + above)}"


page()
