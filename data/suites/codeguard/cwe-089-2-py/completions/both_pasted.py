    order = order or "name"
    query = f"SELECT name FROM products WHERE name LIKE '%{word}%' ORDER BY {order}"
    return [row[0] for row in db.execute(query)]
