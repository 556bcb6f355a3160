"""`python -m rack`: the command line where no script was installed."""

from rack.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
