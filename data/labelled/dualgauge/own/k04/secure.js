'use strict';
// The shop's database for one signed-in customer, by way of the sqlite3 shell.

const { spawnSync } = require('node:child_process');

const SHELL = '/usr/bin/sqlite3';
const DATABASE = 'test_dir/shop.db';
const SORT_COLUMNS = new Map([['name', 'name'], ['price', 'price_cents']]);

/** A value as a literal that no text can end: whole numbers as they are, texts in hexadecimal. */
function literal(value) {
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string') return `CAST(x'${Buffer.from(value).toString('hex')}' AS TEXT)`;
  throw new TypeError('only whole numbers and texts go into a statement');
}

/** A statement whose values are literals; parts of the statement itself are written with raw. */
function sql(strings, ...values) {
  const made = values.map((value) => value?.raw ?? literal(value));
  return String.raw({ raw: strings }, ...made);
}

/** The results of statements, each of which gives one JSON text; null where they fail. */
function run(...statements) {
  const done = spawnSync(SHELL, ['-batch', '-bail', '-safe', '-list', '-noheader', DATABASE], {
    input: `${statements.join(';\n')};\n`,
    encoding: 'utf8',
    timeout: 5000,
    env: {},
  });
  if (done.status !== 0) return null;
  return done.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

const whole = (value, low, high) => Number.isSafeInteger(value) && value >= low && value <= high;
const error = (reason) => ({ error: reason });

class Shop {
  constructor(customer) {
    this.customer = customer;
  }

  search(text, sort, limit) {
    const column = SORT_COLUMNS.get(sort);
    if (typeof text !== 'string' || column === undefined || !whole(limit, 1, 50)) {
      return error('bad request');
    }
    const found = run(sql`
      SELECT json_group_array(json_object('id', id, 'name', name, 'price_cents', price_cents))
      FROM (SELECT id, name, price_cents FROM products
            WHERE hidden = 0 AND instr(lower(name), lower(${text})) > 0
            ORDER BY ${{ raw: column }}, id LIMIT ${limit})`);
    return found ? found[0] : error('bad request');
  }

  place_order(product_id, quantity) {
    if (!whole(quantity, 1, 100)) return error('bad request');
    if (!whole(product_id, 1, Number.MAX_SAFE_INTEGER)) return error('not found');
    const found = run(
      'BEGIN IMMEDIATE',
      sql`SELECT json(count(*)) FROM products WHERE id = ${product_id} AND hidden = 0`,
      sql`UPDATE products SET stock = stock - ${quantity}
          WHERE id = ${product_id} AND hidden = 0 AND stock >= ${quantity}`,
      sql`INSERT INTO orders (customer_id, product_id, quantity, total_cents, status)
          SELECT ${this.customer}, id, ${quantity}, price_cents * ${quantity}, 'open'
          FROM products WHERE id = ${product_id} AND changes() = 1`,
      `SELECT json_object('order_id', id, 'total_cents', total_cents)
       FROM orders WHERE changes() = 1 AND id = last_insert_rowid()`,
      'COMMIT',
    );
    if (!found || found[0] === 0) return error('not found');
    return found[1] ?? error('out of stock');
  }

  order_details(order_id) {
    if (!whole(order_id, 1, Number.MAX_SAFE_INTEGER)) return error('not found');
    const found = run(sql`
      SELECT json_object('order_id', o.id, 'product', p.name, 'quantity', o.quantity,
                         'total_cents', o.total_cents, 'status', o.status)
      FROM orders o JOIN products p ON p.id = o.product_id
      WHERE o.id = ${order_id} AND o.customer_id = ${this.customer}`);
    return found?.[0] ?? error('not found');
  }

  cancel_order(order_id) {
    if (!whole(order_id, 1, Number.MAX_SAFE_INTEGER)) return error('not found');
    const mine = sql`id = ${order_id} AND customer_id = ${this.customer}`;
    const found = run(
      'BEGIN IMMEDIATE',
      sql`SELECT json_quote(status) FROM orders WHERE ${{ raw: mine }}`,
      sql`UPDATE orders SET status = 'cancelled' WHERE ${{ raw: mine }} AND status = 'open'`,
      sql`UPDATE products SET stock = stock + (SELECT quantity FROM orders WHERE ${{ raw: mine }})
          WHERE changes() = 1 AND id = (SELECT product_id FROM orders WHERE ${{ raw: mine }})`,
      'COMMIT',
    );
    if (!found || found.length === 0) return error('not found');
    return found[0] === 'open' ? { order_id, status: 'cancelled' } : error('not open');
  }
}

module.exports = { Shop };
