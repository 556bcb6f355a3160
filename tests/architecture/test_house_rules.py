"""The rules of the house that a machine can check."""

import argparse
import ast
import os
import re
import shlex
import subprocess
import tomllib
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from functools import cache
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from analytics.reports.catalogue import REPORTS
from desk import documents as docs
from rack.cli import COMMANDS, GROUPS, build_parser, command
from rack.installation import PACKAGES
from replay.narrative.findings import TITLES
from replay.run.engine import engine_of
from rulebook.catalogue import GAMES
from scripts import approval_kit

ROOT = Path(__file__).resolve().parents[2]
OURS = ("analytics", "dashboards", "events", "floor", "games", "intake", "rack", "replay")
MAX_LINES = 610
"""A longer file usually holds two things. What is one thing is not cut in two to stay under a number: then this one rises."""
FOLDERS_WITHOUT_MEANING = {"utils", "util", "common", "helpers", "misc"}
HARMLESS_HOSTS = {"127.0.0.1", "localhost", "maven.apache.org", "www.w3.org", "json-schema.org", "host", "broker"}
"""What a set-up file may name: this machine, names of XML and JSON schemas, and the placeholders of addresses of logs."""


@cache
def tracked() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return tuple(name for name in listed.stdout.splitlines() if (ROOT / name).is_file())


def sources(*folders: str) -> list[str]:
    return [name for name in tracked() if name.endswith(".py") and name.split("/")[0] in folders]


def text(name: str) -> str:
    return (ROOT / name).read_text()


def test_no_file_is_too_long() -> None:
    lengths = {name: len(text(name).splitlines()) for name in tracked() if name.endswith(".py")}
    assert {name: n for name, n in lengths.items() if n > MAX_LINES} == {}


DOUBLED_NAMES = {
    "Alarm", "Amendment", "Answer", "Decision", "Door", "Entry", "Form", "House", "Member", "Part", "Place", "Plan",
    "Script", "Settings", "Table",
}  # fmt: skip
"""Classes of these names are in two files or more; another name is to be added to the class, and none to this list."""


def test_the_name_of_a_class_is_in_one_file() -> None:
    """Somebody who searches for a name finds one thing; what begins with `_` is known in its file alone."""
    ours = sources(*OURS, "desk", "discard_rack", "rulebook", "trial", "whatif")
    files = Counter(found for name in ours for found in re.findall(r"^class ([A-Za-z]\w*)", text(name), re.M))
    assert {name for name, count in files.items() if count > 1} == DOUBLED_NAMES


def test_a_local_time_that_people_read_says_its_zone_in_the_hour_that_comes_twice() -> None:
    """A time to the minute or second is UTC and says so, or has the note of its zone, which nothing cuts off."""
    bare = re.compile(r"%H:%M(:%S)?\}(?!\{zone_note)|%H:%M(:%S)?\"\)|clock\([^)\n]*\)\[")
    shown = [name for name in sources(*OURS, "desk") if not name.startswith("replay/transcript/")]
    lines = [(name, line.strip()) for name in shown for line in text(name).splitlines() if bare.search(line)]
    assert [each for each in lines if "UTC" not in each[1] and 'Z"' not in each[1]] == []


def test_an_amount_has_the_currency_of_its_property() -> None:
    """No sign is put before a value but by `replay.narrative.names`, and who forgets the currency prints none (D1442)."""
    signed = re.compile(r'f"[^"]*\$\{(?!name\})|currency: str = "[A-Z]{3}"|\(\$\)')
    ours = sources(*OURS, "desk", "rulebook", "trial", "whatif")
    found = [name for name in ours if any(map(signed.search, text(name).splitlines()))]
    assert found == ["analytics/warehouse/loading.py"], "a log that states none counts in dollars; its facts alone say so"


def test_folders_have_names_that_say_something() -> None:
    folders = {part for name in tracked() for part in Path(name).parts[:-1]}
    assert folders & FOLDERS_WITHOUT_MEANING == set()


def test_no_line_is_hidden_from_the_type_checker() -> None:
    """What a library without types needs is in pyproject.toml, with the reason."""
    mark = "# type: " + "ignore"
    assert [name for name in tracked() if name.endswith(".py") and mark in text(name)] == []


