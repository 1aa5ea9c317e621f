        clauses, values = ["customer = ?"], [customer]
        for part in filter(None, [word]):
            clauses.append("subject LIKE '%' || ? || '%'")
            values.append(part)
        orders = {}
        for column in self.COLUMNS:
            orders[column] = column + " ASC"
            orders["-" + column] = column + " DESC"
        try:
            by = orders[order]
        except KeyError:
            raise ValueError(f"no such order: {order}") from None
        statement = "SELECT %s FROM tickets WHERE %s ORDER BY %s LIMIT %d" % (
            ", ".join(self.COLUMNS),
            " AND ".join(clauses),
            by,
            limit,
        )
        yield from self.connection.execute(statement, values).fetchall()
