    if order not in COLUMNS:
        order = "name"
    endings = {"name": " ORDER BY name", "price": " ORDER BY price"}
    cursor = db.cursor()
    cursor.execute("SELECT name FROM products WHERE name LIKE ?" + endings[order], ("%" + word + "%",))
    return [row[0] for row in cursor.fetchall()]
