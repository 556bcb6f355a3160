"""The results of the device tests, and the place of each, in words. Pure functions."""

from typing import Any

import polars as pl

from analytics.fairness import fairness
from dashboards.drawing import markup
from replay.narrative.names import game_name, plural, position_name, table_name


def answer(found: pl.DataFrame) -> markup.Html:
    """Return the results of the tests in one sentence."""
    alarms, blind = int(found["alarm"].sum()), int((found["verdict"] == "cannot_tell").sum())
    below = f"If every device is fair, 1 report in {1 / fairness.ALARM_LEVEL:.0f} raises a false alarm."
    if alarms:
        kind, shape, words = "under", "◆", f"Chance does not explain {alarms:,} of {plural(found.height, 'test')}."
    elif 2 * blind > found.height:
        kind, shape = "unknown", "?"
        are = "is" if blind == 1 else "are"
        words = f"Nothing stands out, but {blind:,} of {plural(found.height, 'test')} {are} inconclusive."
    else:
        kind, shape, words = "upheld", "✔\ufe0e", f"Chance explains all of {plural(found.height, 'test')}."
        below = f"{plural(blind, 'test')} {'is' if blind == 1 else 'are'} inconclusive. {below}" if blind else below
    return markup.Html(
        f'<div class="rk-answer rk-a-{kind}" role="status"><div class="rk-answer-shape" aria-hidden="true">{shape}</div>'
        f'<div><p class="rk-answer-words">{words}</p><p class="rk-under">{below}</p></div></div>'
    )


def where(row: dict[str, Any]) -> str:
    """Return the place of a test: the table, the dice, the position, the shuffle."""
    parts = [table_name(row["table_id"])] if row["table_id"] else [game_name(row["game"])] if row["game"] else ["The floor"]
    parts += [f"dice {row['dice_set']}"] if row["dice_set"] else []
    parts += [f"die {row['die']}"] if row["die"] else []
    parts += [position_name(int(at) if at.isdigit() else at)] if (at := str(row["position"] or "")) else []
    parts += [f"{row['method']} shuffle"] if row["method"] else []
    parts += [f"deck {row['deck']}"] if row["deck"] else []
    return " · ".join(parts)
