"""Check that a wheel holds every document and part that its files name: `python -m scripts.named_documents WHEEL`.

Exit status 1: one is missing; the file that names it is printed.
"""

import re
import sys
import zipfile
from collections.abc import Iterator

from desk.documents import INSTALLED, parts, place_of

NAMED = re.compile(r"docs/[a-z][\w-]+\.md(?:#[\w-]+)?")


def missing(wheel: str) -> Iterator[str]:
    """Yield the documents that a file of the wheel names and the wheel lacks."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        held = {
            name.rpartition("/")[2].removesuffix(".md"): parts(archive.read(name).decode())
            for name in names
            if "/".join(INSTALLED) in name and name.endswith(".md")
        }
        for file in names:
            if not file.endswith((".py", ".toml", ".typ", ".js", ".html")):
                continue
            for named in sorted(set(NAMED.findall(archive.read(file).decode()))):
                page, anchor = place_of(named)
                if page not in held or (anchor is not None and anchor not in held[page]):
                    yield f"{file}: {named}"


if __name__ == "__main__":
    lines = list(missing(sys.argv[1]))
    print(*lines, sep="\n", end="\n" if lines else "", file=sys.stderr)
    sys.exit(1 if lines else 0)
