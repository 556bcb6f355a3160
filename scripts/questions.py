"""Make the list of questions in docs/analyst-guide.md from analytics/questions.py: `python -m scripts.questions`."""

from pathlib import Path

from analytics.questions import QUESTIONS

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "analyst-guide.md"
BEGIN, END = "<!-- questions: made by scripts/questions.py -->\n", "<!-- end of questions -->\n"
COMMANDS = {"hold": "rack hold", "errors": "rack dealer-errors"}


def table() -> str:
    """Return the list of questions: the command, the question, the dimensions of `--by`, and the page view that shows it."""
    rows = ["| command | answers | `--by` | page |", "| --- | --- | --- | --- |"]
    for each in QUESTIONS:
        dimensions = f"`{', '.join(each.breakdowns())}`" if each.dimensions else "–"
        rows.append(f"| `{COMMANDS[each.subject]} {each.name}` | {each.title} | {dimensions} | {each.page or '–'} |")
    return "\n".join(rows) + "\n"


def document(text: str) -> str:
    """Return the document with the present list."""
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n" + table() + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    DOCUMENT.write_text(document(DOCUMENT.read_text("utf-8")), "utf-8")
