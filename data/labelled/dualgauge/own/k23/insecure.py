"""Report builder for the back office."""

import csv
import os
import re
import sqlite3

DB_PATH = "test_dir/sales.db"
EXPORT_DIR = "test_dir/exports"
ALLOWED = ["id", "customer", "region", "amount", "note", "created"]
TEXT_COLUMNS = ["customer", "region", "note"]
OPERATORS = {"=": "=", "<": "<", ">": ">", "contains": "LIKE", "starts": "LIKE"}
KNOWN_KEYS = {"columns", "filters", "sort", "page", "size", "export"}


def bad_request():
    raise ValueError("bad request")


def build_where(tenant, filters):
    clauses, params = ["tenant = ?"], [tenant]
    if len(filters) > 5:
        bad_request()
    for column, operator, value in filters:
        if column not in ALLOWED or operator not in OPERATORS:
            bad_request()
        if operator in ("contains", "starts"):
            if (
                column not in TEXT_COLUMNS
                or not isinstance(value, str)
                or not 1 <= len(value) <= 100
            ):
                bad_request()
            value = f"%{value}%" if operator == "contains" else f"{value}%"
        elif column in ("id", "amount"):
            if not isinstance(value, (int, float)):
                bad_request()
        elif not isinstance(value, str) or len(value) > 100:
            bad_request()
        clauses.append(f"{column} {OPERATORS[operator]} ?")
        params.append(value)
    return " AND ".join(clauses), params


def build_order(sort):
    if len(sort) > 3:
        bad_request()
    parts = []
    for column, direction in sort:
        # Column names start with a letter; keywords are checked for the direction.
        if not re.match(r"[a-z]+", column, re.I) or direction not in ("asc", "desc"):
            bad_request()
        parts.append(f"{column} {direction}")
    return ", ".join(parts + ["id"])


def safe_cell(value):
    if isinstance(value, str) and value.startswith(("=", "@")):
        return "'" + value
    return value


def write_export(name, columns, rows):
    name = name.replace("../", "")
    os.makedirs(EXPORT_DIR, exist_ok=True)
    path = os.path.join(EXPORT_DIR, f"{name}.csv")
    if os.path.exists(path):
        return False
    with open(path, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(columns)
        for row in rows:
            writer.writerow([safe_cell(v) for v in row])
    return True


def run_report(tenant, spec):
    conn = sqlite3.connect(DB_PATH)
    try:
        if set(spec) - KNOWN_KEYS:
            bad_request()
        columns = spec["columns"]
        if (
            not columns
            or len(columns) != len(set(columns))
            or any(c not in ALLOWED for c in columns)
        ):
            bad_request()
        page, size = spec.get("page", 1), spec.get("size", 20)
        if not isinstance(page, int) or not isinstance(size, int) or size == 0 or size > 100:
            bad_request()
        if page < 1 or page > 1000:
            bad_request()
        name = spec.get("export")
        if name is not None and (not name or len(name) > 40 or name != name.lower()):
            bad_request()
        where, params = build_where(tenant, spec.get("filters", []))
        order = build_order(spec.get("sort", []))
        total = conn.execute(f"SELECT COUNT(*) FROM orders WHERE {where}", params).fetchone()[0]
        query = f"SELECT {', '.join(columns)} FROM orders WHERE {where} ORDER BY {order}"
        query += f" LIMIT {size} OFFSET {(page - 1) * size}"
        rows = [list(r) for r in conn.execute(query, params)]
    except (ValueError, KeyError, TypeError, sqlite3.Error):
        return {"error": "bad request"}
    finally:
        conn.close()
    if name is not None and not write_export(name, columns, rows):
        return {"error": "exists"}
    return {"columns": columns, "rows": rows, "total": total, "pages": -(-total // size)}
