"""The rules of the house that a machine can check."""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from rack.cli import COMMANDS, build_parser

ROOT = Path(__file__).resolve().parents[2]
OURS = ("analytics", "dashboards", "events", "floor", "games", "rack", "replay")
MAX_LINES = 600
"""A longer file usually holds two things. What is one thing is not cut in two to stay under a number: then this one rises."""
FOLDERS_WITHOUT_MEANING = {"utils", "util", "common", "helpers", "misc"}
HARMLESS_HOSTS = {"127.0.0.1", "localhost", "maven.apache.org", "www.w3.org", "json-schema.org", "host", "broker"}
"""What a set-up file may name: this machine, names of XML and JSON schemas, and the placeholders of addresses of logs."""


@cache
def tracked() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
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


def test_folders_have_names_that_say_something() -> None:
    folders = {part for name in tracked() for part in Path(name).parts[:-1]}
    assert folders & FOLDERS_WITHOUT_MEANING == set()


def test_the_checker_overlooks_one_thing_and_says_why() -> None:
    """The tests are not type-checked, so that nothing in them is to be overlooked."""
    told = re.compile(r"# type: " + r"ignore[^\n]*")
    found = [said for name in tracked() if name.endswith(".py") for said in told.findall(text(name))]
    assert found == ["# type: " + "ignore[misc]  # kafka-python says no types"]


def test_only_the_output_module_prints() -> None:
    printing = [
        name
        for name in sources(*OURS)
        if any(
            isinstance(n, ast.Call) and getattr(n.func, "id", "") == "print" for n in ast.walk(ast.parse(text(name)))
        )
    ]
    assert printing in ([], ["rack/output.py"])


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
                sections = (
                    [each.value for each in on.elts if isinstance(each, ast.Constant)]
                    if isinstance(on, ast.Tuple)
                    else []
                )
                if not named and not (sections and all(SECTION.fullmatch(str(each)) for each in sections)):
                    found.append(node.name)
    return found


def test_every_rule_cites_its_section() -> None:
    assert {name: found for name in sources("replay") if (found := uncited(text(name)))} == {}


@pytest.mark.parametrize(
    ("decorator", "found"),
    [
        ('@rule("DEAL-START", on=("13(c)", "687a.11(b)"))', []),
        ('@rule("PAY-OVER", on=EVERY_CHAPTER)', []),
        ('@rule("DEAL-START")', ["f"]),
        ('@rule("DEAL-START", on=("13(c",))', ["f"]),
        ("@other", []),
    ],
)
def test_the_check_of_citations(decorator: str, found: list[str]) -> None:
    assert uncited(f"{decorator}\ndef f(): ...") == found


def test_every_paytable_cites_its_section() -> None:
    for name in tracked():
        if name.startswith("games/") and name.endswith(".toml"):
            for paytable in tomllib.loads(text(name)).get("paytable", []):
                assert paytable.get("cite"), f"{name}: {paytable.get('wager')} {paytable.get('name')}"


def test_set_up_names_no_host() -> None:
    """Where distributions come from is the machine's matter: neither lock nor scripts name it."""
    set_up = re.compile(
        r"^(requirements.*|pyproject\.toml|Makefile|\.ci/.*|scripts/.*|deploy/.*|compose\.ya?ml|.*\.lock)$"
    )
    options = re.compile(
        "|".join(("index" + "[-_]url", "find" + "[-_]links", "extra" + "-index", "<repo" + "sitory>")), re.I
    )
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
    wanted = (
        project["project"]["dependencies"] + project["dependency-groups"]["dev"] + project["build-system"]["requires"]
    )
    names = {re.split(r"[<>=!~ \[]", requirement)[0].lower().replace("_", "-") for requirement in wanted}
    entries = re.findall(
        r"^([a-z0-9-]+)==[^\n]*((?:\n    --hash=sha256:[0-9a-f]{64}[ \\]*)+)", text("requirements.lock"), re.M
    )
    assert names <= {entry[0] for entry in entries}
    assert len(entries) == len(re.findall(r"^[a-z]", text("requirements.lock"), re.M)), "an entry has no hash"


DOCUMENTS = ("README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))))


def subparsers() -> dict[str, argparse.ArgumentParser]:
    action = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
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
    assert (
        set(re.findall(r"`make ([a-z-]+)", content)) | set(re.findall(r"^ *\$? ?make ([a-z-]+)", content, re.M))
        <= targets
    )
    parsers = subparsers()
    for line in re.findall(r"(?:`|^ *\$ )rack ([a-z][^`\n]*)", content, re.M):
        words = line.split()
        assert words[0] in COMMANDS, line
        options = {word.split("=")[0] for word in words if word.startswith("--")}
        assert options <= options_of(parsers[words[0]], words[1:]), line
    for linked in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", content):
        assert ((ROOT / document).parent / linked).exists(), linked


def test_the_index_of_the_documentation_names_every_page() -> None:
    linked = set(re.findall(r"\]\(([a-z0-9-]+\.[a-z.]+)\)", text("docs/README.md")))
    pages = {page.name for page in (ROOT / "docs").iterdir() if page.suffix in (".md", ".json")}
    assert linked == pages - {"README.md"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_commands_of_the_documents_are_read_as_they_stand(document: str) -> None:
    """A line that begins with `$ rack` can be copied into a shell."""
    for line in re.findall(r"^ *\$ (?:[^\n]*\| *)?rack ([a-z][^\n]*)", text(document), re.M):
        try:
            build_parser().parse_args(shlex.split(line, comments=True))
        except SystemExit as end:
            raise AssertionError(f"{document}: rack {line}") from end


def test_a_decision_has_one_number_and_a_number_one_decision() -> None:
    numbers = re.findall(r"^\| (D[0-9]+) \|", text("docs/decisions.md"), re.M)
    assert sorted(set(numbers)) == sorted(numbers)


def test_every_target_of_the_makefile_is_explained() -> None:
    makefile = text("Makefile")
    phony = set(re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split())
    assert phony == set(re.findall(r"^([a-z-]+):.*## ", makefile, re.M))


@pytest.mark.xdist_group("house")
def test_tests_that_share_a_broker_or_a_browser_stay_together(request: pytest.FixtureRequest) -> None:
    """The parallel run tells groups by what it adds to the name of a test; where that fails, it says nothing of it."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("one process runs all tests")
    assert request.node.nodeid.endswith("@house")


def test_decisions_stand_in_the_order_of_their_numbers() -> None:
    for part in re.split(r"^## ", text("docs/decisions.md"), flags=re.M):
        numbers = [int(number) for number in re.findall(r"^\| D([0-9]+) \|", part, re.M)]
        assert numbers == sorted(numbers), part.splitlines()[0]
