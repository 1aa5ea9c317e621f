        column = order.removeprefix("-")
        if column not in self.COLUMNS:
            raise ValueError(f"cannot sort by {order!r}")
        direction = "DESC" if order.startswith("-") else "ASC"
        sql = f"SELECT id, subject, priority FROM tickets WHERE customer = ? AND subject LIKE ? ORDER BY {column} {direction} LIMIT ?"
        yield from self.connection.execute(sql, (customer, f"%{word}%", limit))
