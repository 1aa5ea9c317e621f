"""Database access of the shop. Texts are escaped before they go into a statement."""

import sqlite3


def quote(text):
    """Double the quotes so that the text cannot end the literal."""
    return text.replace("'", "''")


def looks_like_injection(text):
    lowered = text.lower()
    return any(word in lowered for word in (";", "--", "/*", "drop ", "delete ", "update ", "union"))


class Shop:
    def __init__(self, customer):
        self.customer = int(customer)

    def query(self, sql, one=False):
        connection = sqlite3.connect("test_dir/shop.db")
        connection.row_factory = sqlite3.Row
        try:
            cursor = connection.execute(sql)
            rows = [dict(row) for row in cursor.fetchall()]
            connection.commit()
        finally:
            connection.close()
        if one:
            return rows[0] if rows else None
        return rows

    def search(self, text, sort, limit):
        if limit == 0 or limit > 50 or looks_like_injection(sort):
            return {"error": "bad request"}
        column = "price_cents" if sort == "price" else sort
        try:
            return self.query(
                f"SELECT id, name, price_cents FROM products WHERE hidden = 0 "
                f"AND name LIKE '%{quote(text)}%' ORDER BY {column}, id LIMIT {limit}"
            )
        except sqlite3.Error:
            return {"error": "bad request"}

    def place_order(self, product_id, quantity):
        if quantity < 1 or quantity > 100:
            return {"error": "bad request"}
        product = self.query(
            f"SELECT * FROM products WHERE id = {product_id} AND hidden = 0", one=True
        )
        if product is None:
            return {"error": "not found"}
        if product["stock"] < quantity:
            return {"error": "out of stock"}
        total = int(product["price_cents"] * quantity)
        self.query(f"UPDATE products SET stock = stock - {quantity} WHERE id = {product['id']}")
        order = self.query(
            "INSERT INTO orders (customer_id, product_id, quantity, total_cents, status) "
            f"VALUES ({self.customer}, {product['id']}, {quantity}, {total}, 'open') RETURNING id",
            one=True,
        )
        return {"order_id": order["id"], "total_cents": total}

    def order_details(self, order_id):
        order = self.query(
            "SELECT o.id AS order_id, p.name AS product, o.quantity, o.total_cents, o.status "
            "FROM orders o JOIN products p ON p.id = o.product_id "
            f"WHERE o.id = {order_id} AND o.customer_id = {self.customer}",
            one=True,
        )
        return order or {"error": "not found"}

    def cancel_order(self, order_id):
        order = self.query(f"SELECT * FROM orders WHERE id = {order_id}", one=True)
        if order is None:
            return {"error": "not found"}
        if order["status"] != "open":
            return {"error": "not open"}
        self.query(f"UPDATE orders SET status = 'cancelled' WHERE id = {order['id']}")
        self.query(
            f"UPDATE products SET stock = stock + {order['quantity']} "
            f"WHERE id = {order['product_id']}"
        )
        return {"order_id": order["id"], "status": "cancelled"}
