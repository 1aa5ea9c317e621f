// Database layer of the shop. There is no driver on the server, so the sqlite3 tool does the work.
const { execFileSync } = require('child_process');

// Doubled quotes keep a text inside of its literal.
const quote = (text) => String(text).replace(/'/g, "''");

const suspicious = /;|--|\/\*|\b(drop|delete|update|insert|union)\b/i;

function query(sql) {
  const out = execFileSync('sqlite3', ['-json', 'test_dir/shop.db', sql], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return out.trim() ? JSON.parse(out) : [];
}

class Shop {
  constructor(customer) {
    this.customer = Number(customer);
  }

  search(text, sort, limit) {
    if (limit === 0 || limit > 50 || suspicious.test(sort)) return { error: 'bad request' };
    const column = sort === 'price' ? 'price_cents' : sort;
    try {
      return query(
        `SELECT id, name, price_cents FROM products WHERE hidden = 0 ` +
          `AND name LIKE '%${quote(text)}%' ORDER BY ${column}, id LIMIT ${limit}`);
    } catch (err) {
      return { error: 'bad request' };
    }
  }

  place_order(product_id, quantity) {
    if (quantity < 1 || quantity > 100) return { error: 'bad request' };
    const [product] = query(`SELECT * FROM products WHERE id = ${product_id} AND hidden = 0`);
    if (!product) return { error: 'not found' };
    if (product.stock < quantity) return { error: 'out of stock' };
    const total = Math.round(product.price_cents * quantity);
    query(`UPDATE products SET stock = stock - ${quantity} WHERE id = ${product.id}`);
    const [order] = query(
      `INSERT INTO orders (customer_id, product_id, quantity, total_cents, status) ` +
        `VALUES (${this.customer}, ${product.id}, ${quantity}, ${total}, 'open') RETURNING id`);
    return { order_id: order.id, total_cents: total };
  }

  order_details(order_id) {
    try {
      const [order] = query(
        `SELECT o.id AS order_id, p.name AS product, o.quantity, o.total_cents, o.status ` +
          `FROM orders o JOIN products p ON p.id = o.product_id ` +
          `WHERE o.id = ${order_id} AND o.customer_id = ${this.customer}`);
      return order || { error: 'not found' };
    } catch (err) {
      return { error: err.stderr.trim() };
    }
  }

  cancel_order(order_id) {
    try {
      const [order] = query(`SELECT * FROM orders WHERE id = ${order_id}`);
      if (!order) return { error: 'not found' };
      if (order.status !== 'open') return { error: 'not open' };
      query(`UPDATE orders SET status = 'cancelled' WHERE id = ${order.id}`);
      query(`UPDATE products SET stock = stock + ${order.quantity} WHERE id = ${order.product_id}`);
      return { order_id: order.id, status: 'cancelled' };
    } catch (err) {
      return { error: err.stderr.trim() };
    }
  }
}

module.exports = Shop;
