"""Observations as markup: results, tasks, rounds, and an entered round with its lines. Pure functions."""

from collections.abc import Mapping, Sequence
from datetime import date

from analytics.statistics.exact import clopper_pearson, trials_without
from analytics.warehouse.observation_results import BROAD, STRICT, ObservationResult
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, day_name
from desk.review.observed_table import EnteredRound, Observation, Selected
from replay.findings import Adjudication
from replay.narrative.events import sentence
from replay.narrative.findings import finding_title
from replay.narrative.names import line_name, plain, plural, table_name, wager_with_number
from replay.narrative.verdicts import RoundVerdict, narrate

LIST = {"Observation": "text", "Selected": "text", "Entered": "short", "Wrong": "number", "Shows": "text", "State": "short"}
WORK = {"Selected": "short", "State": "text", "": "short"}
ROUNDS = {"Round": "short", "Played": "short", "By": "short", "Verdict": "text", "Money": "number", "Confirmed by": "text"}
MONEY = {
    "Seat": "number",
    "Wager": "text",
    "Staked": "number",
    "Due": "number",
    "Done": "number",
    "Why": "text",
    "Section": "text",
}
LINES = {"Event": "number", "Says": "text", "Entered": "text"}
SELECTION = {"random": "at random", "systematic": "by a system", "for_cause": "for cause"}


def purpose(opened: Observation | None) -> str:
    """Return the purpose of an observation in words."""
    if opened is None:
        return "Entered by itself"
    of = f" of {table_name(opened.opened.dealer)}" if opened.opened.dealer else ""
    return f"{plain(opened.opened.purpose).capitalize()}{of}"


def listed(found: Sequence[tuple[ObservationResult, Observation | None]], formats: Formats) -> Html:
    """Return observations as a table, each a link to its tasks."""
    rows = []
    for result, observation in found:
        name = f"{table_name(result.table)} · {result.observation or 'no observation'}"
        named = markup.link("observations", name, table=result.table, observation=result.observation or None)
        rows.append(
            [
                markup.two_lines(named, purpose(observation)),
                SELECTION[observation.opened.selection] if observation is not None else "for cause",
                f"{result.entered} of {result.planned}" if result.planned else str(result.entered),
                result.wrong,
                markup.two_lines(result.sentence, money_words(result, formats)),
                "closed" if result.closed else "open",
            ]
        )
    return markup.table(LIST, rows, "Observations")


def money_words(result: ObservationResult, formats: Formats) -> str:
    """Return the money of an observation: over and under, and for each round."""
    if not result.wrong:
        return ""
    each = formats.signed(round(result.difference_cents / result.known))
    return (
        f"patrons short {formats.money(result.patron_short_cents)}, house short {formats.money(result.house_short_cents)}; "
        f"{each} a round"
    )


def planning(planned: int) -> str:
    """Return what this number of rounds could show.

    >>> planning(10)
    'If all 10 are right, at most 30.8 % of all rounds are wrong (95 %). To show under 5 % takes 59 rounds, under 1 % 299.'
    """
    high = 100 * clopper_pearson(0, planned).high
    return (
        f"If all {planned} are right, at most {high:.1f} % of all rounds are wrong (95 %). To show under 5 % takes "
        f"{trials_without(BROAD)} rounds, under 1 % {trials_without(STRICT)}."
    )


def facts(observation: Observation, formats: Formats) -> Html:
    """Return the opening of an observation: by whom, its frame, its selection with the seed."""
    of = observation.opened
    frame = "not limited"
    if of.frame_from_us is not None:
        frame = f"{formats.day_and_clock(of.frame_from_us)} to {formats.day_and_clock(of.frame_to_us)}"
    rounds = "not counted" if of.frame_rounds is None else plural(of.frame_rounds, "round")
    pairs = [
        ("Opened by", of.by),
        ("Frame", f"{frame}; {rounds}"),
        ("Selected", SELECTION[of.selection] + (f", drawn before viewing (seed {of.seed})" if of.seed else "")),
    ]
    if observation.closed is not None:
        pairs.append(("Closed by", f"{observation.closed.by}: {observation.closed.reason}"))
    return Html(f"<dl class=rk-pair>{''.join(f'<dt>{markup.text(a)}</dt><dd>{markup.text(b)}</dd>' for a, b in pairs)}</dl>")


