        conditions, values = [], []
        if filters.states:
            marks = ", ".join("?" * len(filters.states))
            conditions.append(f"state IN ({marks})")
            values.extend(filters.states)
        if filters.assignee:
            conditions.append("assignee = ?")
            values.append(filters.assignee)
        if filters.words:
            conditions.append("title LIKE ?")
            values.append(f"%{filters.words}%")
        sql = "SELECT title FROM tickets"
        if conditions:
            sql += " WHERE " + " AND ".join(conditions)
        sql += " ORDER BY id DESC LIMIT ?"
        number = int(filters.limit) if re.fullmatch("[0-9]{1,2}", filters.limit) else 20
        values.append(number or 20)
        return [row["title"] for row in self.connection.execute(sql, values)]
