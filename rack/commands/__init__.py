"""The commands of `rack`, one module each: `HELP`, `configure(parser)`, `run(arguments, output)`."""
