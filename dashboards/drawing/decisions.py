"""The decisions on ambiguous texts, from `decisions.toml` alone: their numbers and finding codes on a page become links."""

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from desk.printable import escape
from replay.narrative.findings import finding_title

NUMBER = re.compile(r"\bD[1-9][0-9]{0,3}\b")
CITED = re.compile(r" \(D[1-9][0-9]{0,3}(?:, D[1-9][0-9]{0,3})*\)")


@dataclass(frozen=True)
class Decision:
    """One decision: its number, its subject, what Discard Rack does, and why, if stated separately."""

    number: str
    subject: str
    where: str
    reading: str
    money: str = ""
    reason: str = ""


@functools.cache
def decisions() -> Mapping[str, Decision]:
    """Return number → decision, in numeric order, with the subject in words.

    >>> decisions()["D8"].where
    'copies'
    """
    filed = tomllib.loads(resources.files("rulebook").joinpath("decisions.toml").read_text(encoding="utf-8"))
    subjects = filed.pop("subjects")
    return {
        number: Decision(number=number, **{**fields, "subject": subjects[fields["subject"]]}) for number, fields in filed.items()
    }


def linked(words: object) -> Html:
    """Return words as markup in which each decision's number links to its text.

    >>> linked("odds < 2, see D999")
    'odds &lt; 2, see D999'
    """
    return Html(NUMBER.sub(lambda found: _link(found[0]), markup.text(words)))


def plain(words: str) -> str:
    """Return words without parenthesized decision numbers, for a menu or a drawing, which can hold no link.

    >>> plain("with its true odds (D3)")
    'with its true odds'
    """
    return CITED.sub("", words)


def _link(number: str) -> str:
    decision = decisions().get(number)
    if decision is None:
        return number
    return (
        f'<a class="rk-decision" href="{escape(markup.href("rules", decision=number))}" target="_self" '
        f'title="{escape(f"{number}, {decision.where}: {decision.reading}")}">{number}</a>'
    )


def finding_link(code: str) -> Html:
    """Return a finding's code as a link to its explanation.

    >>> finding_link("<X>")
    '&lt;X&gt;'
    """
    words = _explanations().get(code)
    if words is None:
        return markup.text(code)
    at = escape(markup.href("rules", code=code))
    return Html(f'<a class="rk-decision" href="{at}" target="_self" title="{escape(_in_words(words))}">{code}</a>')


def finding_account(code: str | None) -> Html:
    """Return the explanation of a finding's code as on the Rules page; empty for an unknown code."""
    words = _explanations().get(code or "")
    if words is None or code is None:
        return Html("")
    more = f"rack docs {code}"
    return Html(
        f'<div class="rk-step"><strong>{code}</strong> <span class="rk-soft">{escape(finding_title(code))} · '
        f"<code>{more}</code></span><p>{linked(_in_words(words))}</p></div>"
    )


def _explanations() -> Mapping[str, Sequence[str]]:
    from replay.transcript.entry import explanations  # with the judge: not before a finding is shown

    return explanations()


def _in_words(said: Sequence[str]) -> str:
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", r"\1 (docs/\2)", " ".join(said))


def account(number: str | None) -> Html:
    """Return a decision in full as on the Rules page; empty for an unknown number."""
    decision = decisions().get(number or "")
    if decision is None:
        return Html("")
    reason = f'<p class="rk-note">Reason: {linked(decision.reason)}</p>' if decision.reason else ""
    return Html(
        f'<div class="rk-step"><strong>{decision.number}</strong> <span class="rk-soft">{escape(decision.subject)} · '
        f"{linked(decision.where)}</span><p>{linked(decision.reading)}</p>{reason}</div>"
    )


def listing() -> Html:
    """Return all decisions by subject, each with its number as a link."""
    by_subject: dict[str, list[str]] = {}
    for decision in decisions().values():
        row = f"<dt>{_link(decision.number)}</dt><dd>{linked(decision.reading)}</dd>"
        by_subject.setdefault(decision.subject, []).append(row)
    return Html(
        "".join(f'{markup.section(subject)}<dl class="rk-decisions">{"".join(rows)}</dl>' for subject, rows in by_subject.items())
    )
