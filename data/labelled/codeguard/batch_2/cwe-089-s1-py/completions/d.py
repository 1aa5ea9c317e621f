        if len(ids) == 0:
            return []
        id_list = ",".join(map(str, ids))
        rows = self.db.execute(
            f"SELECT id, title FROM notes WHERE owner = ? AND id IN ({id_list}) ORDER BY id", (owner,)
        )
        return [dict(r) for r in rows.fetchall()]
