"""The rules of single games, a file and a record for each; `replay.rules.catalogue` lists them."""
