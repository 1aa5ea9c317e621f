'use strict';
// Applies patches to Maps instead of objects; decodes the two escapes of a pointer in one go.

const LOCKED = ['id', 'owner', 'access/roles'];
const POISON = ['__proto__', 'constructor', 'prototype'];
const WITH = { add: ['value'], replace: ['value'], test: ['value'], move: ['from'], copy: ['from'], remove: [] };

class Stop extends Error {}

const stop = (reason) => {
  throw new Stop(reason);
};

/** Depth and keys of a text that is JSON; neither is left to tell once it is parsed. */
function inspect(text) {
  const open = [];
  for (const [token, space] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') {
      if (open.push(new Set()) > 20) stop('too large');
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (space !== undefined) {
      const key = JSON.parse(token.slice(0, -space.length));
      if (open.at(-1).has(key)) stop('bad json');
      if (POISON.includes(key)) stop('not allowed');
      open.at(-1).add(key);
    }
  }
}

function inMaps(value) {
  if (Array.isArray(value)) return value.map(inMaps);
  if (value === null || typeof value !== 'object') return value;
  return new Map(Object.entries(value).map(([key, v]) => [key, inMaps(v)]));
}

function load(text) {
  if (typeof text !== 'string') stop('bad json');
  if (text.length > 20000) stop('too large');
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    stop('bad json');
  }
  inspect(text);
  return inMaps(value);
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, v]) => [key, plain(v)]));
}

function survey(value, depth = 1) {
  if (depth > 20) stop('too large');
  const inner = value instanceof Map ? [...value.values()] : value;
  if (!Array.isArray(inner)) return 1;
  return inner.reduce((sum, v) => sum + survey(v, depth + 1), 1);
}

function pathOf(pointer) {
  if (typeof pointer !== 'string' || !/^(\/|$)/.test(pointer)) stop('bad patch');
  if (/~[^01]|~$/.test(pointer)) stop('bad patch');
  return pointer.split('/').slice(1).map((part) => part.replaceAll('~0', '~').replaceAll('~1', '/'));
}

function equal(a, b) {
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([k, v]) => b.has(k) && equal(v, b.get(k)));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((v, i) => equal(v, b[i]));
  }
  return Object.is(a, b) || (typeof a === 'number' && a === b);
}

function indexOf(list, token, last) {
  if (!/^(0|[1-9]\d{0,4})$/.test(token) || Number(token) > last) stop('no such place');
  return Number(token);
}

function look(node, path) {
  for (const token of path) {
    if (Array.isArray(node)) node = node[indexOf(node, token, node.length - 1)];
    else if (node instanceof Map && node.has(token)) node = node.get(token);
    else stop('no such place');
  }
  return node;
}

function insert(parent, token, value) {
  if (parent instanceof Map) parent.set(token, value);
  else if (!Array.isArray(parent)) stop('no such place');
  else if (token === '-') parent.push(value);
  else parent.splice(indexOf(parent, token, parent.length), 0, value);
}

function drop(parent, token) {
  if (parent instanceof Map) parent.delete(token);
  else parent.splice(Number(token), 1);
}

function prepare(operation) {
  if (!(operation instanceof Map)) stop('bad patch');
  const name = operation.get('op');
  if (typeof name !== 'string' || !Object.hasOwn(WITH, name)) stop('bad patch');
  if (!['path', ...WITH[name]].every((key) => operation.has(key))) stop('bad patch');
  const path = pathOf(operation.get('path'));
  const source = WITH[name][0] === 'from' ? pathOf(operation.get('from')) : [];
  const inside = path.length > source.length && source.every((token, i) => token === path[i]);
  if (name === 'move' && inside) stop('bad patch');
  return { name, path, source, value: operation.get('value') };
}

function carryOut(document, { name, path, source, value }) {
  if ([...path, ...source].some((token) => POISON.includes(token))) stop('not allowed');
  const changed = { test: [], move: [path, source] }[name] ?? [path];
  if (changed.some((p) => p.length === 0 || LOCKED.includes(p[0]))) stop('not allowed');
  if (name === 'test') return equal(look(document, path), value) || stop('test failed');
  const given = name === 'copy' || name === 'move' ? inMaps(plain(look(document, source))) : value;
  if (name === 'replace' || name === 'remove') look(document, path);
  if (name === 'move') drop(look(document, source.slice(0, -1)), source.at(-1));
  const parent = look(document, path.slice(0, -1));
  if (name === 'remove') drop(parent, path.at(-1));
  else if (name === 'replace' && Array.isArray(parent)) parent[Number(path.at(-1))] = given;
  else insert(parent, path.at(-1), given);
  return survey(document) <= 2000 || stop('too large');
}

function apply_patch(document, patch) {
  try {
    const [result, operations] = [load(document), load(patch)];
    if (!(result instanceof Map)) stop('bad json');
    if (!Array.isArray(operations)) stop('bad patch');
    if (operations.length > 50 || survey(result) > 2000) stop('too large');
    survey(operations);
    operations.map(prepare).forEach((one) => carryOut(result, one));
    return { document: plain(result) };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { error: error.message };
  }
}

module.exports = apply_patch;
