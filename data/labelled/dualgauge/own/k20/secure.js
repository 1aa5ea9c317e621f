'use strict';
// Applies a JSON patch to a shared document; JSON is read by a strict reader of its own.

const PROTECTED = new Set(['id', 'owner', 'access/roles']);
const DANGEROUS = new Set(['__proto__', 'constructor', 'prototype']);
const NEEDS = new Map([
  ['add', 'value'], ['replace', 'value'], ['test', 'value'],
  ['move', 'from'], ['copy', 'from'], ['remove', 'path'],
]);
const MAX_TEXT = 20000;
const MAX_OPERATIONS = 50;
const MAX_VALUES = 2000;
const MAX_DEPTH = 20;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const OTHER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

class Refused extends Error {}

function demand(condition, reason) {
  if (!condition) throw new Refused(reason);
}

/** RFC 8259 with bounded depth; objects have no prototype, and no key twice. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  document() {
    const value = this.value(1);
    demand(this.at === this.text.length, 'bad json');
    return value;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    demand(found !== null, 'bad json');
    this.at = pattern.lastIndex;
    return found[0];
  }

  /** Passes over a mark and the space around it, if it is next. */
  skip(mark) {
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    this.match(SPACE);
    return true;
  }

  value(depth) {
    demand(depth <= MAX_DEPTH, 'too large');
    this.match(SPACE);
    let made;
    if (this.skip('{')) made = this.object(depth);
    else if (this.skip('[')) made = this.list(depth);
    else made = JSON.parse(this.match(this.text[this.at] === '"' ? STRING : OTHER));
    // A number like 1e999 is none that a document could hold.
    demand(made !== Infinity && made !== -Infinity, 'bad json');
    this.match(SPACE);
    return made;
  }

  list(depth) {
    const made = [];
    if (this.skip(']')) return made;
    do made.push(this.value(depth + 1)); while (this.skip(','));
    demand(this.skip(']'), 'bad json');
    return made;
  }

  object(depth) {
    const made = Object.create(null);
    if (this.skip('}')) return made;
    do {
      const key = JSON.parse(this.match(STRING));
      this.match(SPACE);
      demand(this.skip(':') && !(key in made), 'bad json');
      demand(!DANGEROUS.has(key), 'not allowed');
      made[key] = this.value(depth + 1);
    } while (this.skip(','));
    demand(this.skip('}'), 'bad json');
    return made;
  }
}

function read(text) {
  demand(typeof text === 'string', 'bad json');
  demand(text.length <= 2 * MAX_TEXT && [...text].length <= MAX_TEXT, 'too large');
  return new Reader(text).document();
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function tokens(pointer) {
  demand(typeof pointer === 'string' && /^(?:\/|$)/.test(pointer), 'bad patch');
  demand(!/~(?![01])/.test(pointer), 'bad patch');
  return pointer.split('/').slice(1).map((t) => t.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function count(value, depth = 1) {
  demand(depth <= MAX_DEPTH, 'too large');
  if (value === null || typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum, v) => sum + count(v, depth + 1), 1);
}

function same(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((v, i) => same(v, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => k in b && same(a[k], b[k]));
}

function copied(value) {
  if (Array.isArray(value)) return value.map(copied);
  if (!isObject(value)) return value;
  const made = Object.create(null);
  for (const key of Object.keys(value)) made[key] = copied(value[key]);
  return made;
}

/** The key or index that a token means in its parent; `end` is 1 where a list may grow. */
function place(parent, token, end = 0) {
  if (isObject(parent)) return token;
  demand(Array.isArray(parent), 'no such place');
  if (token === '-' && end) return parent.length;
  demand(/^(?:0|[1-9][0-9]{0,5})$/.test(token), 'no such place');
  demand(Number(token) < parent.length + end, 'no such place');
  return Number(token);
}

function find(document, path) {
  return path.reduce((node, token) => {
    const key = place(node, token);
    demand(Array.isArray(node) || key in node, 'no such place');
    return node[key];
  }, document);
}

function add(document, path, value) {
  const parent = find(document, path.slice(0, -1));
  const key = place(parent, path.at(-1), 1);
  if (Array.isArray(parent)) parent.splice(key, 0, value);
  else parent[key] = value;
}

function take(document, path) {
  const value = find(document, path);
  const parent = find(document, path.slice(0, -1));
  const key = place(parent, path.at(-1));
  if (Array.isArray(parent)) parent.splice(key, 1);
  else delete parent[key];
  return value;
}

function step(operation) {
  demand(isObject(operation) && NEEDS.has(operation.op), 'bad patch');
  const need = NEEDS.get(operation.op);
  demand('path' in operation && need in operation, 'bad patch');
  const path = tokens(operation.path);
  const source = need === 'from' ? tokens(operation.from) : null;
  if (operation.op === 'move') {
    const below = path.length > source.length && source.every((t, i) => t === path[i]);
    demand(!below, 'bad patch');
  }
  return { op: operation.op, path, source, value: operation.value };
}

function allowed({ op, path, source }) {
  if ([...path, ...(source ?? [])].some((t) => DANGEROUS.has(t))) return false;
  if (op === 'test') return true;
  const changed = op === 'move' ? [path, source] : [path];
  return changed.every((p) => p.length > 0 && !PROTECTED.has(p[0]));
}

function change(document, one) {
  demand(allowed(one), 'not allowed');
  const { op, path, source, value } = one;
  if (op === 'test') demand(same(find(document, path), value), 'test failed');
  else if (op === 'remove') take(document, path);
  else if (op === 'move') add(document, path, take(document, source));
  else if (op === 'copy') add(document, path, copied(find(document, source)));
  else if (op === 'add') add(document, path, value);
  else {
    find(document, path);
    const parent = find(document, path.slice(0, -1));
    parent[place(parent, path.at(-1))] = value;
  }
  demand(count(document) <= MAX_VALUES, 'too large');
}

function apply_patch(document, patch) {
  try {
    const [result, operations] = [read(document), read(patch)];
    demand(isObject(result), 'bad json');
    demand(Array.isArray(operations), 'bad patch');
    demand(operations.length <= MAX_OPERATIONS, 'too large');
    demand(count(result) <= MAX_VALUES, 'too large');
    for (const one of operations.map(step)) change(result, one);
    return { document: result };
  } catch (error) {
    if (error instanceof Refused) return { error: error.message };
    throw error;
  }
}

module.exports = { apply_patch };
