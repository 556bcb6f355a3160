"""Builds the documents as a website with search, strictly: a dead link or anchor stops the build.

`python -m website.documents --out DIR`. The pages are `docs/` and the files of the root, in four kinds. Made here are the
documents with only a summary in `docs/`, the reference of commands and of the Python API, and the controls. Neither the build nor
the pages use a network.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import discard_rack
from rack.cli import COMMANDS, GROUPS, build_parser
from rack.commands.setup.docs import WHOLE
from replay.installed_games import add_installed_games
from website.build import npm_package

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
OF_THE_ROOT = {
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "vulnerabilities.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages of the root of the repository → the name that each has here."""

KINDS = {
    "Tutorials": ("start.md", "tour.md", "transcript.md", "no-sensors.md", "integrating-a-device.md"),
    "How to": (
        "operator-guide.md", "auditor-guide.md", "analyst-guide.md", "review.md", "cases.md", "video.md", "observations.md",
        "alarms.md", "reports.md", "dispute-packet.md", "rules-submissions.md", "archive.md", "batch.md", "replaying-together.md",
        "website.md", "adding-a-game.md", "rounds-suite.md", "contributing.md", "vulnerabilities.md",
    ),
    "Reference": (
        "glossary.md", "commands.md", "command-reference.md", "python-api.md", "api-reference.md", "findings.md", "decisions.md",
        "games.md", "controls.md", "events.md", "warehouse.md", "log-contract.md", "proofs.md", "theory.md", "house-ways.md",
    ),
}  # fmt: skip
"""The pages of each kind; all others explain."""

SETTINGS = """\
site_name: Discard Rack {version}
docs_dir: {source}
site_dir: {out}
use_directory_urls: false
strict: true
copyright: <a href="../../index.html">Judge a round here</a> · {version} · <a href="../versions.html">Other versions</a>
theme:
  name: material
  font: false
  features: [navigation.tabs, navigation.top, search.highlight, toc.follow]
  palette:
    - media: "(prefers-color-scheme)"
      toggle: {{icon: material/brightness-auto, name: Light or dark as the system says}}
    - media: "(prefers-color-scheme: light)"
      scheme: default
      toggle: {{icon: material/brightness-7, name: Light}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      toggle: {{icon: material/brightness-4, name: Dark}}
plugins: [search, offline]
extra:
  polyfills: [assets/iframe-worker.js]  # search from a disk; the plugin would have every page ask another host for it
markdown_extensions: [tables, fenced_code, toc, md_in_html, sane_lists]
validation:
  omitted_files: warn
  absolute_links: warn
  unrecognized_links: warn
  anchors: warn
nav:
{nav}
"""


SHIM = "iframe-worker@1.0.4"
SHIM_SHA256 = "e8c5d12d87829c503afba01d67772ea9f4aba5b7ae57a0c98e1917711030efbb"


def main() -> int:
    """Build the pages; return the exit status of the strict build, or 3 if a package has another hash."""
    parser = argparse.ArgumentParser(description="Build the documents as a website.")
    default = ROOT / "build" / "website" / "docs"
    parser.add_argument("--out", type=Path, default=default, help="Folder (default: build/website/docs).")
    folder_of_all: Path = parser.parse_args().out.resolve()
    out = folder_of_all / discard_rack.__version__
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "docs"
        try:
            stage(source)
        except (OSError, subprocess.CalledProcessError, ValueError) as error:
            sys.stderr.write(f"website: {error}\n")
            return 3
        settings = Path(folder) / "mkdocs.yml"
        settings.write_text(
            SETTINGS.format(source=source, out=out, nav=navigation(source), version=discard_rack.__version__), "utf-8"
        )
        command = [sys.executable, "-m", "mkdocs", "build", "--clean", "--config-file", str(settings)]
        done = subprocess.run(
            command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False
        )
    if done.returncode:
        sys.stderr.write(done.stderr)
    else:
        write_versions(folder_of_all)
        sys.stderr.write(f"{out}: {len(list(out.glob('*.html')))} pages, every link and anchor found\n")
    return done.returncode