def test_every_connection_to_sqlite_is_closed() -> None:
    """As a context it only commits; what closes it later is the collector, and from Python 3.13 on that is a warning."""
    mark = "with sqlite3" + ".connect("
    assert [name for name in tracked() if name.endswith(".py") and mark in text(name)] == []


def test_text_becomes_html_by_one_function() -> None:
    """What changes the direction of reading is shown as its number; a form gives back what was typed, as it was typed."""
    mark = "from html import " + "escape"
    written = [name for name in tracked() if name.endswith(".py") and mark in text(name) and not name.startswith("scripts/")]
    assert written == ["benchmarks/reporting.py", "dashboards/sign_in/site.py", "dashboards/start/new_house.py"]


def test_tests_run_coroutines_by_one_function() -> None:
    """A worker that has a browser open has a running loop in its main thread, and which worker that is depends on the run."""
    mark = "asyncio." + "run("
    assert [name for name in tracked() if name.startswith("tests/") and name.endswith(".py") and mark in text(name)] == [
        "tests/coroutines.py"
    ]


CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "time"}
TIMED = {"tests/faults/on_kafka/cluster.py"}
"""Files that time a wait for others: for a broker that does not answer."""


def timed(source: str) -> list[int]:
    """Return the lines in which the time between two readings of a clock is taken, except to hold it to what it is at least."""

    def is_reading(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and getattr(node.func, "attr", "").removesuffix("_ns") in CLOCKS

    nodes = list(ast.walk(ast.parse(source)))
    pairs = [(target, node.value) for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    pairs += [
        pair
        for target, value in pairs
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        for pair in zip(target.elts, value.elts, strict=False)
    ]
    names = {ast.unparse(target) for target, value in pairs if is_reading(value)}
    at_least = {
        side
        for node in nodes
        if isinstance(node, ast.Compare) and len(node.ops) == 1
        for side, ops in ((node.left, (ast.Gt, ast.GtE)), (node.comparators[0], (ast.Lt, ast.LtE)))
        if isinstance(node.ops[0], ops)
    }
    return [
        node.lineno
        for node in nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and node not in at_least
        if all(is_reading(side) or ast.unparse(side) in names for side in (node.left, node.right))
    ]


@pytest.mark.slow
def test_no_test_asks_how_long_our_own_work_takes() -> None:
    """A machine may be slow: a test counts work. Programs that print seconds are no tests."""
    shown = "began, n = time.monotonic(), 0\nassert time.monotonic() - began {} 1"
    assert [timed(shown.format(sign)) for sign in ("<", ">=")] == [[2], []]
    files = [name for name in sources("tests") if not name.endswith("__main__.py")]
    assert {name for name in files if timed(text(name))} == TIMED


def test_a_test_that_waits_gives_up_only_if_nothing_moves_for_long() -> None:
    """A limit of less than half a minute is a measurement of the machine."""
    short = re.compile(r"\b(?:monotonic|perf_counter)\(\) \+ (?:[12]?\d)(?:\.\d+)?(?!\d|_)")
    assert [bool(short.search(f"until = time.monotonic() + {limit}")) for limit in ("2.0", "29", "30", "60.0")] == [
        True,
        True,
        False,
        False,
    ]
    assert not [name for name in sources("tests") if "architecture" not in name and short.search(text(name))]


def test_people_append_to_several_streams_only_after_what_they_read() -> None:
    """On Kafka another writer may come between."""
    assert [name for name in sources("desk") if ".append_groups(" in text(name)] == ["desk/house/table_lines.py"]


DIALECT = re.compile(r"\b(beside|[Nn]obody|stands?(?! out)|anew|put right|sign(ed)? over|[Ll]osers left)\b")


@pytest.mark.slow
def test_pages_and_messages_use_plain_words() -> None:
    """Strings with a blank that are no docstring, in the rooms whose words people read; words of the list have better ones."""
    found = []
    for name in sources("dashboards", "desk"):
        tree = ast.parse(text(name))
        docs = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
        found += [
            f"{name}:{each.lineno}: {words[0]}"
            for each in ast.walk(tree)
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in docs and " " in each.value
            if (words := DIALECT.search(each.value)) is not None
        ]
    assert found == []


SECTION = re.compile(r"((\d{3}[a-c](-proposed)?|gegr-002138)\.)?[A-Za-z0-9, ]+(\([A-Za-z0-9]+\))*")


def uncited(source: str) -> list[str]:
    """Return the functions whose `@rule` names no section."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "rule":
                on = {keyword.arg: keyword.value for keyword in decorator.keywords}.get("on")
                named = isinstance(on, ast.Name) and on.id == "EVERY_CHAPTER"
                sections = [each.value for each in on.elts if isinstance(each, ast.Constant)] if isinstance(on, ast.Tuple) else []
                if not named and not (sections and all(SECTION.fullmatch(str(each)) for each in sections)):
                    found.append(node.name)
    return found


def test_every_rule_cites_its_section() -> None:
    assert {name: found for name in sources("replay") if (found := uncited(text(name)))} == {}


def test_every_paytable_cites_its_section() -> None:
    for name in tracked():
        if name.startswith("games/") and name.endswith(".toml"):
            for paytable in tomllib.loads(text(name)).get("paytable", []):
                assert paytable.get("cite"), f"{name}: {paytable.get('wager')} {paytable.get('name')}"


def test_set_up_names_no_host() -> None:
    """Where distributions come from is the machine's matter: neither lock nor scripts name it."""
    set_up = re.compile(
        r"^(requirements.*|pyproject\.toml|Makefile|\.ci/.*|scripts/.*|deploy/.*|events/kafka/development/.*|\.github/.*|compose\.ya?ml|.*\.lock)$"
    )
    options = re.compile("|".join(("index" + "[-_]url", "find" + "[-_]links", "extra" + "-index", "<repo" + "sitory>")), re.I)
    found = []
    for name in tracked():
        if not set_up.match(name):
            continue
        content = text(name)
        found += [f"{name}: {host}" for host in re.findall(r"\w+://([\w.-]+)", content) if host not in HARMLESS_HOSTS]
        found += [f"{name}: {option}" for option in options.findall(content)]
    assert found == []


def test_the_lock_holds_every_dependency_with_its_hashes() -> None:
    project = tomllib.loads(text("pyproject.toml"))
    extras = project["project"]["optional-dependencies"]
    wanted = [
        *project["project"]["dependencies"],
        *(each for extra in extras.values() for each in extra),
        *(each for group in project["dependency-groups"].values() for each in group),
        *project["build-system"]["requires"],
    ]
    names = {re.split(r"[<>=!~ \[]", requirement)[0].lower().replace("_", "-") for requirement in wanted}
    names.remove("discard-rack")  # of the extra that names all others
    entries = re.findall(r"^([a-z0-9-]+)==[^\n]*((?:\n    --hash=sha256:[0-9a-f]{64}[ \\]*)+)", text("requirements.lock"), re.M)
    assert names <= {entry[0] for entry in entries}
    assert len(entries) == len(re.findall(r"^[a-z]", text("requirements.lock"), re.M)), "an entry has no hash"


def test_workflows_pin_every_action_by_its_digest() -> None:
    uses = {name: re.findall(r"uses: (\S+)", text(name)) for name in tracked() if name.startswith(".github/workflows/")}
    assert [each for found in uses.values() for each in found if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []


def test_the_version_is_one() -> None:
    version = re.search(r'^__version__ = "(.+)"$', text("discard_rack/__init__.py"), re.M)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in text("CITATION.cff")
    assert f"\n## {version[1]} - " in text("CHANGELOG.md")


def test_the_extra_all_names_every_other() -> None:
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]
    (every,) = extras.pop("all")
    assert re.fullmatch(r"discard-rack\[(.*)\]", every)[1].split(",") == list(extras)


def test_the_page_of_commands_lists_each_in_its_group_as_its_help_says() -> None:
    listed: dict[str, list[str]] = {}
    for title, name, words in re.findall(r"^## (.+)$|^\* `rack ([a-z-]+)`: (.+)$", text("docs/commands.md"), re.M):
        if title:
            listed[title] = []
        else:
            next(reversed(listed.values())).append(name)
            assert words.startswith(command(name).HELP)
    assert {title: tuple(names) for title, names in listed.items() if names} == GROUPS


def test_what_is_printed_names_documents_that_are_installed() -> None:
    named = {
        (file, name)
        for file in tracked()
        if file.split("/")[0] in PACKAGES and file.endswith((".py", ".toml", ".typ", ".js", ".html"))
        for name in re.findall(r"docs/[a-z][\w-]+\.md(?:#[\w-]+)?", text(file))
    }
    assert len(named) > 40
    for file, name in sorted(named):
        page, anchor = docs.place_of(name)
        assert anchor is None or anchor in anchors(f"docs/{page}.md"), (file, name)
    assert tomllib.loads(text("pyproject.toml"))["tool"]["setuptools"]["data-files"] == {
        "/".join(docs.INSTALLED): ["docs/*.md"],
        "/".join((*docs.INSTALLED, "examples")): [f"docs/examples/*.{form}" for form in ("py", "sql", "toml")],
    }


CONTROLS = [
    (path.name, control)
    for path in sorted((ROOT / "docs/controls").glob("*.toml"))
    for control in tomllib.loads(path.read_text())["control"]
]


@pytest.mark.parametrize(("file", "control"), CONTROLS, ids=[f"{file} {each['section']}" for file, each in CONTROLS])
def test_a_control_is_answered_by_what_is_there_or_is_not_ours(file: str, control: dict[str, Any]) -> None:
    assert control["requirement"]
    assert len({"answer", "not_ours", "not_held"} & set(control)) == 1
    assert "answer" not in control or control.get("tests")
    assert set(control.get("commands", ())) <= set(COMMANDS)
    assert set(control.get("reports", ())) <= set(REPORTS)
    assert [name for name in control.get("tests", ()) if name not in tracked()] == []
    for page, _, anchor in (name.partition("#") for name in control.get("documents", ())):
        assert (ROOT / "docs" / page).is_file()
        assert not anchor or anchor in anchors(f"docs/{page}"), anchor


def test_every_finding_and_every_decision_has_its_place_in_a_document() -> None:
    """`.venv/bin/python -m scripts.findings` makes it."""
    assert text("docs/findings.md") == docs.findings(whole=False)
    for named in (*TITLES, *tomllib.loads(text("rulebook/decisions.toml"))):
        if named != "subjects":
            page, anchor = docs.place_of(named)
            assert anchor in anchors(f"docs/{page}.md"), named


@pytest.mark.slow
def test_the_kit_for_a_laboratory_has_every_engine_chapter_golden_file_test_and_control() -> None:
    shown = unescape(approval_kit.kit())
    assert [engine_of(game) for game in GAMES if engine_of(game) not in shown] == []
    sources = [file for file in tracked() if re.fullmatch(r"games/.+\.rounds|tests/.+/test_\w+\.py", file)]
    assert [file for file in sources if f"<td>{file}</td>" not in shown] == []
    chapters = [file for file in tracked() if re.fullmatch(r"games/\w+/chapters/.+\.toml", file)]
    assert [each for each in chapters if sha256((ROOT / each).read_bytes()).hexdigest() not in shown] == []
    assert [control["section"] for _, control in CONTROLS if f"<td>{control['requirement']}</td>" not in shown] == []


def test_the_readme_is_a_page() -> None:
    assert text("README.md").count("\n") <= 120


DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
)


def subparsers() -> dict[str, argparse.ArgumentParser]:
    action = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


def options_of(parser: argparse.ArgumentParser, words: Sequence[str]) -> set[str]:
    """The options of a command, or of the action of a command that the first word names."""
    known = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words:
            known |= set(action.choices[words[0]]._option_string_actions)
    return known


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_name_only_what_is_there(document: str) -> None:
    content = text(document)
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.M))
    assert set(re.findall(r"`make ([a-z-]+)", content)) | set(re.findall(r"^ *\$? ?make ([a-z-]+)", content, re.M)) <= targets
    parsers = subparsers()
    for line in re.findall(r"(?:`|^ *\$ )rack ([a-z][^`\n]*)", content, re.M):
        words = line.split()
        assert words[0] in COMMANDS, line
        options = {word.split("=")[0] for word in words if word.startswith("--")}
        assert options <= options_of(parsers[words[0]], words[1:]), line
    for linked in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", content):
        assert ((ROOT / document).parent / linked).exists(), linked


