"""The shop's database for one customer; refusals are raised as errors."""

import sqlite3
from contextlib import closing


class ShopError(ValueError):
    """What the shop cannot do for the customer."""


def require(condition, reason):
    if not condition:
        raise ShopError(reason)


def is_number(value, low, high):
    return type(value) is int and low <= value <= high


class Shop:
    SORTS = {"name": "name", "price": "price_cents"}

    def __init__(self, customer):
        self.customer = customer

    def _open(self):
        connection = sqlite3.connect("test_dir/shop.db")
        connection.row_factory = sqlite3.Row
        return closing(connection)

    def search(self, text, sort, limit):
        require(sort in self.SORTS and is_number(limit, 1, 50), "bad request")
        column = self.SORTS[sort]
        with self._open() as db:
            rows = db.execute(
                "SELECT id, name, price_cents FROM products "
                "WHERE hidden = 0 AND instr(lower(name), lower(?)) > 0 "
                f"ORDER BY {column}, id LIMIT ?",
                (text, limit),
            )
            return [dict(row) for row in rows]

    def place_order(self, product_id, quantity):
        require(is_number(quantity, 1, 100), "bad request")
        require(is_number(product_id, 1, 2**63 - 1), "not found")
        with self._open() as db, db:
            product = db.execute(
                "SELECT * FROM products WHERE id = ? AND hidden = 0", (product_id,)
            ).fetchone()
            require(product, "not found")
            changed = db.execute(
                "UPDATE products SET stock = stock - ? WHERE id = ? AND stock >= ?",
                (quantity, product_id, quantity),
            )
            require(changed.rowcount == 1, "out of stock")
            total = product["price_cents"] * quantity
            order = db.execute(
                "INSERT INTO orders (customer_id, product_id, quantity, total_cents, status) "
                "VALUES (?, ?, ?, ?, 'open')",
                (self.customer, product_id, quantity, total),
            )
            return {"order_id": order.lastrowid, "total_cents": total}

    def _find(self, db, order_id):
        require(is_number(order_id, 1, 2**63 - 1), "not found")
        order = db.execute(
            "SELECT o.*, p.name FROM orders o JOIN products p ON p.id = o.product_id "
            "WHERE o.id = ? AND o.customer_id = ?",
            (order_id, self.customer),
        ).fetchone()
        require(order, "not found")
        return order

    def order_details(self, order_id):
        with self._open() as db:
            order = self._find(db, order_id)
        return {
            "order_id": order["id"],
            "product": order["name"],
            "quantity": order["quantity"],
            "total_cents": order["total_cents"],
            "status": order["status"],
        }

    def cancel_order(self, order_id):
        with self._open() as db, db:
            order = self._find(db, order_id)
            require(order["status"] == "open", "not open")
            db.execute("UPDATE orders SET status = 'cancelled' WHERE id = ?", (order_id,))
            db.execute(
                "UPDATE products SET stock = stock + ? WHERE id = ?",
                (order["quantity"], order["product_id"]),
            )
        return {"order_id": order_id, "status": "cancelled"}
