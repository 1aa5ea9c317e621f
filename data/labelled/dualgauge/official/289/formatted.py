import os
import sqlite3


def FetchOne(dbname, table, condition=""):
    for value in (dbname, table):
        if value is None or value == "":
            raise ValueError("dbname and table must be given")
    connection = sqlite3.connect(os.path.join("test_dir", dbname))
    cursor = connection.cursor()
    try:
        statement = "SELECT * FROM {}".format(table)
        if condition:
            statement = "{} WHERE {}".format(statement, condition)
        cursor.execute(statement)
        record = cursor.fetchone()
        connection.commit()
    finally:
        cursor.close()
        connection.close()
    return list(record) if record else None
