"""`rack theory`: the return of every wager and paytable, by complete enumeration if possible."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import msgspec

from rack.arguments import add, is_given, option, positive
from rack.errors import Exit, UsageError, require_extras
from rack.output import Output, table

if TYPE_CHECKING:
    from analytics.theory.theory import Return

HELP = "Print the theoretical return of every wager and paytable, exact wherever it can be enumerated"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "game GAME", "Only this game, such as face_up_pai_gow.", nargs="?")
    add(parser, "--chapter KEY", "Only this chapter; may be one that was never in force (pa-688a-proposed).")
    add(parser, "--lines", "Print the frequency of each pay line.")
    add(parser, "--markdown", "Print the table as in docs/theory.md.")
    add(
        parser,
        "--compute TABLE",
        "Enumerate the given tables, or all, again and write them to analytics/theory/returns.",
        nargs="*",
    )
    add(parser, "--rounds N", "with --compute: rounds that a simulation plays.", type=positive)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print the returns, or enumerate them again."""
    if arguments.compute is not None:
        for name in ("game", "chapter", "lines", "markdown"):
            if is_given(arguments, name):
                raise UsageError(f"--compute takes no {'game' if name == 'game' else option(name)}")
        _compute(arguments.compute, arguments.rounds, output)
        return Exit.CLEAN
    if arguments.rounds is not None:
        raise UsageError("--rounds needs --compute")
    if arguments.markdown and arguments.lines:
        raise UsageError("--markdown prints no pay lines; leave out --lines")
    from analytics.theory.theory import games_listed, returns
    from rulebook.chapters.chapters import known_chapters

    if arguments.game is not None and arguments.game not in games_listed():
        raise UsageError(f"{arguments.game}: no game with returns is called so; expected one of {', '.join(games_listed())}")
    if arguments.chapter is not None and arguments.chapter not in known_chapters():
        raise UsageError(f"{arguments.chapter}: no such chapter; expected one of {', '.join(known_chapters())}")
    found = returns(arguments.game, arguments.chapter)
    output.value([msgspec.structs.asdict(each) for each in found])
    if arguments.markdown:
        output.text(*_markdown(found))
    else:
        output.text(*table(HEADER, _rows(found)), *(_lines(found) if arguments.lines else ()), *_notices(found))
    return Exit.CLEAN


HEADER = ("game", "wager", "paytable", "return %", "per base unit %", "std dev", "hits %", "± %", "method")


def _rows(found: list[Return]) -> list[tuple[str, ...]]:
    return [
        (
            each.game,
            each.wager,
            each.paytable or "–",
            f"{each.return_percent:.3f}",
            f"{each.return_percent_per_base_unit:.3f}",
            f"{each.std_dev:.3f}",
            f"{100 * each.hit_frequency:.3f}",
            f"{each.std_error_percent:.3f}" if each.std_error_percent else "–",
            each.method.partition(", ")[0],
        )
        for each in found
    ]


def _markdown(found: list[Return]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (HEADER, ("---",) * len(HEADER), *_rows(found))]


def _lines(found: list[Return]) -> list[str]:
    rows = [
        (each.wager, each.paytable or "–", hand, number, f"{100 * _probability(number, each.total):.6f}")
        for each in found
        for hand, number in each.lines.items()
    ]
    return ["", *table(("wager", "paytable", "line", "hands", "%"), rows)]


def _probability(number: int | float, total: int) -> float:
    return number if isinstance(number, float) else number / total


def _notices(found: list[Return]) -> list[str]:
    lines = [f"{each.game} {each.wager} {each.paytable or '–'}: {notice}" for each in found for notice in each.notices]
    return ["", *lines] if lines else []


def _compute(names: list[str], rounds: int | None, output: Output) -> None:
    from analytics.theory.enumeration.tables import compute, table_names
    from analytics.theory.returns import write

    require_extras("theory --compute")
    unknown = [name for name in names if name not in table_names()]
    if unknown:
        raise UsageError(f"{unknown[0]}: no such table; expected some of {', '.join(table_names())}")
    written = []
    for name in names or table_names():
        output.note(f"counting {name} …")
        written.append(str(write(name, compute(name, rounds))))
        output.text(written[-1])
    output.value(written)
