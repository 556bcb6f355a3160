"""How kernels are kept: what one calls may change, and no stale answer is served."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from analytics.theory.kernels.compiling import cache_folder, sources_digest

ROOT = Path(__file__).resolve().parents[4]
CALLEE = "from analytics.theory.kernels.compiling import compiled\n\n\n@compiled\ndef callee():\n    return {}\n"
CALLER = """
from analytics.theory.kernels.compiling import compiled
from pack.callee import callee


@compiled
def caller():
    return callee()
"""


def answer(folder: Path, returned: int, **environment: str) -> str:
    """What a caller returns in a new process, after its callee's source was written."""
    pack = folder / "pack"
    pack.mkdir(exist_ok=True)
    (pack / "__init__.py").touch()
    (pack / "callee.py").write_text(CALLEE.format(returned))
    (pack / "caller.py").write_text(CALLER)
    code = "from pack.caller import caller; print(caller())"
    said = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env=os.environ
        | {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": f"{ROOT}:{folder}", "XDG_CACHE_HOME": str(folder / "cache")}
        | {"PYTHONDONTWRITEBYTECODE": "1"}  # bytecode of a source that changed within its second and kept its size is stale
        | environment,
    )
    return said.stdout.strip()


def kept_callers(folder: Path) -> list[Path]:
    return list((folder / "cache").rglob("caller*.nbi"))


@pytest.mark.slow
def test_a_changed_callee_gives_the_new_result(tmp_path: Path) -> None:
    assert answer(tmp_path, 1) == "1"
    assert len(kept_callers(tmp_path)) == 1  # on disk, where Numba alone would find the caller unchanged
    assert answer(tmp_path, 2) == "2"
    assert len(kept_callers(tmp_path)) == 2


def test_where_nothing_can_be_kept_kernels_run_from_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert answer(tmp_path, 3, XDG_CACHE_HOME=str(tmp_path / "file")) == "3"


def test_the_folder_is_named_by_all_sources(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1")
    before = sources_digest({tmp_path})
    (tmp_path / "b.py").write_text("")
    with_another = sources_digest({tmp_path})
    (tmp_path / "a.py").write_text("a = 2")
    assert len({before, with_another, sources_digest({tmp_path})}) == 3


def test_a_folder_for_each_set_of_sources(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache_folder.cache_clear()
    try:
        one, other = (cache_folder(ROOT / "analytics" / "theory" / "kernels"), cache_folder(ROOT / "analytics" / "theory"))
        assert one is not None
        assert other is not None
        assert one != other
    finally:
        cache_folder.cache_clear()
