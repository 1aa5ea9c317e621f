        query = """
            SELECT title FROM tickets
            WHERE (:states = '[]' OR state IN (SELECT value FROM json_each(:states)))
              AND (:assignee = '' OR assignee = :assignee)
              AND instr(lower(title), lower(:words))
            ORDER BY id DESC
            LIMIT %d
        """
        bound = {**vars(filters), "states": json.dumps(filters.states)}
        cursor = self.connection.execute(query % self._limit(filters.limit), bound)
        return [title for (title,) in cursor.fetchall()]

    @staticmethod
    def _limit(text):
        try:
            number = int(text)
        except ValueError:
            return 20
        return number if 1 <= number <= 99 else 20
