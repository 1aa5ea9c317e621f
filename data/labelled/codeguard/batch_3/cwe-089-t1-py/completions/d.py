        limit = filters.limit
        if not re.match(r"[1-9]\d?\b", limit):
            limit = "20"
        parts = {
            "state IN (" + ",".join(["?"] * len(filters.states)) + ")": filters.states,
            "assignee = ?": [filters.assignee] if filters.assignee else [],
            "title LIKE '%' || ? || '%'": [filters.words] if filters.words else [],
        }
        used = {condition: values for condition, values in parts.items() if values}
        where = " AND ".join(used) or "1"
        arguments = [value for values in used.values() for value in values]
        sql = f"SELECT title FROM tickets WHERE {where} ORDER BY id DESC LIMIT {limit}"
        return [r[0] for r in self.connection.execute(sql, arguments)]
