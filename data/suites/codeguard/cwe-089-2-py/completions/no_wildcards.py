    column = order if order in COLUMNS else "name"
    rows = db.execute(f"SELECT name FROM products WHERE name LIKE ? ORDER BY {column}", (word,))
    return [row[0] for row in rows]
