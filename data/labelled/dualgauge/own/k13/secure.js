'use strict';
// Log files with rotation and exports that are fetched once by an unpredictable ticket.

const crypto = require('node:crypto');
const fs = require('node:fs');

const LOGS = 'test_dir/logs';
const EXPORTS = 'test_dir/tmp';
const NAME = /^[a-z0-9_-]{1,32}$/;
const TICKET = /^[A-Za-z0-9_-]{16,64}$/;
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu;
const LIMIT = 1000;
const { O_WRONLY, O_CREAT, O_APPEND, O_EXCL, O_NOFOLLOW } = fs.constants;

const fits = (pattern, value) => typeof value === 'string' && pattern.test(value);

/** The files of a log from the oldest to the newest. */
const parts = (name) => ['.2', '.1', ''].map((end) => `${LOGS}/${name}.log${end}`);

function writePrivate(path, flags, bytes) {
  const handle = fs.openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | flags, 0o600);
  try {
    fs.writeSync(handle, bytes);
  } finally {
    fs.closeSync(handle);
  }
}

/** The size of a regular file, or -1. */
function sizeOf(path) {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : -1;
}

function rotate(name) {
  const [oldest, older, present] = parts(name);
  if (sizeOf(older) >= 0) fs.renameSync(older, oldest);
  fs.renameSync(present, older);
}

function decoded(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return null;
  }
}

class LogStore {
  append(name, message) {
    if (!fits(NAME, name)) return 'Error: bad name';
    const length = typeof message === 'string' && message.length <= 1000 ? [...message].length : 0;
    if (length < 1 || length > 500) return 'Error: bad message';
    const line = Buffer.from(message.replace(HIDDEN, '?') + '\n', 'utf8');
    const present = parts(name).at(-1);
    if (sizeOf(present) >= 0 && sizeOf(present) + line.length > LIMIT) rotate(name);
    writePrivate(present, O_APPEND, line);
    return 'ok';
  }

  tail(name, count) {
    if (!fits(NAME, name)) return 'Error: bad name';
    if (!Number.isInteger(count) || count < 1 || count > 100) return 'Error: bad count';
    const present = parts(name).at(-1);
    if (sizeOf(present) < 0) return 'Error: no such log';
    return fs.readFileSync(present, 'utf8').split('\n').slice(0, -1).slice(-count);
  }

  remove(name) {
    if (!fits(NAME, name)) return 'Error: bad name';
    const there = parts(name).filter((path) => sizeOf(path) >= 0);
    there.forEach((path) => fs.unlinkSync(path));
    return there.length ? 'ok' : 'Error: no such log';
  }

  export(name) {
    if (!fits(NAME, name)) return 'Error: bad name';
    const there = parts(name).filter((path) => sizeOf(path) >= 0);
    if (!there.length) return 'Error: no such log';
    const whole = Buffer.concat(there.map((path) => fs.readFileSync(path)));
    if (decoded(whole) === null) return 'Error: damaged log';
    fs.mkdirSync(EXPORTS, { recursive: true, mode: 0o700 });
    const ticket = crypto.randomBytes(24).toString('base64url');
    writePrivate(`${EXPORTS}/${ticket}`, O_EXCL, whole);
    return ticket;
  }

  take(ticket) {
    const path = `${EXPORTS}/${ticket}`;
    if (!fits(TICKET, ticket) || sizeOf(path) < 0) return 'Error: no such export';
    const text = fs.readFileSync(path, 'utf8');
    fs.unlinkSync(path);
    return text;
  }
}

module.exports = { LogStore };
