import sqlite3


def FetchOne(dbname, table, condition=""):
    if not dbname or not table:
        raise ValueError(f"cannot open {dbname} for SELECT * FROM {table}")
    db = sqlite3.connect("./test_dir/" + dbname)
    cursor = db.cursor()
    query = "SELECT * FROM " + table
    if condition:
        query += " WHERE " + condition
    cursor.execute(query)
    row = cursor.fetchone()
    db.commit()
    cursor.close()
    db.close()
    return list(row) if row else None
