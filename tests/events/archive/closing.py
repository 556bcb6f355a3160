"""A log that a test opens with `with`."""

from events.sqlite.log import SqliteLog

LOG_ID = "00112233445566778899aabbccddeeff"


class SqliteClosing(SqliteLog):
    def __enter__(self) -> SqliteLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
