        def quote(value):
            return str(value).replace("'", "''")

        if not ids:
            return []
        clause = "owner = '" + quote(owner) + "' AND id IN (" + ",".join(quote(i) for i in ids) + ")"
        cur = self.db.execute("SELECT id, title FROM notes WHERE " + clause + " ORDER BY id")
        return [{"id": row[0], "title": row[1]} for row in cur.fetchall()]
