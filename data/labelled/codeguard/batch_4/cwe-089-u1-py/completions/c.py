        key = order.lstrip("-")
        if not key.startswith(self.COLUMNS):
            raise ValueError(order)
        if order.startswith("-"):
            key += " DESC"
        cursor = self.connection.cursor()
        cursor.execute(
            "SELECT id, subject, priority FROM tickets "
            "WHERE customer = :customer AND instr(lower(subject), lower(:word)) > 0 "
            "ORDER BY {} LIMIT :limit".format(key),
            {"customer": customer, "word": word, "limit": limit},
        )
        while (row := cursor.fetchone()) is not None:
            yield row