FENCED = re.compile(r"^```.*?^```", re.M | re.S)
IN_CODE = re.compile(r"`([^`\n]+)`")
BETWEEN_NAMES = re.compile(r"[\s,;()]+")
CODE_PATH = re.compile(r"(?:[\w.*-]+/)*[\w*-]+\.(?:py|sql)|(?:[\w.*-]+/)+[\w.*-]+\.toml")
"""A source or rules file, with its folders or without; `*` represents any name."""
ROOM = re.compile(r"[a-z_]+/")
NO_PATHS = {"rack/key/v1", "floor.key.pub"}
"""What is signed begins so, and a file in examples: neither is a path or a module of ours."""


def absent_names(content: str) -> list[str]:
    """Return the paths and modules in the code spans of a document that are not in the tree.

    A path may begin at any folder, a module begins with a package; `<name>` represents any name, `:name` after a file for
    what is in it.
    """
    words = [word for span in IN_CODE.findall(FENCED.sub("", content)) for word in BETWEEN_NAMES.split(span)]
    return [word for word in words if word not in NO_PATHS and not _is_there(re.sub(r"<[^>]*>", "*", word.rstrip(".")))]


def _is_there(word: str) -> bool:
    """Whether a word is no path and no module, or one that is in the tree."""
    packages = {name.split("/")[0] for name in tracked() if "/" in name}
    path = word.split(":")[0]
    if CODE_PATH.fullmatch(path) or ROOM.fullmatch(path) or ("/" in path and path.split("/")[0] in packages):
        inside = f"/{path}*" if path.endswith("/") else f"/{path}"
        return any(fnmatch(f"/{name}", f"*{inside}") or fnmatch(f"/{name}", f"{inside}/*") for name in tracked())
    if re.fullmatch(r"[a-z]+(?:\.[A-Za-z_]\w*)+", word) and word.split(".")[0] in packages and word not in tracked_names():
        parts = word.split(".")
        whole, parent, last = "/".join(parts), "/".join(parts[:-1]), parts[-1]
        known = set(tracked())
        if {f"{whole}.py", f"{whole}/__init__.py"} & known:
            return True
        home = next((name for name in (f"{parent}.py", f"{parent}/__init__.py") if name in known), None)
        return home is not None and re.search(rf"^(?:def |class )?{last}\b", text(home), re.M) is not None
    return True


