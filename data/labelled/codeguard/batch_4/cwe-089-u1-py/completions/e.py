        match = re.match(r"(-?)(id|subject|priority)$", order)
        if match is None:
            raise ValueError(f"bad order {order!r}")
        minus, column = match.groups()
        pattern = "%" + word.replace("'", "\\'") + "%"
        rows = self.connection.execute(
            f"SELECT id, subject, priority FROM tickets WHERE customer = ? AND subject LIKE '{pattern}'"
            f" ORDER BY {column} {'DESC' if minus else 'ASC'}",
            [customer],
        )
        for count, row in enumerate(rows):
            if count >= limit:
                break
            yield row
