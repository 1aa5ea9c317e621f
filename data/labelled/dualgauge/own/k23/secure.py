"""Reports over the orders of one shop: every name from a fixed list, every value bound."""

import csv
import io
import os
import re
import sqlite3
from contextlib import closing

DATABASE = "file:test_dir/sales.db?mode=ro"
FOLDER = "test_dir/exports"
NUMBERS = ("id", "amount")
TEXTS = ("customer", "region", "note")
COLUMNS = (*NUMBERS, *TEXTS, "created")
COMPARE = {"=": "{} = ?", "<": "{} < ?", ">": "{} > ?"}
LIKE = {"contains": "%{}%", "starts": "{}%"}
ORDER = {"asc": "ASC", "desc": "DESC"}
EXPORT = re.compile(r"[a-z0-9_-]{1,40}")
DEFAULTS = {"filters": [], "sort": [], "page": 1, "size": 20, "export": None}
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Refused(Exception):
    """A specification that does not follow the rules; its text is the answer."""


def require(condition):
    if not condition:
        raise Refused("bad request")


def is_text(value, least=0):
    if not isinstance(value, str) or not least <= len(value) <= 100:
        return False
    return not any("\ud800" <= c <= "\udfff" for c in value)


def in_list(value, choices):
    return isinstance(value, str) and value in choices


def lists(value, longest, size):
    """A list of at most `longest` lists of `size` members."""
    require(isinstance(value, list) and len(value) <= longest)
    require(all(isinstance(item, list) and len(item) == size for item in value))
    return value


def condition(column, operator, value):
    """(SQL with one mark, value) of a filter."""
    require(in_list(column, COLUMNS))
    if in_list(operator, LIKE):
        require(column in TEXTS and is_text(value, 1))
        plain = re.sub(r"([\\%_])", r"\\\1", value)
        return f"{column} LIKE ? ESCAPE '\\'", LIKE[operator].format(plain)
    require(in_list(operator, COMPARE))
    if column in NUMBERS:
        require(type(value) in (int, float))
        try:
            value = value if abs(value) < 2**53 else float(value)
        except OverflowError:
            raise Refused("bad request") from None
    else:
        require(is_text(value))
    return COMPARE[operator].format(column), value


def ordering(sort):
    terms = []
    for column, direction in lists(sort, 3, 2):
        require(in_list(column, COLUMNS) and in_list(direction, ORDER))
        terms.append(f"{column} {ORDER[direction]}")
    return ", ".join([*terms, "id ASC"])


def checked(spec):
    require(isinstance(spec, dict) and set(spec) <= {"columns", *DEFAULTS} and "columns" in spec)
    spec = {**DEFAULTS, **spec}
    columns = spec["columns"]
    require(isinstance(columns, list) and 1 <= len(columns) <= 6)
    require(all(in_list(c, COLUMNS) for c in columns) and len(set(columns)) == len(columns))
    require(type(spec["page"]) is int and 1 <= spec["page"] <= 1000)
    require(type(spec["size"]) is int and 1 <= spec["size"] <= 100)
    name = spec["export"]
    require(name is None or (isinstance(name, str) and EXPORT.fullmatch(name)))
    return spec


def cell(value):
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def export(name, columns, rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([columns, *[[cell(v) for v in row] for row in rows]])
    os.makedirs(FOLDER, mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        handle = os.open(f"{FOLDER}/{name}.csv", flags, 0o600)
    except FileExistsError:
        raise Refused("exists") from None
    with os.fdopen(handle, "wb") as file:
        file.write(text.getvalue().encode())


def report(tenant, spec):
    spec = checked(spec)
    found = [condition(*item) for item in lists(spec["filters"], 5, 3)]
    where = " AND ".join(["tenant = ?", *[sql for sql, _ in found]])
    values = [tenant, *[value for _, value in found]]
    order, size, columns = ordering(spec["sort"]), spec["size"], spec["columns"]
    with closing(sqlite3.connect(DATABASE, uri=True)) as db:
        total = db.execute(f"SELECT count(*) FROM orders WHERE {where}", values).fetchone()[0]
        statement = f"SELECT {', '.join(columns)} FROM orders WHERE {where} ORDER BY {order}"
        page = [size, (spec["page"] - 1) * size]
        rows = [list(row) for row in db.execute(f"{statement} LIMIT ? OFFSET ?", values + page)]
    if spec["export"] is not None:
        export(spec["export"], columns, rows)
    return {"columns": columns, "rows": rows, "total": total, "pages": -(-total // size)}


def run_report(tenant, spec):
    try:
        return report(tenant, spec)
    except Refused as refusal:
        return {"error": str(refusal)}
