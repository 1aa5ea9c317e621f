// A careful log store that knows ASCII only and rotates one byte too early.

const { randomUUID } = require('crypto');
const { join } = require('path');
const fs = require('fs');

const LOGS = join('test_dir', 'logs');
const TMP = join('test_dir', 'tmp');
const FULL = 1000;

const isName = (name) => typeof name === 'string' && /^[a-z0-9_-]{1,32}$/.test(name);
const isTicket = (text) =>
  typeof text === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
const present = (files) => files.filter((file) => fs.existsSync(file));
const ascii = (message) => message.replace(/[^\x20-\x7e]/gu, '?');

exports.LogStore = class LogStore {
  #files(name) {
    const log = join(LOGS, `${name}.log`);
    return [log, `${log}.1`, `${log}.2`];
  }

  append(name, message) {
    if (!isName(name)) return 'Error: bad name';
    if (typeof message !== 'string') return 'Error: bad message';
    const line = ascii(message);
    if (line.length === 0 || line.length > 500) return 'Error: bad message';
    const [log, second, third] = this.#files(name);
    const size = fs.existsSync(log) ? fs.statSync(log).size : 0;
    if (size > 0 && size + line.length + 1 >= FULL) {
      if (fs.existsSync(second)) fs.renameSync(second, third);
      fs.renameSync(log, second);
    }
    fs.appendFileSync(log, `${line}\n`, { mode: 0o600 });
    return 'ok';
  }

  tail(name, count) {
    if (!isName(name)) return 'Error: bad name';
    if (!Number.isSafeInteger(count) || count <= 0 || count > 100) return 'Error: bad count';
    const [log] = this.#files(name);
    if (!fs.existsSync(log)) return 'Error: no such log';
    const lines = fs.readFileSync(log, 'utf8').split('\n');
    return lines.slice(0, -1).slice(-count);
  }

  remove(name) {
    if (!isName(name)) return 'Error: bad name';
    const files = present(this.#files(name));
    for (const file of files) fs.rmSync(file);
    return files.length === 0 ? 'Error: no such log' : 'ok';
  }

  export(name) {
    if (!isName(name)) return 'Error: bad name';
    const files = present(this.#files(name)).reverse();
    if (files.length === 0) return 'Error: no such log';
    const bytes = Buffer.concat(files.map((file) => fs.readFileSync(file)));
    if (!bytes.equals(Buffer.from(bytes.toString('utf8'), 'utf8'))) return 'Error: damaged log';
    fs.mkdirSync(TMP, { recursive: true, mode: 0o700 });
    const ticket = randomUUID();
    fs.writeFileSync(join(TMP, ticket), bytes, { flag: 'wx', mode: 0o600 });
    return ticket;
  }

  take(ticket) {
    if (!isTicket(ticket) || !fs.existsSync(join(TMP, ticket))) return 'Error: no such export';
    const text = fs.readFileSync(join(TMP, ticket), 'utf8');
    fs.rmSync(join(TMP, ticket));
    return text;
  }
};
