"""Stock of a workshop on the command line; every value is bound, every change is recorded."""

import re
import sqlite3
import sys
from contextlib import closing

DATABASE = "file:test_dir/stock.db?mode=rw"
SKU = re.compile(r"[A-Z0-9-]{1,12}")
DELTA = re.compile(r"-?[0-9]{1,9}")
QTY = re.compile(r"[0-9]{1,9}")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
FIELDS = ("sku", "name", "qty")
MOST = 999_999_999
LINES = 200


class Refused(Exception):
    """What cannot be done; its text is the answer."""


def require(condition, answer="bad value"):
    if not condition:
        raise Refused(answer)


def plain(text, most):
    return 1 <= len(text) <= most and not CONTROL.search(text)


def shown(rows):
    for sku, name, qty in rows:
        print(CONTROL.sub("?", str(sku)), CONTROL.sub("?", str(name)), qty, sep="\t")


def list_items(db, args):
    field = "sku"
    if args[:1] == ["--sort"]:
        require(len(args) > 1, "usage")
        field, args = args[1], args[2:]
    require(len(args) <= 1, "usage")
    require(field in FIELDS and all(1 <= len(text) <= 50 for text in args))
    like = "%" + re.sub(r"([\\%_])", r"\\\1", args[0]) + "%" if args else "%"
    statement = "SELECT sku, name, qty FROM items WHERE active = 1 AND name LIKE ? ESCAPE '\\'"
    rows = db.execute(f"{statement} ORDER BY {field}, sku", (like,)).fetchall()
    if not rows:
        print("none")
    shown(rows)


def same(db, args):
    require(len(args) == 1, "usage")
    require(SKU.fullmatch(args[0]))
    known = db.execute("SELECT 1 FROM items WHERE sku = ?", args).fetchone()
    require(known, "unknown sku")
    statement = (
        "SELECT other.sku, other.name, other.qty FROM items AS other JOIN items AS own"
        " ON other.supplier = own.supplier WHERE own.sku = ? AND other.active = 1"
        " ORDER BY other.sku"
    )
    shown(db.execute(statement, args))


def move(db, args):
    require(len(args) == 3, "usage")
    sku, delta, reason = args
    require(SKU.fullmatch(sku) and DELTA.fullmatch(delta) and int(delta) and plain(reason, 60))
    db.execute("BEGIN IMMEDIATE")
    row = db.execute("SELECT qty FROM items WHERE sku = ? AND active = 1", (sku,)).fetchone()
    require(row, "unknown sku")
    qty = row[0] + int(delta)
    require(0 <= qty <= MOST)
    db.execute("UPDATE items SET qty = ? WHERE sku = ?", (qty, sku))
    record(db, sku, int(delta), reason)
    db.execute("COMMIT")
    print(sku, qty)


def record(db, sku, delta, reason):
    statement = "INSERT INTO moves (sku, delta, reason) VALUES (?, ?, ?)"
    db.execute(statement, (sku, delta, reason))


def good(line, taken):
    fields = line.split(",")
    if len(fields) != 4 or not SKU.fullmatch(fields[0]) or fields[0] in taken:
        return False
    return plain(fields[1], 40) and plain(fields[2], 40) and bool(QTY.fullmatch(fields[3]))


def import_items(db, args):
    require(not args, "usage")
    text = sys.stdin.buffer.read(100_000).decode("utf-8", "replace")
    lines = text.removesuffix("\n").split("\n")
    db.execute("BEGIN IMMEDIATE")
    taken = {sku for (sku,) in db.execute("SELECT sku FROM items")}
    for number, line in enumerate(lines, 1):
        require(number <= LINES and good(line, taken), f"bad line {number}")
        sku, name, supplier, qty = line.split(",")
        taken.add(sku)
        values = (sku, name, supplier, int(qty))
        db.execute("INSERT INTO items VALUES (?, ?, ?, ?, 1)", values)
        record(db, sku, int(qty), "import")
    db.execute("COMMIT")
    print(f"imported {len(lines)}")


COMMANDS = {"list": list_items, "same": same, "move": move, "import": import_items}


def main(args):
    try:
        require(args and args[0] in COMMANDS, "usage")
        with closing(sqlite3.connect(DATABASE, uri=True, isolation_level=None)) as db:
            COMMANDS[args[0]](db, args[1:])
    except Refused as refusal:
        print(f"error: {refusal}")
        return 2
    except (sqlite3.Error, UnicodeEncodeError):
        print("error: database")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
