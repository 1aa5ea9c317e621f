    rows = db.execute("SELECT name FROM products WHERE name LIKE ? ORDER BY ?", (f"%{word}%", order))
    return [row[0] for row in rows]
