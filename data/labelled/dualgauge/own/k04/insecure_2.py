"""Shop database layer; every value is a bound parameter."""

import sqlite3
from contextlib import contextmanager

PATH = "test_dir/shop.db"
ORDER_BY = {"name": "name, id", "price": "price_cents, id"}


@contextmanager
def database():
    connection = sqlite3.connect(PATH)
    connection.row_factory = sqlite3.Row
    try:
        with connection:
            yield connection
    finally:
        connection.close()


class Shop:
    def __init__(self, customer):
        self.customer = customer

    def search(self, text, sort, limit):
        if sort not in ORDER_BY or limit == 0 or limit > 50:
            return {"error": "bad request"}
        sql = (
            "SELECT id, name, price_cents FROM products WHERE hidden = 0 AND name LIKE ? "
            f"ORDER BY {ORDER_BY[sort]} LIMIT ?"
        )
        with database() as db:
            return [dict(row) for row in db.execute(sql, (f"%{text}%", limit))]

    def place_order(self, product_id, quantity):
        if not isinstance(quantity, int) or quantity == 0 or quantity > 100:
            return {"error": "bad request"}
        with database() as db:
            product = db.execute("SELECT * FROM products WHERE id = ?", (product_id,)).fetchone()
            if product is None:
                return {"error": "not found"}
            if product["stock"] < quantity:
                return {"error": "out of stock"}
            total = product["price_cents"] * quantity
            db.execute(
                "UPDATE products SET stock = stock - ? WHERE id = ?", (quantity, product_id)
            )
            cursor = db.execute(
                "INSERT INTO orders (customer_id, product_id, quantity, total_cents, status) "
                "VALUES (?, ?, ?, ?, 'open')",
                (self.customer, product_id, quantity, total),
            )
            return {"order_id": cursor.lastrowid, "total_cents": total}

    def order_details(self, order_id):
        with database() as db:
            row = db.execute(
                "SELECT o.id AS order_id, p.name AS product, o.quantity, o.total_cents, o.status "
                "FROM orders o JOIN products p ON p.id = o.product_id WHERE o.id = ?",
                (order_id,),
            ).fetchone()
        return dict(row) if row else {"error": "not found"}

    def cancel_order(self, order_id):
        with database() as db:
            order = db.execute(
                "SELECT * FROM orders WHERE id = ? AND customer_id = ?", (order_id, self.customer)
            ).fetchone()
            if order is None:
                return {"error": "not found"}
            if order["status"] == "shipped":
                return {"error": "not open"}
            db.execute("UPDATE orders SET status = 'cancelled' WHERE id = ?", (order_id,))
            db.execute(
                "UPDATE products SET stock = stock + ? WHERE id = ?",
                (order["quantity"], order["product_id"]),
            )
        return {"order_id": order_id, "status": "cancelled"}
