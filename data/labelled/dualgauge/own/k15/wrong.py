"""Message board that reads everything it may show and filters in memory."""

import re
import sqlite3

FAILED = {"error": "bad request"}
UNKNOWN = {"error": "not found"}
KEYS = {"newest": lambda m: -m["created"], "oldest": lambda m: m["created"]}
KEYS["votes"] = lambda m: -m["votes"]


def number(value, top):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= top


def sentence(value, top):
    if not isinstance(value, str) or not 0 < len(value) <= top or "\x00" in value:
        return False
    return value.encode("utf-8", "replace") == value.encode("utf-8", "surrogatepass")


class Board:
    def __init__(self, member):
        self.member = member

    def _all(self, statement, values=()):
        database = sqlite3.connect("test_dir/board.db")
        database.row_factory = sqlite3.Row
        try:
            with database:
                return [dict(row) for row in database.execute(statement, values)]
        finally:
            database.close()

    def _visible(self):
        return self._all(
            "SELECT m.*, a.name AS author FROM messages m "
            "JOIN members a ON a.id = m.author_id WHERE m.visible = 1 ORDER BY m.id"
        )

    def _tags(self):
        found = {}
        for row in self._all("SELECT message_id, tag FROM tags"):
            found.setdefault(row["message_id"], set()).add(row["tag"])
        return found

    def search(self, words, order, size):
        if not sentence(words, 200) or not isinstance(order, str) or order not in KEYS:
            return FAILED
        wanted = words.split(" ")
        if len(wanted) > 5 or not number(size, 50):
            return FAILED
        hits = [m for m in self._visible() if all(w in m["title"] + m["body"] for w in wanted)]
        hits.sort(key=KEYS[order])
        return [{k: m[k] for k in ("id", "title", "author", "votes")} for m in hits[:size]]

    def by_tags(self, tags):
        if not isinstance(tags, list) or not 0 < len(tags) <= 5:
            return FAILED
        if not all(sentence(tag, 40) for tag in tags):
            return FAILED
        known = self._tags()
        return [m["id"] for m in self._visible() if known.get(m["id"], set()) & set(tags)]

    def related(self, message_id):
        shown, known = [m["id"] for m in self._visible()], self._tags()
        if type(message_id) is not int or message_id not in shown:
            return UNKNOWN
        mine = known.get(message_id, set())
        return [i for i in shown if i != message_id and known.get(i, set()) & mine]

    def post(self, title, body, tags):
        if not sentence(title, 80) or not sentence(body, 500):
            return FAILED
        if not isinstance(tags, list) or len(tags) > 5:
            return FAILED
        if not all(isinstance(t, str) and re.fullmatch("[a-z0-9-]{1,20}", t) for t in tags):
            return FAILED
        latest = max((m["created"] for m in self._all("SELECT created FROM messages")), default=0)
        made = self._all(
            "INSERT INTO messages (author_id, title, body, votes, created, visible) "
            "VALUES (?, ?, ?, 0, ?, 1) RETURNING id",
            (self.member, title, body, latest + 1),
        )
        for tag in sorted(set(tags)):
            self._all("INSERT INTO tags (message_id, tag) VALUES (?, ?)", (made[0]["id"], tag))
        return made[0]

    def delete(self, message_id):
        if not number(message_id, 2**63 - 1):
            return UNKNOWN
        statement = "DELETE FROM messages WHERE id = ? AND author_id = ? RETURNING id"
        if not self._all(statement, (message_id, self.member)):
            return UNKNOWN
        self._all("DELETE FROM tags WHERE message_id = ?", (message_id,))
        return {"deleted": message_id}
