    if order not in COLUMNS:
        order = "name"
    sql = "SELECT name FROM products WHERE name LIKE '%" + word + "%' ORDER BY " + order
    return [row[0] for row in db.execute(sql).fetchall()]
