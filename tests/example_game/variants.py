"""The example game as other packages: with another text in one of its files, for tests of how games are added."""

import shutil
from collections.abc import Mapping
from itertools import count
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("__init__.py", "settle.py", "rules.py", "returns.py", "simulation.py")
CHAPTER = "chapters/pa-700a.toml"
_NUMBERS = count(1)


def lay_out(folder: Path, package: str, texts: Mapping[str, str | None] | None = None) -> Path:
    """Copy the example game into a folder as a package. `texts` replace files (None leaves one out). Return where it lies."""
    made = folder / package
    (made / "chapters").mkdir(parents=True)
    for name in PARTS:
        (made / name).write_text((HERE / name).read_text().replace("tests.example_game", package))
    shutil.copy(HERE / CHAPTER, made / "chapters")
    for name, text in (texts or {}).items():
        (made / name).unlink()
        if text is not None:
            (made / name).write_text(text.replace("tests.example_game", package))
    return made


def new_package(folder: Path, texts: Mapping[str, str | None] | None = None) -> str:
    """Lay the game out under a name that no test used before; the folder must be on `sys.path`. Return the name."""
    package = f"high_card_{next(_NUMBERS)}"
    lay_out(folder, package, texts)
    return package
