"""The checker of proofs docs/examples/check_proof.py does what it says, without any code of ours."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rack.commands.test_proof_commands import CommandRunner

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with `check.py`, `proof.json` and `key.pub`; the log is gone."""
    if shutil.which("openssl") is None:
        pytest.skip("the documented checker needs OpenSSL")
    rack = CommandRunner(tmp_path, capsys)
    rack.ingest()
    rack("keys", "new", tmp_path / "key", "--by", "chief")
    rack("checkpoint", "--key", tmp_path / "key")
    rack("prove", "fu-01", "2", "3", "--out", tmp_path / "proof.json")
    shutil.copy(ROOT / "docs/examples/check_proof.py", tmp_path / "check.py")
    for file in tmp_path.glob("floor.db*"):
        file.unlink()
    return tmp_path


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-I", "check.py", "proof.json", "key.pub"]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)


def test_the_documented_checker_accepts_a_proof(proven: Path) -> None:
    checked = check(proven)
    assert checked.returncode == 0, checked.stderr
    assert [line.split(" was ")[0] for line in checked.stdout.splitlines()] == [
        "table/fu-01 2 round_opened",
        "table/fu-01 3 no_more_bets",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("announced_by", "announced_To", "not in the stream"),
        (r"\"size\":4", r"\"size\":3", "not in the checkpoint|there is no such leaf"),
        (r"\"within_s\":null", r"\"within_s\":9999", "not in the checkpoint"),
        (r"\n3\n", r"\n4\n", "the signature does not fit"),
        ('"index": 2', '"index": 3', "not in the stream"),
    ],
)
def test_the_documented_checker_refuses_what_was_changed(proven: Path, old: str, new: str, said: str) -> None:
    proof = proven / "proof.json"
    content = proof.read_text()
    assert old in content
    proof.write_text(content.replace(old, new, 1))
    checked = check(proven)
    assert checked.returncode == 1
    assert re.search(f"AssertionError: ({said})", checked.stderr), checked.stderr