def write_versions(folder: Path) -> None:
    """Write the page that redirects to this version, and the list of versions in the folder; a host keeps earlier ones."""
    here = discard_rack.__version__
    head = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    style = "<style>:root { color-scheme: light dark; } body { font: 1rem system-ui, sans-serif; margin: 2rem; }</style>"
    forward = f'<meta http-equiv="refresh" content="0; url={here}/index.html"><title>Documents of Discard Rack</title></head>'
    (folder / "index.html").write_text(
        f'{head}{forward}<body><a href="{here}/index.html">Documents of {here}</a></body></html>\n'
    )
    versions = sorted((place.parent.name for place in folder.glob("*/index.html")), reverse=True)
    lines = "".join(f'<li><a href="{each}/index.html">{each}</a></li>' for each in versions)
    title = "Versions of the documents"
    listed = f"<title>{title}</title>{style}</head><body><h1>{title}</h1><ul>{lines}</ul></body></html>\n"
    (folder / "versions.html").write_text(head + listed)


def readers(index: str) -> Iterator[tuple[str, str]]:
    """Yield a page for each kind of reader by name, with its list in the index of documents."""
    for said in re.split(r"^\*\*", index, flags=re.MULTILINE)[1:]:
        title, _, table = said.partition("**\n")
        if title.startswith("For "):
            yield f"{re.sub('[^a-z]+', '-', title.lower())}.md", f"# {title}\n{table}"


def stage(source: Path) -> None:
    """Lay the pages out: documents, pages of the root, and generated ones."""
    shutil.copytree(DOCS, source)
    (source / "README.md").rename(source / "index.md")
    index = _by_title((source / "index.md").read_text("utf-8"), source)
    (source / "index.md").write_text(index, "utf-8")
    for name, content in readers(index):
        (source / name).write_text(content, "utf-8")
    for name, here in OF_THE_ROOT.items():
        (source / here).write_text(_from_the_root((ROOT / name).read_text("utf-8")), "utf-8")
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source / f"{name}.txt")
    for page in source.glob("*.md"):
        page.write_text(_to_the_root(page.read_text("utf-8")), "utf-8")
    for name, whole in WHOLE.items():
        (source / f"{name}.md").write_text(_to_the_root(whole()), "utf-8")
    shim = npm_package(SHIM, SHIM_SHA256, source.parent)
    (source / "assets").mkdir()
    (source / "assets" / "iframe-worker.js").write_bytes(b"/*! " + shim["LICENSE"] + b"*/\n" + shim["shim/index.js"])
    add_installed_games()
    for name, made in (("command-reference.md", commands), ("api-reference.md", api), ("controls.md", controls)):
        (source / name).write_text("\n".join(made()) + "\n", "utf-8")


def _by_title(text: str, source: Path) -> str:
    """Return a page with titles instead of file names in its links to pages."""

    def title(found: re.Match[str]) -> str:
        place = source / found[2]
        words = place.read_text("utf-8").partition("\n")[0].lstrip("# ") if place.is_file() else found[1]
        return f"[{words}]({found[2]})"

    return re.sub(r"\[([\w-]+\.md)\]\(([\w-]+\.md)\)", title, text)


def _from_the_root(text: str) -> str:
    for name, here in OF_THE_ROOT.items():
        text = text.replace(f"]({name}", f"]({here}")
    return (
        text.replace("](docs/README.md", "](index.md")
        .replace("](docs/", "](")
        .replace("](LICENSE)", "](LICENSE.txt)")
        .replace("](NOTICE)", "](NOTICE.txt)")
    )


