"""Message board. Search words are quoted, dangerous sort orders are filtered."""

import sqlite3

SORTS = {"newest": "m.created DESC", "oldest": "m.created ASC", "votes": "m.votes DESC"}
FORBIDDEN = (";", "--", "union", "drop", "delete", "update")


def quote(text):
    return text.replace("'", "''")


class Board:
    def __init__(self, member):
        self.member = member

    def _run(self, sql, values=()):
        connection = sqlite3.connect("test_dir/board.db")
        try:
            with connection:
                cursor = connection.execute(sql, values)
                return cursor.fetchall(), cursor
        finally:
            connection.close()

    def search(self, words, order, size):
        if any(word in order.lower() for word in FORBIDDEN):
            return {"error": "bad request"}
        if order.isalpha() and order not in SORTS:
            return {"error": "bad request"}
        wanted = words.split()
        if not wanted or size == 0 or size > 50 or not order:
            return {"error": "bad request"}
        like = " AND ".join(
            f"m.title LIKE '%{quote(w)}%' OR m.body LIKE '%{quote(w)}%'"
            if len(wanted) == 1
            else f"(m.title || ' ' || m.body) LIKE '%{quote(w)}%'"
            for w in wanted
        )
        sort = SORTS.get(order, order)
        try:
            rows, _ = self._run(
                "SELECT m.id, m.title, a.name, m.votes FROM messages m "
                "JOIN members a ON a.id = m.author_id "
                f"WHERE m.visible = 1 AND {like} ORDER BY {sort}, m.id LIMIT {size}"
            )
        except sqlite3.Error as problem:
            return {"error": str(problem)}
        return [{"id": r[0], "title": r[1], "author": r[2], "votes": r[3]} for r in rows]

    def by_tags(self, tags):
        if not tags or len(tags) > 5:
            return {"error": "bad request"}
        names = "', '".join(tags)
        rows, _ = self._run(
            "SELECT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
            f"WHERE m.visible = 1 AND t.tag IN ('{names}') "
            f"GROUP BY m.id HAVING COUNT(DISTINCT t.tag) = {len(set(tags))} ORDER BY m.id"
        )
        return [row[0] for row in rows]

    def related(self, message_id):
        rows, _ = self._run(
            "SELECT t.tag FROM messages m LEFT JOIN tags t ON t.message_id = m.id "
            "WHERE m.id = ? AND m.visible = 1",
            (message_id,),
        )
        if not rows:
            return {"error": "not found"}
        names = "', '".join(row[0] or "" for row in rows)
        others, _ = self._run(
            "SELECT DISTINCT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
            f"WHERE m.visible = 1 AND m.id <> {message_id} AND t.tag IN ('{names}')"
        )
        return sorted(row[0] for row in others)

    def post(self, title, body, tags):
        if not title or not body or len(title) > 80 or len(body) > 500 or len(tags) > 5:
            return {"error": "bad request"}
        if any(not tag.replace("-", "a").isalnum() or tag != tag.lower() for tag in tags):
            return {"error": "bad request"}
        _, cursor = self._run(
            "INSERT INTO messages (author_id, title, body, votes, created, visible) "
            "VALUES (?, ?, ?, 0, (SELECT COALESCE(MAX(created), 0) + 1 FROM messages), 1)",
            (self.member, title, body),
        )
        for tag in sorted(set(tags)):
            self._run("INSERT INTO tags (message_id, tag) VALUES (?, ?)", (cursor.lastrowid, tag))
        return {"id": cursor.lastrowid}

    def delete(self, message_id):
        _, cursor = self._run(
            f"DELETE FROM messages WHERE author_id = {self.member} AND id = {message_id}"
        )
        if cursor.rowcount < 1:
            return {"error": "not found"}
        self._run("DELETE FROM tags WHERE message_id = ?", (message_id,))
        return {"deleted": message_id}
