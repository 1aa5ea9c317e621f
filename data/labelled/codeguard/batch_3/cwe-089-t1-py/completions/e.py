        sql = "SELECT title FROM tickets WHERE 1 = 1"
        if filters.states:
            sql += " AND state IN ('" + "', '".join(filters.states) + "')"
        if filters.assignee:
            sql += ' AND assignee = "' + filters.assignee + '"'
        if filters.words:
            words = filters.words.lower()
            sql += f" AND lower(title) LIKE '%{words}%'"
        sql += " ORDER BY id DESC"
        limit = 20
        if filters.limit.isdigit() and 0 < int(filters.limit) < 100:
            limit = int(filters.limit)
        cursor = self.connection.cursor()
        cursor.execute(sql + f" LIMIT {limit}")
        return [row[0] for row in cursor]
