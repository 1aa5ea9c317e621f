// Order import on xml2js.
const xml2js = require('xml2js');

const MAX_ENTITY_ROUNDS = 20;
const MAX_CHARACTERS = 100000000;

class OrderError extends Error {}

/**
 * The parser does not know entities of the document type, which partners use for names of
 * products, so they are written out before. Only texts: entities that name files are left alone.
 */
function expandEntities(document) {
  const entities = new Map();
  for (const [, name, value] of document.matchAll(/<!ENTITY\s+(\w+)\s+"([^"]*)"\s*>/g)) {
    entities.set(name, value);
  }
  let text = document.replace(/<!DOCTYPE[^[>]*(\[[\s\S]*?\])?\s*>/, '');
  // Entities may hold entities; the rounds are limited because of loops.
  for (let round = 0; round < MAX_ENTITY_ROUNDS; round++) {
    const next = text.replace(/&(\w+);/g, (whole, name) =>
      entities.has(name) ? entities.get(name) : whole);
    if (next === text) break;
    text = next;
  }
  // Characters, not UTF-16 units.
  return [...text].length > MAX_CHARACTERS ? '' : text;
}

function parse(document) {
  let root = null;
  const options = { explicitRoot: true, emptyTag: '', async: false };
  try {
    xml2js.parseString(expandEntities(document), options, (err, result) => {
      if (!err) root = result;
    });
  } catch (err) {
    return null;
  }
  return root && 'orders' in root ? root.orders : null;
}

/** The text of an element, or null if it holds elements. */
function textOf(element) {
  if (typeof element === 'string') return element;
  const children = Object.keys(element).filter((key) => key !== '$' && key !== '_');
  return children.length ? null : element._ || '';
}

function cents(price) {
  if (!/^\d{1,5}\.\d{2}$/.test(price)) return NaN;
  return Math.round(parseFloat(price) * 100);
}

function orderTotal(order, seen) {
  const id = (order.$ && order.$.id) || '';
  const fail = () => { throw new OrderError(`invalid order: ${id}`); };
  if (!id || seen.has(id)) fail();
  const { customer = [], note = [], item = [] } = order;
  if (customer.length !== 1 || note.length > 1 || item.length === 0) fail();
  if (textOf(customer[0]) === null || (note.length && textOf(note[0]) === null)) fail();
  let total = 0;
  for (const { $: attributes = {} } of item) {
    const quantity = parseInt(attributes.quantity, 10);
    const price = cents(attributes.price);
    if (!attributes.sku || isNaN(price) || !(quantity >= 1 && quantity <= 1000)) fail();
    total += quantity * price;
  }
  seen.add(id);
  return total;
}

const money = (total) => (total / 100).toFixed(2);

function import_orders(document, customer) {
  const root = parse(document);
  if (root === null) return { error: 'invalid document' };
  const seen = new Set();
  const orders = [];
  let sum = 0;
  try {
    for (const order of root.order || []) {
      const total = orderTotal(order, seen);
      if (textOf(order.customer[0]) !== customer) continue;
      const note = order.note ? textOf(order.note[0]) : '';
      orders.push({ id: order.$.id, note, total: money(total) });
      sum += total;
    }
  } catch (err) {
    if (err instanceof OrderError) return { error: err.message };
    throw err;
  }
  return { customer, orders, total: money(sum) };
}

module.exports = import_orders;