def results(result: ObservationResult, formats: Formats) -> Html:
    """Return the results of an observation: the sentence, its figures, kinds of errors, the agreement of two observers."""
    figures = {
        "Entered": f"{result.entered} of {result.planned}" if result.planned else result.entered,
        "With a known outcome": result.known,
        "Wrong": result.wrong,
        "Not readable": result.unread,
        "Confirmed": result.confirmed,
    }
    if result.unveiled:
        figures["Seen too early"] = result.unveiled
    lines = [result.sentence]
    if result.interval is None:
        lines.append("Listed only: it counts in no rate.")
    if result.wrong:
        lines.append(money_words(result, formats))
        lines.append(", ".join(f"{finding_title(code)}: {count}" for code, count in result.by_code.items()))
    if result.cards or result.amounts:
        lines.append(
            f"Two observers agree on {result.cards_alike} of {plural(result.cards, 'card')} and {result.amounts_alike} of "
            f"{plural(result.amounts, 'amount')}"
        )
    said = "".join(f"<p>{markup.text(line[:1].upper() + line[1:])}</p>" for line in lines)
    return Html(markup.figures([markup.figure(label, value) for label, value in figures.items()]) + said)


def work(
    selected: Sequence[Selected], observation: Observation, table: str, formats: Formats, days: Mapping[int, str] | None
) -> Html:
    """Return the tasks of an observation.

    Each is done or has a link to enter it. `days` gives the gaming day of each drawn time (None: the viewer may not enter).
    """
    rows: list[list[object]] = []
    counted = observation.opened.frame_rounds is not None
    for each in selected:
        at = "any round" if each.at is None else f"round {each.at}" if counted else formats.day_and_clock(each.at)
        state: object = "to do"
        way: object = ""
        if each.unreadable is not None:
            state = f"cannot be read: {each.unreadable}"
        elif each.round_no is not None:
            state = markup.link("observations", f"entered as round {each.round_no}", table=table, round=each.round_no)
        elif days is not None and observation.closed is None:
            query: dict[str, object] = {"table": table, "observation": observation.opened.observation}
            if each.at is not None and not counted:
                query |= {"at": formats.clock(each.at), "day": days.get(each.at)}
            way = markup.button_link("entry", "Enter", **query)
        rows.append([at, state, way])
    return markup.table(WORK, rows, "What was selected")


def rounds(entered: Sequence[EnteredRound], verdicts: Mapping[int, Adjudication | None], table: str, formats: Formats) -> Html:
    """Return entered rounds as a table of links."""
    rows = []
    for each in entered:
        judged = verdicts.get(each.round_no)
        cents = sum(found.difference_cents or 0 for found in judged.findings) if judged is not None else 0
        said = "withdrawn" if each.is_withdrawn else verdict_words(judged, formats)
        rows.append(
            [
                markup.link("observations", each.round_no, table=table, round=each.round_no),
                day_name(date.fromisoformat(each.header.played_gaming_day)),
                each.header.by,
                said + (" (seen too early)" if each.is_unveiled else ""),
                formats.signed(cents) if cents else "–",
                ", ".join(each.confirmed_by) or "–",
            ]
        )
    return markup.table(ROUNDS, rows, "Rounds")


def verdict_words(judged: Adjudication | None, formats: Formats) -> str:
    """Return the verdict on a round in one sentence."""
    return "not judged yet" if judged is None else narrate(RoundVerdict.of(judged), currency=formats.currency).headline


def settlements(judged: Adjudication, formats: Formats) -> Html:
    """Return the money of an observed round, a row for each wager."""
    rows = [
        [
            each.seat,
            wager_with_number(each.wager, each.number),
            formats.money(each.staked_cents),
            formats.signed(each.due_cents),
            formats.signed(each.done_cents),
            line_name(each.line),
            each.cite,
        ]
        for each in judged.settlements
    ]
    wrong = [
        i
        for i, each in enumerate(judged.settlements)
        if None not in (each.due_cents, each.done_cents) and each.due_cents != each.done_cents
    ]
    return markup.table(MONEY, rows, "Wagers", marked=wrong)


def lines(entered: EnteredRound, formats: Formats) -> Html:
    """Return the lines of an entry, each with its number and its corrections."""
    rows = []
    for seq, counts in entered.counts.items():
        stored = entered.lines[seq].payload
        was = "" if counts == stored else "struck" if counts is None else f"was: {sentence(stored, formats.currency)}"
        if stored.TYPE == "entry_line_added":
            was = sentence(stored, formats.currency)
        rows.append([seq, sentence(stored if counts is None else counts, formats.currency), was or "–"])
    struck = [i for i, each in enumerate(entered.counts.values()) if each is None]
    return markup.table(LINES, rows, "Lines of the entry", marked=struck)