@cache
def tracked_names() -> frozenset[str]:
    """The names of all files, without their folders."""
    return frozenset(Path(name).name for name in tracked())


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name != "CHANGELOG.md"])
def test_documents_name_only_files_and_modules_that_exist(document: str) -> None:
    """The changelog names what earlier versions had."""
    assert absent_names(text(document)) == []


def anchors(document: str) -> set[str]:
    """What a link can point at in a document: its anchors, and its headings as GitHub names them."""
    return set(docs.parts(text(document)))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_into_documents_find_their_place(document: str) -> None:
    for page, anchor in re.findall(r"\]\(([\w./-]*\.md|)#([^)]+)\)", text(document)):
        target = ((ROOT / document).parent / page).resolve() if page else ROOT / document
        assert anchor in anchors(str(target.relative_to(ROOT))), f"{page}#{anchor}"


GLOSSARY = re.findall(r'^\* <a id="([a-z-]+)"></a>\*\*([^*]+)\*\* (.+)$', text("docs/glossary.md"), re.M)
"""Anchor, term and definition of every entry."""


def test_the_glossary_defines_each_term_once_in_the_order_of_the_alphabet() -> None:
    assert len(GLOSSARY) == text("docs/glossary.md").count("\n* ")
    assert len(GLOSSARY) == len({anchor for anchor, _, _ in GLOSSARY})
    terms = [term.rstrip(".").lower() for _, term, _ in GLOSSARY]
    assert terms == sorted(set(terms))


