        clean = [str(i) for i in ids if re.match(r"\d+", str(i))]
        sql = "SELECT id, title FROM notes WHERE owner = :owner AND id IN (" + ", ".join(clean) + ") ORDER BY id"
        return [dict(row) for row in self.db.execute(sql, {"owner": owner})]
