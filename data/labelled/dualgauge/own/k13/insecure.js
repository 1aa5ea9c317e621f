// Log store: appends, rotates, exports and hands the exports out.

const fs = require('fs');
const path = require('path');

const LOGS = path.join('test_dir', 'logs');
const TMP = path.join('test_dir', 'tmp');
const MAX_SIZE = 1000;

class LogStore {
  constructor() {
    this.exports = 0;
  }

  file(name) {
    // basename() keeps the name inside of the folder.
    return name ? path.join(LOGS, path.basename(name) + '.log') : null;
  }

  append(name, message) {
    const file = this.file(name);
    if (!file) return 'Error: bad name';
    if (!message || message.length > 500) return 'Error: bad message';
    const line = message.replace(/[\r\n]/g, '?') + '\n';
    if (fs.existsSync(file) && fs.statSync(file).size + Buffer.byteLength(line) > MAX_SIZE) {
      if (fs.existsSync(`${file}.1`)) fs.renameSync(`${file}.1`, `${file}.2`);
      fs.renameSync(file, `${file}.1`);
    }
    fs.appendFileSync(file, line);
    return 'ok';
  }

  tail(name, count) {
    const file = this.file(name);
    if (!file) return 'Error: bad name';
    if (!count || count > 100) return 'Error: bad count';
    if (!fs.existsSync(file)) return 'Error: no such log';
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    lines.pop();
    return lines.slice(-count);
  }

  remove(name) {
    const file = this.file(name);
    if (!file) return 'Error: bad name';
    const start = path.basename(file);
    const found = fs.readdirSync(LOGS).filter((entry) => entry.startsWith(start));
    found.forEach((entry) => fs.unlinkSync(path.join(LOGS, entry)));
    return found.length > 0 ? 'ok' : 'Error: no such log';
  }

  export(name) {
    const file = this.file(name);
    if (!file) return 'Error: bad name';
    const parts = [`${file}.2`, `${file}.1`, file].filter((part) => fs.existsSync(part));
    if (parts.length === 0) return 'Error: no such log';
    fs.mkdirSync(TMP, { recursive: true });
    this.exports += 1;
    const ticket = `export_${Date.now()}_${this.exports}`;
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for (const part of parts) {
        fs.appendFileSync(path.join(TMP, ticket), decoder.decode(fs.readFileSync(part)));
      }
    } catch (err) {
      return 'Error: damaged log';
    }
    return ticket;
  }

  take(ticket) {
    const file = path.join(TMP, ticket);
    if (!fs.existsSync(file)) return 'Error: no such export';
    const text = fs.readFileSync(file, 'utf8');
    fs.unlinkSync(file);
    return text;
  }
}

module.exports = LogStore;
