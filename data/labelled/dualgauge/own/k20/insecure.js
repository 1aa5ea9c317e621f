// JSON Patch (RFC 6902) for shared documents
const assert = require('assert');

const LOCKED = ['/id', '/owner', '/access/roles'];
const MAX_LENGTH = 20000;

class PatchError extends Error {}

function parsePointer(pointer) {
  if (pointer !== '' && !pointer.startsWith('/')) {
    throw new PatchError('bad patch');
  }
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function getAt(document, parts) {
  let node = document;
  for (const part of parts) {
    // Never walk into a prototype.
    if (part === '__proto__' || part === 'constructor' || part === 'prototype') {
      throw new PatchError('not allowed');
    }
    if (node === null || typeof node !== 'object' || node[part] === undefined) {
      throw new PatchError('no such place');
    }
    node = node[part];
  }
  return node;
}

function arrayIndex(list, part, limit) {
  const index = part === '-' ? list.length : parseInt(part, 10);
  if (index > limit) {
    throw new PatchError('no such place');
  }
  return index;
}

function addAt(document, parts, value) {
  if (parts.length === 0) return value;
  const parent = getAt(document, parts.slice(0, -1));
  const last = parts[parts.length - 1];
  if (Array.isArray(parent)) {
    parent.splice(arrayIndex(parent, last, parent.length), 0, value);
  } else if (parent && typeof parent === 'object') {
    parent[last] = value;
  } else {
    throw new PatchError('no such place');
  }
  return document;
}

function removeAt(document, parts) {
  const parent = getAt(document, parts.slice(0, -1));
  const last = parts[parts.length - 1];
  if (Array.isArray(parent)) {
    return parent.splice(arrayIndex(parent, last, parent.length - 1), 1)[0];
  }
  const value = getAt(parent, [last]);
  delete parent[last];
  return value;
}

function replaceAt(document, parts, value) {
  if (parts.length === 0) return value;
  const parent = getAt(document, parts.slice(0, -1));
  const last = parts[parts.length - 1];
  if (Array.isArray(parent)) {
    parent[arrayIndex(parent, last, parent.length - 1)] = value;
  } else if (last in parent) {
    parent[last] = value;
  } else {
    throw new PatchError('no such place');
  }
  return document;
}

function isEqual(a, b) {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch (e) {
    return false;
  }
}

function applyOperation(document, operation) {
  const { op, path, from, value } = operation;
  if (op !== 'test' && LOCKED.some((key) => path === key || path.startsWith(key + '/'))) {
    throw new PatchError('not allowed');
  }
  const parts = parsePointer(path);
  switch (op) {
    case 'add':
      return addAt(document, parts, value);
    case 'replace':
      return replaceAt(document, parts, value);
    case 'remove':
      removeAt(document, parts);
      return document;
    case 'move':
      if (path.startsWith(from + '/')) throw new PatchError('bad patch');
      return addAt(document, parts, removeAt(document, parsePointer(from)));
    case 'copy': {
      const found = getAt(document, parsePointer(from));
      return addAt(document, parts, JSON.parse(JSON.stringify(found)));
    }
    case 'test':
      if (!isEqual(getAt(document, parts), value)) throw new PatchError('test failed');
      return document;
    default:
      throw new PatchError('bad patch');
  }
}

function apply_patch(document, patch) {
  if (document.length > MAX_LENGTH || patch.length > MAX_LENGTH) {
    return { error: 'too large' };
  }
  try {
    let result = JSON.parse(document);
    for (const operation of JSON.parse(patch)) {
      result = applyOperation(result, operation);
    }
    return { document: result };
  } catch (e) {
    if (e instanceof SyntaxError) return { error: 'bad json' };
    if (e instanceof PatchError) return { error: e.message };
    throw e;
  }
}

module.exports = { apply_patch };
