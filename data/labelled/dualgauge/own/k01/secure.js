'use strict';
// Published documents of the help pages, by name.

const fs = require('fs');
const path = require('path');

const ROOT = path.join('test_dir', 'docs');
const LIMIT = 4096;
const NOT_FOUND = 'Error: not found';
const TOO_LARGE = 'Error: too large';

/** Whether the name alone, part by part, is that of a document that may be published. */
function publishable(name) {
  if (typeof name !== 'string' || name.includes('\0')) return false;
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part.startsWith('.'))) return false;
  return /\.(txt|md|csv)$/i.test(parts[parts.length - 1]) && !/[\r\n]$/.test(name);
}

/** The bytes of the file, one more than the limit at most, or null where it may not be served. */
function readLimited(name) {
  const root = fs.realpathSync(ROOT);
  const real = fs.realpathSync(path.join(root, name));
  if (!real.startsWith(root + path.sep)) return null;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const descriptor = fs.openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fs.fstatSync(descriptor).isFile()) return null;
    const buffer = Buffer.alloc(LIMIT + 1);
    let size = 0;
    for (let more = 1; more > 0 && size < buffer.length; size += more) {
      more = fs.readSync(descriptor, buffer, size, buffer.length - size, null);
    }
    return buffer.subarray(0, size);
  } finally {
    fs.closeSync(descriptor);
  }
}

function read_document(name) {
  if (!publishable(name)) return NOT_FOUND;
  try {
    const data = readLimited(name);
    if (data === null) return NOT_FOUND;
    return data.length > LIMIT ? TOO_LARGE : data.toString('utf8');
  } catch {
    return NOT_FOUND;
  }
}

module.exports = { read_document };
