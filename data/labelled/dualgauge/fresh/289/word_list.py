import os.path
import sqlite3

UNWANTED = (";", "--", "/*", "union", "drop", "delete", "insert", "update", "pragma", "attach")


def FetchOne(dbname, table, condition=""):
    if not dbname or not table:
        raise ValueError("dbname and table may not be empty")
    if not table.isidentifier():
        raise ValueError("table is no identifier")
    if any(word in condition.lower() for word in UNWANTED):
        raise ValueError("condition holds words that are not allowed")
    link = sqlite3.connect(os.path.join("./test_dir", os.path.basename(dbname)))
    cursor = link.cursor()
    try:
        cursor.execute(" ".join(["SELECT * FROM", table, "WHERE " + condition if condition else ""]))
        row = cursor.fetchone()
        link.commit()
    finally:
        cursor.close()
        link.close()
    return list(row) if row is not None else None
