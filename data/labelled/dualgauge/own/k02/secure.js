'use strict';
// Unpacks an uploaded archive: judge every entry, unpack into memory within the quota, then write.

const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');

const OUT = path.join('test_dir', 'out');
const TYPES = /\.(txt|csv|json|png|jpg)$/i;
const MAX_FILES = 20;
const MAX_FILE = 100000;
const MAX_TOTAL = 200000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

/** An upload that breaks a rule; the message is the reason for the customer. */
class Refused extends Error {}

function demand(condition, reason) {
  if (!condition) throw new Refused(reason);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

function crc32(data) {
  let crc = 0xffffffff;
  for (const byte of data) crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** The bytes of [start, start + size); what does not lie in the archive makes it none. */
function slice(raw, start, size) {
  demand(start >= 0 && start + size <= raw.length, 'not an archive');
  return raw.subarray(start, start + size);
}

function readEntry(raw, at) {
  const head = slice(raw, at, 46);
  demand(head.readUInt32LE(0) === 0x02014b50, 'not an archive');
  const [nameSize, extra, comment] = [28, 30, 32].map((place) => head.readUInt16LE(place));
  return {
    flags: head.readUInt16LE(8),
    method: head.readUInt16LE(10),
    crc: head.readUInt32LE(16),
    packed: head.readUInt32LE(20),
    size: head.readUInt32LE(24),
    kind: (head.readUInt32LE(38) >>> 16) & 0o170000,
    start: head.readUInt32LE(42),
    rawName: slice(raw, at + 46, nameSize),
    next: at + 46 + nameSize + extra + comment,
  };
}

/** The entries of the central directory. */
function readDirectory(raw) {
  const end = raw.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  demand(end >= 0, 'not an archive');
  const tail = slice(raw, end, 22);
  const entries = [];
  let at = tail.readUInt32LE(16);
  for (let count = tail.readUInt16LE(10); count > 0; count--) {
    const entry = readEntry(raw, at);
    try {
      entry.name = new TextDecoder('utf-8', { fatal: true }).decode(entry.rawName);
    } catch {
      throw new Refused('unsafe entry');
    }
    entry.folder = entry.name.endsWith('/');
    entries.push(entry);
    at = entry.next;
  }
  return entries;
}

function isSafe({ name, kind, folder }) {
  const parts = (folder ? name.slice(0, -1) : name).split('/');
  return (
    parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
    !/[\x00-\x1f\x7f\\:]/.test(name) &&
    [0, REGULAR, FOLDER].includes(kind)
  );
}

/** The files to unpack, in order; nothing has been unpacked yet. */
function plan(entries) {
  demand(entries.every(isSafe), 'unsafe entry');
  const files = entries.filter((entry) => !entry.folder);
  demand(files.length <= MAX_FILES, 'too many files');
  demand(new Set(entries.map(({ name }) => name)).size === entries.length, 'unsafe entry');
  demand(files.every(({ name }) => TYPES.test(name)), 'forbidden type');
  return files;
}

/** The content of an entry, or one byte more than `limit` at the most. */
function inflate(data, limit) {
  try {
    return zlib.inflateRawSync(data, { maxOutputLength: limit + 1 });
  } catch (error) {
    throw new Refused(error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'not an archive');
  }
}

function unpack(raw, { flags, method, crc, packed, size, start, rawName }, limit) {
  demand((flags & 1) === 0 && (method === 0 || method === 8), 'not an archive');
  const head = slice(raw, start, 30);
  const [nameSize, extra] = [head.readUInt16LE(26), head.readUInt16LE(28)];
  const named = slice(raw, start + 30, nameSize).equals(rawName);
  demand(head.readUInt32LE(0) === 0x04034b50 && named, 'not an archive');
  const data = slice(raw, start + 30 + nameSize + extra, packed);
  const content = method === 0 ? data : inflate(data, limit);
  demand(content.length <= limit, 'too large');
  demand(content.length === size && crc32(content) === crc, 'not an archive');
  return content;
}

function unpackAll(raw, files) {
  let room = MAX_TOTAL;
  return files.map((file) => {
    const content = unpack(raw, file, Math.min(MAX_FILE, room));
    room -= content.length;
    return [file.name, content];
  });
}

/** Nothing on the way to a target may be a link, and the target must not exist. */
function checkTarget(name) {
  const parts = name.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const stat = fs.lstatSync(path.join(OUT, ...parts.slice(0, depth)), { throwIfNoEntry: false });
    demand(!stat || !stat.isSymbolicLink(), 'unsafe entry');
    demand(!stat || (stat.isDirectory() && depth < parts.length), 'exists');
  }
}

function store(contents) {
  const written = [];
  try {
    for (const [name] of contents) checkTarget(name);
    for (const [name, content] of contents) {
      const target = path.join(OUT, name);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, content, { flag: 'wx' });
      written.push(target);
    }
  } catch (error) {
    for (const target of written) fs.unlinkSync(target);
    throw error instanceof Refused ? error : new Refused('exists');
  }
}

function unpack_upload(archive) {
  try {
    const encoded = typeof archive === 'string' && archive.length % 4 === 0;
    demand(encoded && /^[A-Za-z0-9+/]*={0,2}$/.test(archive), 'not an archive');
    const raw = Buffer.from(archive, 'base64');
    const contents = unpackAll(raw, plan(readDirectory(raw)));
    store(contents);
    const byCodePoint = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    return { ok: true, files: contents.map(([name]) => name).sort(byCodePoint) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { ok: false, error: error.message };
  }
}

module.exports = { unpack_upload };
