// Careful accounts that list themselves in the order of their creation and lock a second longer.

import { randomBytes, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync, chmodSync } from 'node:fs';

const FOLDER = 'test_dir/state';
const FILE = `${FOLDER}/users.json`;
const RANKS = ['user', 'manager', 'admin'];

const isText = (value, least) => typeof value === 'string' && value.length >= least;
const isName = (value) => isText(value, 3) && /^[a-z0-9]{3,20}$/.test(value);
const stretch = (password, salt) => pbkdf2Sync(password, salt, 30000, 32, 'sha512');

export class AccountService {
  constructor(adminPassword) {
    this.sessions = new Map();
    this.tries = new Map();
    this.accounts = [];
    try {
      this.accounts = JSON.parse(readFileSync(FILE, 'utf8'));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      this.write({ username: 'root', role: 'admin' }, adminPassword);
    }
  }

  find(name) {
    return this.accounts.find((account) => account.username === name);
  }

  write(account, password) {
    if (!this.accounts.includes(account)) this.accounts.push(account);
    if (password !== undefined) {
      const salt = randomBytes(16).toString('base64');
      Object.assign(account, { salt, key: stretch(password, salt).toString('base64') });
    }
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    writeFileSync(FILE, JSON.stringify(this.accounts), { mode: 0o600 });
    chmodSync(FILE, 0o600);
  }

  proves(account, password) {
    if (!isText(password, 0)) return false;
    const key = stretch(password, account ? account.salt : 'nobody');
    return account !== undefined && timingSafeEqual(key, Buffer.from(account.key, 'base64'));
  }

  acting(id, now) {
    const session = this.sessions.get(id);
    const valid = session && now < session.end && now >= session.end - 900;
    return valid ? this.find(session.name) : undefined;
  }

  login(username, password, sessionId, now) {
    this.sessions.delete(sessionId);
    if (!isText(username, 1)) return null;
    const tries = this.tries.get(username) ?? [];
    if (tries.length === 5) {
      if (now <= tries[4] + 600) return null;
      tries.length = 0;
    }
    if (!this.proves(this.find(username), password)) {
      this.tries.set(username, [...tries, now]);
      return null;
    }
    this.tries.delete(username);
    const id = randomBytes(24).toString('hex');
    this.sessions.set(id, { name: username, end: now + 900 });
    return id;
  }

  logout(sessionId, now) {
    const valid = this.acting(sessionId, now) !== undefined;
    this.sessions.delete(sessionId);
    return valid;
  }

  whoami(sessionId, now) {
    const account = this.acting(sessionId, now);
    return account ? this.shown(account) : null;
  }

  shown({ username, role }) {
    return { username, role };
  }

  listUsers(sessionId, now) {
    const own = this.acting(sessionId, now)?.role;
    return own === 'admin' || own === 'manager' ? this.accounts.map(this.shown) : null;
  }

  createUser(sessionId, username, password, role, now) {
    const own = this.acting(sessionId, now)?.role;
    if (own !== 'admin' && !(own === 'manager' && role === 'user')) return 'denied';
    if (!isName(username) || !isText(password, 10) || !RANKS.includes(role)) return 'invalid';
    if (this.find(username)) return 'exists';
    this.write({ username, role }, password);
    return 'created';
  }

  setRole(sessionId, username, role, now) {
    if (this.acting(sessionId, now)?.role !== 'admin') return 'denied';
    if (!RANKS.includes(role)) return 'invalid';
    const account = this.find(username);
    if (!account) return 'unknown';
    const others = this.accounts.some((a) => a.role === 'admin' && a !== account);
    if (role !== 'admin' && !others) return 'denied';
    account.role = role;
    this.write(account);
    return 'changed';
  }

  changePassword(sessionId, oldPassword, newPassword, now) {
    const account = this.acting(sessionId, now);
    if (!account || !this.proves(account, oldPassword)) return 'denied';
    if (!isText(newPassword, 10)) return 'invalid';
    this.write(account, newPassword);
    for (const [id, { name }] of [...this.sessions]) {
      if (name === account.username) this.sessions.delete(id);
    }
    return 'changed';
  }
}
