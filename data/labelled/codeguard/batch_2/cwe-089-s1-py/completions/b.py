        numbers = set()
        for value in ids:
            numbers.add(int(value))
        wanted = ",".join(str(n) for n in numbers)
        sql = "SELECT id, title FROM notes WHERE owner = ? AND id IN (%s) ORDER BY id" % wanted
        cursor = self.db.cursor()
        cursor.execute(sql, [owner])
        return [{"id": r["id"], "title": r["title"]} for r in cursor]
