"""In the box: the SQL dump of each database named in the job, as one answer."""

import os
import sqlite3

from kit_channel import Channel, take_job


def dump(path: str) -> str:
    """The statements that rebuild the database; an SQL comment where it cannot be read."""
    try:
        connection = sqlite3.connect(path)
        connection.text_factory = lambda data: data.decode(errors="replace")
        return "\n".join(connection.iterdump())
    except sqlite3.Error as error:
        return f"-- not readable: {error}"


channel = Channel(os.environ.pop("KIT_CHANNEL"))
dumps = {path: dump(path) for path in take_job()["paths"]}
channel.write({"kind": "dumps", "dumps": dumps})
