"""The summary of a survey (`docs/survey.md`), its table (`build/survey.md`), and what its command prints."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from tests.evidence.allowances import Allowances
from tests.evidence.outcomes import Ending
from tests.evidence.report import Line, Report
from tests.evidence.survey import Plan, Tally

MOST_PROBLEMS = 200


def summary(tally: Tally, result: Report) -> str:
    """What the command prints: the table by game and event, then what is wrong."""
    lines = [*table(result.lines), "", _totals(tally, result)]
    lines += [f"! {each}" for each in (*result.stale, *result.problems[:MOST_PROBLEMS])]
    if len(result.problems) > MOST_PROBLEMS:
        lines.append(f"… and {len(result.problems) - MOST_PROBLEMS} more")
    return "\n".join(lines) + "\n"


def page(plan: Plan, tally: Tally, result: Report, allowances: Allowances) -> str:
    """The page."""
    lines = [
        "# Survey of the record",
        "",
        "A fact that no rule reads can be wrong unnoticed. The survey takes honest rounds of every game, simulated",
        "and [golden ones](glossary.md#golden-round), and edits one thing at a time: it drops, repeats and moves every event,",
        "changes every field and every device clock. Then it judges the round and those after it again. An edit",
        "is *noticed* (a finding), makes the round [`UNDETERMINED`](glossary.md#undetermined), or changes nothing; then an entry",
        "of `tests/evidence/allowances.toml` says why it may. The command writes its tables (game, event, field, edit; why an",
        "edit changed nothing) to `build/survey.md`; this page is its summary.",
        "",
        "```",
        "$ make survey",
        "```",
        "",
        _totals(tally, result),
        f"Seed {plan.seed}, {plan.rounds} simulated rounds of each game, and the honest rounds of all golden cases.",
        "",
        "## By game",
        "",
        *_games(result.lines),
        "",
        "## Open",
        "",
        *_open(result),
        "",
        f"Not edited: {', '.join(f'`{event}`' for event in sorted(allowances.frame))} (why: `[frame]` of the same file).",
        "",
    ]
    return "\n".join(lines)


def _totals(tally: Tally, result: Report) -> str:
    statuses = Counter(line.status for line in result.lines)
    wrong = sum(statuses[each] for each in ("unexplained", "money", "crash"))
    return (
        f"{tally.rounds:,} rounds, {tally.edits:,} edits, {len(result.lines):,} rows (game, event, field, edit): "
        f"{statuses['noticed'] + statuses['partial record']:,} noticed or undetermined, {statuses['accepted']:,} explained, "
        f"{statuses['open']:,} open, {wrong:,} unexplained; {len(tally.alarms):,} false alarms."
    )


def _games(lines: Sequence[Line]) -> Iterator[str]:
    """A row for each game: edits by ending."""
    games: dict[str, Counter[Ending]] = defaultdict(Counter)
    for line in lines:
        games[line.row.game].update(line.counts)
    yield "| game | edits | noticed | UNDETERMINED | no effect |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for game, counts in sorted(games.items()):
        noticed, doubt = counts[Ending.NOTICED], counts[Ending.DOUBT]
        yield f"| {game} | {counts.total():,} | {noticed:,} | {doubt:,} | {counts.total() - noticed - doubt:,} |"


def table(lines: Sequence[Line]) -> Iterator[str]:
    """A row for each game, event and field: edits by ending, and the codes that notice them."""
    grouped: dict[tuple[str, str, str], list[Line]] = defaultdict(list)
    for line in lines:
        grouped[line.row.game, line.row.event, line.row.field].append(line)
    yield "| game | event | field | edits | noticed | UNDETERMINED | explained | open | unexplained | codes |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for (game, event, field), members in sorted(grouped.items()):
        counts: Counter[Ending] = Counter()
        silent: Counter[str] = Counter()
        codes: Counter[str] = Counter()
        for line in members:
            counts.update(line.counts)
            silent[line.status] += line.counts[Ending.NOTHING] + line.counts[Ending.MONEY] + line.counts[Ending.CRASH]
            codes.update(line.codes)
        explained = silent["accepted"] + silent["partial record"]
        wrong = silent["unexplained"] + silent["money"] + silent["crash"]
        named = ", ".join(code for code, _ in codes.most_common(6)) + (" …" if len(codes) > 6 else "")
        yield (
            f"| {game} | {event} | {field} | {counts.total():,} | {counts[Ending.NOTICED]:,} | {counts[Ending.DOUBT]:,} | "
            f"{explained:,} | {silent['open']:,} | {wrong:,} | {named or '–'} |"
        )


def reasons(lines: Sequence[Line], allowances: Allowances) -> Iterator[str]:
    """A row for each reason why an edit may change nothing."""
    yield "| reason | rows | in words |"
    yield "| --- | --- | --- |"
    used = Counter(line.entry.text for line in lines if line.entry is not None and line.status == "accepted")
    for name, text in allowances.reasons.items():
        yield f"| {name} | {used[name]:,} | {text} |"


def _open(result: Report) -> Iterator[str]:
    if not result.open:
        yield "Nothing is open."
        return
    missing = Counter(line.entry.text for line in result.open if line.entry is not None)
    yield "| rows | what is missing |"
    yield "| ---: | --- |"
    for text, rows in missing.most_common():
        yield f"| {rows:,} | {text} |"