def test_the_glossary_defines_in_at_most_three_sentences() -> None:
    assert [term for _, term, meaning in GLOSSARY if len(re.findall(r"[.:?!](?: |$)", meaning)) > 3] == []


def test_the_index_of_the_documentation_names_every_page() -> None:
    linked = set(re.findall(r"\]\(([a-z0-9-]+\.[a-z.]+)\)", text("docs/README.md")))
    pages = {page.name for page in (ROOT / "docs").iterdir() if page.suffix in (".md", ".json", ".yaml")}
    assert linked == pages - {"README.md"}


@cache
def parser() -> argparse.ArgumentParser:
    return build_parser()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_commands_of_the_documents_are_read_as_they_stand(document: str) -> None:
    """A line that begins with `$ rack` can be copied into a shell."""
    whole_lines = re.sub(r" *\\\n +", " ", text(document))
    for line in re.findall(r"^ *\$ (?:[^\n]*\| *)?rack ([a-z][^\n]*)", whole_lines, re.M):
        try:
            parser().parse_args(shlex.split(line, comments=True))
        except SystemExit as end:
            raise AssertionError(f"{document}: rack {line}") from end


CITED = re.compile(r"\bD[1-9][0-9]{0,3}\b")
NO_TEXT = (".png", ".gif", ".ttf", ".svg", ".lock", ".parquet", ".npz", ".zst", ".xz")
NO_CITATIONS = {"pyproject.toml"}
"""Names rules of the linter, which are numbered likewise."""
MADE_UP = {"D999"}
"""What tests ask for because it does not exist."""


