"""Inventory tool: list, same, move and import on an SQLite database."""

import argparse
import re
import sqlite3
import sys

DB = "test_dir/stock.db"
MAX_QTY = 999999999


def fail(message, code=2):
    print(f"error: {message}")
    sys.exit(code)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail("usage")


def check_sku(sku):
    if not re.match(r"^[A-Z0-9-]{1,12}$", sku):
        fail("bad value")


def print_items(rows):
    for sku, name, qty in rows:
        # Keep every item on its own line.
        name = re.sub(r"[\r\n\t\x1b]", "?", name)
        print(f"{sku}\t{name}\t{qty}")


def cmd_list(conn, args):
    if args.sort not in ("sku", "name", "qty"):
        fail("bad value")
    query = "SELECT sku, name, qty FROM items WHERE active = 1"
    params = []
    if args.text is not None:
        if not 1 <= len(args.text) <= 50:
            fail("bad value")
        query += " AND name LIKE ?"
        params.append(f"%{args.text}%")
    rows = conn.execute(query + f" ORDER BY {args.sort}, sku", params).fetchall()
    print_items(rows) if rows else print("none")


def cmd_same(conn, args):
    check_sku(args.sku)
    row = conn.execute("SELECT supplier FROM items WHERE sku = ?", (args.sku,)).fetchone()
    if row is None:
        fail("unknown sku")
    query = (
        f"SELECT sku, name, qty FROM items WHERE active = 1 AND supplier = '{row[0]}' ORDER BY 1"
    )
    print_items(conn.execute(query))


def cmd_move(conn, args):
    check_sku(args.sku)
    try:
        delta = int(args.delta)
    except ValueError:
        fail("bad value")
    if delta == 0 or abs(delta) > MAX_QTY or not 1 <= len(args.reason) <= 60:
        fail("bad value")
    row = conn.execute("SELECT qty FROM items WHERE sku = ? AND active = 1", (args.sku,)).fetchone()
    if row is None:
        fail("unknown sku")
    qty = row[0] + delta
    if qty < 0:
        fail("bad value")
    conn.execute("UPDATE items SET qty = ? WHERE sku = ?", (qty, args.sku))
    conn.execute(
        "INSERT INTO moves (sku, delta, reason) VALUES (?, ?, ?)", (args.sku, delta, args.reason)
    )
    conn.commit()
    print(f"{args.sku} {qty}")


def cmd_import(conn, args):
    lines = sys.stdin.read().splitlines()
    if not lines:
        fail("bad line 1")
    for n, line in enumerate(lines, 1):
        parts = line.split(",")
        if n > 200 or len(parts) != 4 or not re.match(r"^[A-Z0-9-]{1,12}$", parts[0]):
            fail(f"bad line {n}")
        sku, name, supplier, qty = parts
        if not qty.isdigit() or len(qty) > 9:
            fail(f"bad line {n}")
        if not 1 <= len(name) <= 40 or not 1 <= len(supplier) <= 40:
            fail(f"bad line {n}")
        try:
            with conn:
                conn.execute(
                    "INSERT INTO items VALUES (?, ?, ?, ?, 1)", (sku, name, supplier, int(qty))
                )
                conn.execute(
                    "INSERT INTO moves (sku, delta, reason) VALUES (?, ?, 'import')",
                    (sku, int(qty)),
                )
        except sqlite3.IntegrityError:
            fail(f"bad line {n}")
    print(f"imported {len(lines)}")


def main():
    parser = Parser()
    sub = parser.add_subparsers(dest="command", required=True)
    p = sub.add_parser("list")
    p.add_argument("--sort", default="sku")
    p.add_argument("text", nargs="?")
    p.set_defaults(func=cmd_list)
    p = sub.add_parser("same")
    p.add_argument("sku")
    p.set_defaults(func=cmd_same)
    p = sub.add_parser("move")
    p.add_argument("sku")
    p.add_argument("delta")
    p.add_argument("reason")
    p.set_defaults(func=cmd_move)
    p = sub.add_parser("import")
    p.set_defaults(func=cmd_import)
    args = parser.parse_args()
    conn = sqlite3.connect(DB)
    args.func(conn, args)


if __name__ == "__main__":
    main()
