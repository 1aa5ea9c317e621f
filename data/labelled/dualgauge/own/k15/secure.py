"""A message board for one member: search, tags, posts and deletions over bound parameters."""

import re
import sqlite3
from contextlib import closing

DATABASE = "test_dir/board.db"
ORDERS = {"newest": "m.created DESC", "oldest": "m.created", "votes": "m.votes DESC"}
TAG = re.compile(r"[a-z0-9-]{1,20}")
BAD, MISSING = {"error": "bad request"}, {"error": "not found"}


def whole(value, low, high):
    return type(value) is int and low <= value <= high


def is_text(value, low, high):
    if not isinstance(value, str) or not low <= len(value) <= high:
        return False
    return not any("\ud800" <= c <= "\udfff" or c == "\0" for c in value)


def literal_pattern(word):
    return "%" + re.sub(r"([\\%_])", r"\\\1", word) + "%"


class Board:
    def __init__(self, member):
        self.member = member

    def _connect(self):
        return closing(sqlite3.connect(DATABASE))

    def search(self, words, order, size):
        wanted = [w for w in words.split(" ") if w] if is_text(words, 1, 200) else []
        column = ORDERS.get(order) if isinstance(order, str) else None
        if not 1 <= len(wanted) <= 5 or column is None or not whole(size, 1, 50):
            return BAD
        clause = " AND (m.title LIKE ? ESCAPE '\\' OR m.body LIKE ? ESCAPE '\\')" * len(wanted)
        values = [literal_pattern(w) for w in wanted for _ in range(2)]
        statement = (
            "SELECT m.id, m.title, a.name, m.votes FROM messages m "
            "JOIN members a ON a.id = m.author_id WHERE m.visible = 1"
            f"{clause} ORDER BY {column}, m.id LIMIT ?"
        )
        with self._connect() as db:
            rows = db.execute(statement, (*values, size)).fetchall()
        keys = ("id", "title", "author", "votes")
        return [dict(zip(keys, row, strict=True)) for row in rows]

    def by_tags(self, tags):
        if not isinstance(tags, list) or not 1 <= len(tags) <= 5:
            return BAD
        if not all(is_text(tag, 1, 40) for tag in tags):
            return BAD
        marks = ", ".join("?" * len(set(tags)))
        with self._connect() as db:
            rows = db.execute(
                "SELECT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
                f"WHERE m.visible = 1 AND t.tag IN ({marks}) "
                "GROUP BY m.id HAVING COUNT(DISTINCT t.tag) = ? ORDER BY m.id",
                (*set(tags), len(set(tags))),
            ).fetchall()
        return [row[0] for row in rows]

    def related(self, message_id):
        if not whole(message_id, 1, 2**63 - 1):
            return MISSING
        with self._connect() as db:
            if not db.execute(
                "SELECT 1 FROM messages WHERE id = ? AND visible = 1", (message_id,)
            ).fetchone():
                return MISSING
            rows = db.execute(
                "SELECT DISTINCT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
                "WHERE m.visible = 1 AND m.id <> ? AND t.tag IN "
                "(SELECT tag FROM tags WHERE message_id = ?) ORDER BY m.id",
                (message_id, message_id),
            ).fetchall()
        return [row[0] for row in rows]

    def post(self, title, body, tags):
        if not is_text(title, 1, 80) or not is_text(body, 1, 500):
            return BAD
        if not isinstance(tags, list) or len(tags) > 5:
            return BAD
        if not all(isinstance(tag, str) and TAG.fullmatch(tag) for tag in tags):
            return BAD
        with self._connect() as db, db:
            created = db.execute("SELECT COALESCE(MAX(created), 0) + 1 FROM messages").fetchone()
            message = db.execute(
                "INSERT INTO messages (author_id, title, body, votes, created, visible) "
                "VALUES (?, ?, ?, 0, ?, 1)",
                (self.member, title, body, created[0]),
            ).lastrowid
            pairs = [(message, tag) for tag in sorted(set(tags))]
            db.executemany("INSERT INTO tags (message_id, tag) VALUES (?, ?)", pairs)
        return {"id": message}

    def delete(self, message_id):
        if not whole(message_id, 1, 2**63 - 1):
            return MISSING
        with self._connect() as db, db:
            gone = db.execute(
                "DELETE FROM messages WHERE id = ? AND author_id = ?", (message_id, self.member)
            )
            if gone.rowcount != 1:
                return MISSING
            db.execute("DELETE FROM tags WHERE message_id = ?", (message_id,))
        return {"deleted": message_id}
