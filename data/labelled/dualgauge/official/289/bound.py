import re
import sqlite3
from contextlib import closing
from pathlib import Path

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
FILTER = re.compile(r"\s*(?P<column>[A-Za-z_]\w*)\s*=\s*(?:'(?P<text>[^']*)'|(?P<number>-?\d+))\s*\Z")


def _place(dbname):
    if Path(dbname).name != dbname or dbname.startswith("."):
        raise ValueError("dbname has to be a plain file name")
    return Path("test_dir") / dbname


def FetchOne(dbname, table, condition=""):
    if not dbname or not table:
        raise ValueError("dbname and table are required")
    where, values = _place(dbname), ()
    if not NAME.match(table):
        raise ValueError("table has to be a plain name")
    query = f'SELECT * FROM "{table}"'
    if condition:
        parts = FILTER.match(condition)
        if parts is None:
            raise ValueError("condition has to compare one column with one value")
        query += f' WHERE "{parts["column"]}" = ?'
        number = parts["number"]
        values = (parts["text"] if number is None else int(number),)
    with closing(sqlite3.connect(where)) as link, closing(link.cursor()) as cursor:
        row = cursor.execute(query + " LIMIT 1", values).fetchone()
        link.commit()
    return None if row is None else list(row)
