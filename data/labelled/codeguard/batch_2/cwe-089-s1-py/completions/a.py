        if not ids:
            return []
        marks = ", ".join("?" for _ in ids)
        query = f"SELECT id, title FROM notes WHERE owner = ? AND id IN ({marks}) ORDER BY id"
        rows = self.db.execute(query, (owner, *ids)).fetchall()
        return [dict(row) for row in rows]
