"""`python -m rack`: the command line without an installed script."""

from rack.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
