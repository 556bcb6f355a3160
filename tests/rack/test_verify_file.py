"""`rack verify FILE`: no key of anything signed or proved comes twice, and a file needs msgspec and a signature check."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rack.cli import main
from tests.device_lines import as_lines

NEEDED = {"cffi", "_cffi_backend", "cryptography", "msgspec", "typing_extensions", "_openssl"}
"""msgspec, and what comes with a signature check."""
OURS = {"desk", "events", "games", "rack", "replay", "rulebook", "trial"}
BLOCKED = ("apsw", "pyhanko", "asn1crypto", "typst", "duckdb", "polars", "numpy", "kafka", "streamlit", "prometheus_client")
FILES = ("proof.json", "fu-01-1.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A proof and a packet of a log with two rounds."""
    from tests.dashboards.living import RULES, SHORT

    folder = tmp_path_factory.mktemp("files")
    (folder / "rounds.txt").write_text(RULES + "".join(SHORT.format(number=number) for number in (1, 2)))
    log = ("--log", f"sqlite://{folder}/floor.db")
    for words in (
        ("ingest", as_lines(folder / "rounds.txt"), "--property", "bellwether", *log),
        ("keys", "new", folder / "key", "--by", "chief", *log),
        ("checkpoint", "--key", folder / "key", *log),
        ("prove", "fu-01", "3", "--out", folder / "proof.json", *log),
        ("dispute", "fu-01", "1", "--key", folder / "key", "--out", folder, *log),
    ):
        main([*map(str, words), "--quiet"])
    return folder


def with_a_key_twice(value: Any) -> Iterator[str]:
    """Yield a JSON text once for each key of each object in it, with that key twice: first with another value."""

    def written(node: Any, path: tuple[Any, ...], twice: tuple[Any, ...] | None, escaped: bool) -> str:
        if isinstance(node, dict):
            parts = []
            for key, each in node.items():
                here = (*path, key)
                if here == twice:
                    name = "".join(f"\\u{ord(letter):04x}" for letter in key) if escaped else key
                    parts.append(f'"{name}":{false_value(each)}')
                parts.append(f"{json.dumps(key)}:{written(each, here, twice, escaped)}")
            return "{" + ",".join(parts) + "}"
        if isinstance(node, list):
            return "[" + ",".join(written(each, (*path, n), twice, escaped) for n, each in enumerate(node)) + "]"
        return json.dumps(node, ensure_ascii=False)

    def false_value(each: Any) -> str:
        return json.dumps(each, ensure_ascii=False)  # of the right type, so that nothing else refuses it

    def keys(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        if isinstance(node, dict):
            for key, each in node.items():
                yield (*path, key)
                yield from keys(each, (*path, key))
        elif isinstance(node, list):
            for n, each in enumerate(node[:2]):
                yield from keys(each, (*path, n))

    for path in keys(value):
        for escaped in (False, True):
            yield written(value, (), path, escaped)


@pytest.mark.parametrize("name", FILES)
def test_no_key_at_any_depth_comes_twice(folder: Path, name: str) -> None:
    from desk.packet.bundle import BadPacket, decode
    from events.proofs.inclusion import Proof
    from events.proofs.merkle import BadProof

    data = (folder / name).read_bytes()
    read = Proof.decode if name == "proof.json" else decode
    read(data)
    tried = 0
    for text in with_a_key_twice(json.loads(data)):
        with pytest.raises((BadProof, BadPacket)):
            read(text.encode())
        tried += 1
    assert tried > 20


@pytest.mark.parametrize("key", ["events", "data", "checkpoint"])
def test_the_command_refuses_it_and_says_why(folder: Path, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    proof = (folder / "proof.json").read_text()
    at = proof.index(f'"{key}"')
    end = proof.index("\n", at)
    line = proof[at:end] if key != "events" else '"events": [],'
    (folder / "twice.json").write_text(proof[:at] + line.rstrip(",") + ",\n" + proof[at:])
    capsys.readouterr()
    assert main(["verify", str(folder / "twice.json"), "--key", str(folder / "key.pub")]) == 4
    assert f"{key!r} stands twice" in capsys.readouterr().err


@pytest.mark.parametrize("indent", [4, None])
def test_a_proof_that_was_formatted_otherwise_is_still_one(folder: Path, indent: int | None) -> None:
    """The other side: white space and the order of fields mean nothing in a proof."""
    (folder / "other.json").write_text(
        json.dumps(
            dict(reversed(json.loads((folder / "proof.json").read_text()).items())),
            indent=indent,
            separators=None if indent else (",", ":"),
        )
    )
    assert main(["verify", str(folder / "other.json"), "--key", str(folder / "key.pub"), "--quiet"]) == 0


@pytest.mark.parametrize("times", [0, 2])
def test_a_proof_has_events_each_once(folder: Path, times: int, capsys: pytest.CaptureFixture[str]) -> None:
    proof = json.loads((folder / "proof.json").read_text())
    (folder / "times.json").write_text(json.dumps(proof | {"events": proof["events"] * times}))
    assert main(["verify", str(folder / "times.json"), "--key", str(folder / "key.pub")]) == 4
    assert "expected events of table/fu-01, each once" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*FILES, "fu-01-1.pdf"])
def test_a_file_is_checked_with_msgspec_and_a_signature_check(folder: Path, name: str) -> None:
    script = f"""
import sys
class NotInstalled:
    def find_spec(name, *_):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, NotInstalled)
known = set(sys.modules)
from rack.cli import main
code = main(["verify", {str(folder / name)!r}, "--key", {str(folder / "key.pub")!r}])
further = {{each.partition(".")[0] for each in set(sys.modules) - known}} - sys.stdlib_module_names
print(sorted(each for each in further if not each.startswith("_sysconfig")))
sys.exit(code)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout.splitlines()[-1].replace("'", '"'))) <= NEEDED | OURS
