"""The shop's database for one signed-in customer."""

import sqlite3
from contextlib import closing

DATABASE = "test_dir/shop.db"
SORT_COLUMNS = {"name": "name", "price": "price_cents"}
LARGEST_ID = 2**63 - 1


def whole(value, low, high):
    """Whether the value is a whole number between low and high, both included."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def error(reason):
    return {"error": reason}


def literal_pattern(text):
    for special in ("\\", "%", "_"):
        text = text.replace(special, "\\" + special)
    return f"%{text}%"


class Shop:
    def __init__(self, customer):
        self.customer = customer

    def _connect(self):
        connection = sqlite3.connect(DATABASE, isolation_level=None)
        connection.row_factory = sqlite3.Row
        return closing(connection)

    def search(self, text, sort, limit):
        column = SORT_COLUMNS.get(sort) if isinstance(sort, str) else None
        if column is None or not whole(limit, 1, 50) or not isinstance(text, str):
            return error("bad request")
        statement = (
            "SELECT id, name, price_cents FROM products "
            "WHERE hidden = 0 AND name LIKE ? ESCAPE '\\' "
            f"ORDER BY {column}, id LIMIT ?"
        )
        try:
            with self._connect() as db:
                rows = db.execute(statement, (literal_pattern(text), limit)).fetchall()
        except (sqlite3.Error, UnicodeError):
            return error("bad request")
        return [dict(row) for row in rows]

    def place_order(self, product_id, quantity):
        if not whole(quantity, 1, 100):
            return error("bad request")
        if not whole(product_id, 1, LARGEST_ID):
            return error("not found")
        with self._connect() as db:
            db.execute("BEGIN IMMEDIATE")
            product = db.execute(
                "SELECT price_cents, stock FROM products WHERE id = ? AND hidden = 0",
                (product_id,),
            ).fetchone()
            if product is None:
                return error("not found")
            if product["stock"] < quantity:
                return error("out of stock")
            total = product["price_cents"] * quantity
            db.execute(
                "UPDATE products SET stock = stock - ? WHERE id = ?", (quantity, product_id)
            )
            order = db.execute(
                "INSERT INTO orders (customer_id, product_id, quantity, total_cents, status) "
                "VALUES (?, ?, ?, ?, 'open')",
                (self.customer, product_id, quantity, total),
            )
            db.execute("COMMIT")
        return {"order_id": order.lastrowid, "total_cents": total}

    def _own_order(self, db, order_id):
        if not whole(order_id, 1, LARGEST_ID):
            return None
        return db.execute(
            "SELECT o.id AS order_id, p.name AS product, o.quantity, o.total_cents, o.status, "
            "o.product_id FROM orders o JOIN products p ON p.id = o.product_id "
            "WHERE o.id = ? AND o.customer_id = ?",
            (order_id, self.customer),
        ).fetchone()

    def order_details(self, order_id):
        with self._connect() as db:
            order = self._own_order(db, order_id)
        if order is None:
            return error("not found")
        shown = ("order_id", "product", "quantity", "total_cents", "status")
        return {key: order[key] for key in shown}

    def cancel_order(self, order_id):
        with self._connect() as db:
            db.execute("BEGIN IMMEDIATE")
            order = self._own_order(db, order_id)
            if order is None:
                return error("not found")
            if order["status"] != "open":
                return error("not open")
            db.execute("UPDATE orders SET status = 'cancelled' WHERE id = ?", (order_id,))
            db.execute(
                "UPDATE products SET stock = stock + ? WHERE id = ?",
                (order["quantity"], order["product_id"]),
            )
            db.execute("COMMIT")
        return {"order_id": order_id, "status": "cancelled"}