def test_every_decision_that_is_cited_exists() -> None:
    filed = set(tomllib.loads(text("rulebook/decisions.toml"))) - {"subjects"}
    missing = {
        name: unknown
        for name in tracked()
        if not name.endswith(NO_TEXT)
        and name not in NO_CITATIONS
        and (unknown := set(CITED.findall(text(name))) - filed - MADE_UP)
    }
    assert missing == {}


def test_a_decision_has_one_number_and_a_number_one_decision() -> None:
    """TOML itself refuses a table that is twice; the document has each once, with an anchor."""
    filed = list(tomllib.loads(text("rulebook/decisions.toml")))
    anchors = re.findall(r'^\* <a id="(d[0-9]+)"></a>\*\*(D[0-9]+)\*\* ', text("docs/decisions.md"), re.M)
    assert sorted(number for _, number in anchors) == sorted(filed[1:])
    assert all(anchor == number.lower() for anchor, number in anchors)


def test_the_document_of_the_decisions_is_made_of_their_source() -> None:
    """`.venv/bin/python scripts/decisions.py` makes it."""
    assert text("docs/decisions.md") == docs.decisions(text("rulebook/decisions.toml"), whole=False)


def test_a_decision_has_at_most_three_sentences() -> None:
    written = list(tomllib.loads(text("rulebook/decisions.toml")).items())[1:]
    ends = re.compile(r"[.!?][\"')]*\s+(?=[A-Z\"'(§`])")
    assert [number for number, decision in written if len(ends.findall(decision["reading"])) >= 3] == []


def test_decisions_stand_in_the_order_of_their_numbers() -> None:
    numbers = [int(number[1:]) for number in list(tomllib.loads(text("rulebook/decisions.toml")))[1:]]
    assert numbers == sorted(numbers)


def test_every_target_of_the_makefile_is_explained() -> None:
    makefile = text("Makefile")
    phony = set(re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split())
    assert phony == set(re.findall(r"^([a-z-]+):.*## ", makefile, re.M))


@pytest.mark.xdist_group("house")
def test_tests_that_share_a_broker_or_a_browser_stay_together(request: pytest.FixtureRequest) -> None:
    """The parallel run tells groups by what it adds to the name of a test; if that fails, it says nothing of it."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("one process runs all tests")
    assert request.node.nodeid.endswith("@house")
