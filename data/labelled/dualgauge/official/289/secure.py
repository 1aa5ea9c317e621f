import re
import sqlite3
from contextlib import closing
from pathlib import Path

BASE = Path("./test_dir").resolve()
CONDITION = re.compile(r"\s*(\w+)\s*=\s*(?:'([^']*)'|(\d+))\s*")


def FetchOne(dbname, table, condition=""):
    if not dbname or not table:
        raise ValueError("dbname and table are required")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", table):
        raise ValueError("invalid table name")
    path = (BASE / dbname).resolve()
    if not path.is_relative_to(BASE) or not path.is_file():
        raise ValueError("invalid database name")
    query, values = f"SELECT * FROM {table}", ()
    if condition:
        match = CONDITION.fullmatch(condition)
        if match is None:
            raise ValueError("unsupported condition")
        column, text, number = match.groups()
        query += f" WHERE {column} = ?"
        values = (text if number is None else int(number),)
    with closing(sqlite3.connect(path)) as db:
        cursor = db.cursor()
        row = cursor.execute(query + " LIMIT 1", values).fetchone()
        db.commit()
        cursor.close()
    return None if row is None else list(row)
