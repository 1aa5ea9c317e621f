'use strict';
// Order import: totals of one customer from an XML document.

const sax = require('sax');

const MAX_CHARACTERS = 1000000;
const MAX_DEPTH = 50;
const QUANTITY = /^[1-9][0-9]{0,3}$/;
const PRICE = /^([0-9]{1,5})\.([0-9]{2})$/;

class Refused extends Error {}

const refuseDocument = () => {
  throw new Refused('invalid document');
};

/** Plain data from the parser's events; nothing is declared, expanded or fetched. */
function readOrders(document) {
  if (typeof document !== 'string' || document.length > MAX_CHARACTERS) refuseDocument();
  const parser = sax.parser(true);
  const path = [];
  const orders = [];
  let rootSeen = false;

  const inText = () =>
    path[1] === 'order' && (path[2] === 'customer' || path[2] === 'note') ? path[2] : '';

  parser.ondoctype = refuseDocument;
  parser.onerror = refuseDocument;
  parser.onopentag = ({ name, attributes }) => {
    if (path.length >= MAX_DEPTH) refuseDocument();
    if (path.length === 0 && (rootSeen || name !== 'orders')) refuseDocument();
    rootSeen = true;
    const order = orders.at(-1);
    if (path.length === 1 && name === 'order') {
      orders.push({ id: attributes.id ?? '', customer: [], note: [], items: [], pure: true });
    } else if (path.length === 2 && path[1] === 'order') {
      if (name === 'item') order.items.push(attributes);
      if (name === 'customer' || name === 'note') order[name].push('');
    } else if (path.length > 2 && inText()) {
      order.pure = false;
    }
    path.push(name);
  };
  parser.onclosetag = () => path.pop();
  const text = (piece) => {
    const pieces = path.length === 3 && inText() ? orders.at(-1)[path[2]] : null;
    if (pieces) pieces[pieces.length - 1] += piece;
  };
  parser.ontext = text;
  parser.oncdata = text;
  parser.write(document).close();
  if (!rootSeen) refuseDocument();
  return orders;
}

/** Quantity times price of one item in cents, or null where either breaks its rule. */
function amount({ sku, quantity = '', price = '' }) {
  const parts = PRICE.exec(price);
  if (!sku || !parts || !QUANTITY.test(quantity) || Number(quantity) > 1000) return null;
  return Number(quantity) * (100 * Number(parts[1]) + Number(parts[2]));
}

/** The total of an order that keeps every rule, in cents. */
function check(order, seen) {
  const amounts = order.items.map(amount);
  const shaped = order.customer.length === 1 && order.note.length <= 1 && order.pure;
  if (!order.id || seen.has(order.id) || !shaped || !amounts.length || amounts.includes(null)) {
    throw new Refused(`invalid order: ${order.id}`);
  }
  seen.add(order.id);
  return amounts.reduce((sum, cents) => sum + cents, 0);
}

function money(cents) {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function import_orders(document, customer) {
  try {
    const seen = new Set();
    const mine = [];
    let sum = 0;
    for (const order of readOrders(document)) {
      const total = check(order, seen);
      if (order.customer[0] !== customer) continue;
      mine.push({ id: order.id, note: order.note[0] ?? '', total: money(total) });
      sum += total;
    }
    return { customer, orders: mine, total: money(sum) };
  } catch (error) {
    if (error instanceof Refused) return { error: error.message };
    throw error;
  }
}

module.exports = { import_orders };
