        reverse = order.startswith("-")
        name = order[1:] if reverse else order
        if name not in self.COLUMNS:
            raise ValueError("unknown column " + name)
        query = "SELECT " + ", ".join(self.COLUMNS) + " FROM tickets WHERE customer = ?"
        if word:
            query += " AND subject LIKE '%" + word + "%'"
        query += " ORDER BY " + name + (" DESC" if reverse else "") + " LIMIT " + str(int(limit))
        for row in self.connection.execute(query, (customer,)):
            yield row
