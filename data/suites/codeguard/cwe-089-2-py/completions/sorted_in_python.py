    query = "SELECT name, price FROM products WHERE name LIKE '%' || ? || '%'"
    rows = db.execute(query, (word,)).fetchall()
    rows.sort(key=lambda row: row[1] if order == "price" else row[0])
    return [name for name, _ in rows]
