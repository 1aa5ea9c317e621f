        def quoted(text):
            return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

        where = ["id IS NOT NULL"]
        if filters.states:
            where.append("state IN (%s)" % ",".join(map(quoted, filters.states)))
        if filters.assignee:
            # a name may hold an apostrophe
            where.append("assignee = ?")
        if filters.words:
            where.append("title LIKE %s" % quoted("%" + filters.words + "%"))
        try:
            limit = int(filters.limit)
        except ValueError:
            limit = 0
        if limit not in range(1, 100):
            limit = 20
        statement = "SELECT title FROM tickets WHERE {} ORDER BY id DESC LIMIT {:d}"
        rows = self.connection.execute(
            statement.format(" AND ".join(where), limit),
            [filters.assignee] if filters.assignee else [],
        )
        return [row["title"] for row in rows]