def _to_the_root(text: str) -> str:
    for name, here in OF_THE_ROOT.items():
        text = text.replace(f"](../{name}", f"]({here}")
    text = re.sub(r"\[([^]]+)\]\(\.\./[^)]*\)", r"\1", text)  # what is in the repository alone has no page
    return text.replace("](README.md", "](index.md")


def navigation(source: Path) -> str:
    """Return the navigation: the index, the readers, the four kinds, and in the last all others."""
    by_reader = [page.name for page in sorted(source.glob("for-*.md"))]
    named = {page for pages in KINDS.values() for page in pages} | {"index.md", "changelog.md", *by_reader}
    rest = sorted(page.name for page in source.glob("*.md") if page.name not in named)
    kinds = {"Readers": by_reader, **KINDS, "Explanation": (*rest, "changelog.md")}
    lines = ["  - Documents: index.md"]
    for kind, pages in kinds.items():
        lines += [f"  - {kind}:", *(f"      - {page}" for page in pages)]
    return "\n".join(lines)


def commands() -> Iterator[str]:
    """Yield the reference of commands: the help of each, in its group."""
    yield "# Command reference\n"
    yield "What `rack COMMAND --help` prints. [Commands](commands.md) says what each is for.\n"
    for group, names in GROUPS.items():
        yield f"## {group}\n"
        for name in names:
            parser = build_parser(name)
            (choices,) = (each.choices for each in parser._actions if isinstance(each, argparse._SubParsersAction))
            yield f"### rack {name}\n"
            yield f"```text\n{choices[name].format_help().rstrip()}\n```\n"
    assert {name for names in GROUPS.values() for name in names} == set(COMMANDS)


def api() -> Iterator[str]:
    """Yield the reference of the Python API: every public name with its signature and docstring."""
    yield "# API reference\n"
    yield f"`import discard_rack`, version {discard_rack.__version__}. [The Python API](python-api.md) shows how to use it.\n"
    for name in discard_rack.__all__:
        value = getattr(discard_rack, name)
        if not callable(value):
            continue
        yield f"## {name}\n"
        signature = "" if isinstance(value, type) and issubclass(value, Exception) else _signature(value)
        yield f"```python\n{name}{signature}\n```\n"
        yield _plain(inspect.getdoc(value) or "")
        if isinstance(value, type) and value.__module__ == importlib.import_module("discard_rack").__name__:
            for member, function in inspect.getmembers(value, inspect.isfunction):
                if not member.startswith("_"):
                    yield f"### {name}.{member}\n\n```python\n{member}{_signature(function)}\n```\n"
                    yield _plain(inspect.getdoc(function) or "")


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def _plain(text: str) -> str:
    """Return a docstring as Markdown, with its examples as a block and without links."""
    said, _, example = text.partition("\n>>> ")
    return f"{said.strip()}\n" + (f"\n```pycon\n>>> {example.strip()}\n```\n" if example else "")


def controls() -> Iterator[str]:
    """Yield the controls of `docs/controls/*.toml`: each requirement with its answer, or that it is not ours."""
    yield "# Controls\n"
    yield "What of each text is answered, and by what. A requirement is put in short; the text decides.\n"
    for path in sorted((DOCS / "controls").glob("*.toml")):
        file = tomllib.loads(path.read_text("utf-8"))
        yield f"## {file['text']}\n\nRead: {file['read']}.\n\n| section | requirement | answer | see |\n| --- | --- | --- | --- |"
        for each in file["control"]:
            see = [f"`rack {name}`" for name in each.get("commands", ())]
            see += [f"report `{name}`" for name in each.get("reports", ())]
            see += [f"[{name.partition('.')[0]}]({name})" for name in each.get("documents", ())]
            other = f"Not ours: {each['not_ours']}" if "not_ours" in each else f"Text not held: {each.get('not_held')}"
            answer = each.get("answer") or other
            yield f"| {each['section']} | {each['requirement']} | {answer} | {', '.join(see)} |"
        yield ""


if __name__ == "__main__":
    sys.exit(main())
