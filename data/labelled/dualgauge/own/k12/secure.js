'use strict';
// Accounts, roles and sessions; accounts live in one file that only its owner can read.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const STATE = 'test_dir/state/users.json';
const SESSION_SECONDS = 900;
const LOCK_SECONDS = 600;
const MOST_FAILURES = 5;
const ROLES = new Set(['admin', 'manager', 'user']);
const NAME = /^[a-z0-9]{3,20}$/;
const SCRYPT = { N: 8192, r: 8, p: 1 };

const isPassword = (text) => typeof text === 'string' && text.length >= 10 && text.length <= 200;

function derived(password, salt) {
  return crypto.scryptSync(Buffer.from(password, 'utf16le'), Buffer.from(salt, 'hex'), 32, SCRYPT);
}

class AccountService {
  #users = new Map(); // name -> { salt, hash, role }
  #sessions = new Map(); // id -> { name, since }
  #failures = new Map(); // name -> { count, until }

  constructor(admin_password) {
    if (fs.existsSync(STATE)) {
      this.#users = new Map(Object.entries(JSON.parse(fs.readFileSync(STATE, 'utf8'))));
    } else {
      this.#put('root', String(admin_password), 'admin');
    }
  }

  /** A new file, private from its first moment, takes the place of the old one. */
  #save() {
    fs.mkdirSync(path.dirname(STATE), { recursive: true, mode: 0o700 });
    const fresh = `${STATE}.${crypto.randomUUID()}`;
    const text = JSON.stringify(Object.fromEntries(this.#users));
    fs.writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    fs.renameSync(fresh, STATE);
  }

  #put(name, password, role) {
    const salt = crypto.randomBytes(16).toString('hex');
    this.#users.set(name, { salt, hash: derived(password, salt).toString('hex'), role });
    this.#save();
  }

  #matches(name, password) {
    if (typeof password !== 'string' || password.length > 200) return false;
    const user = this.#users.get(name);
    const found = derived(password, user?.salt ?? '00');
    return user !== undefined && crypto.timingSafeEqual(found, Buffer.from(user.hash, 'hex'));
  }

  /** The name and the present role of the session's account, or nothing of both. */
  #caller(session_id, now) {
    const session = this.#sessions.get(session_id);
    const valid = session && now - session.since >= 0 && now - session.since < SESSION_SECONDS;
    return valid ? { name: session.name, role: this.#users.get(session.name).role } : {};
  }

  login(username, password, session_id, now) {
    this.#sessions.delete(session_id);
    if (typeof username !== 'string') return null;
    let { count, until } = this.#failures.get(username) ?? { count: 0, until: null };
    if (until !== null && now < until) return null;
    if (until !== null) count = 0;
    if (!this.#matches(username, password)) {
      count += 1;
      until = count >= MOST_FAILURES ? now + LOCK_SECONDS : null;
      this.#failures.set(username, { count, until });
      return null;
    }
    this.#failures.delete(username);
    const id = crypto.randomBytes(32).toString('base64url');
    this.#sessions.set(id, { name: username, since: now });
    return id;
  }

  logout(session_id, now) {
    const { name } = this.#caller(session_id, now);
    this.#sessions.delete(session_id);
    return name !== undefined;
  }

  whoami(session_id, now) {
    const { name, role } = this.#caller(session_id, now);
    return name === undefined ? null : { username: name, role };
  }

  list_users(session_id, now) {
    const { role } = this.#caller(session_id, now);
    if (role !== 'admin' && role !== 'manager') return null;
    const names = [...this.#users.keys()].sort();
    return names.map((name) => ({ username: name, role: this.#users.get(name).role }));
  }

  create_user(session_id, username, password, role, now) {
    const caller = this.#caller(session_id, now);
    const allowed = caller.role === 'admin' || (caller.role === 'manager' && role === 'user');
    if (!allowed) return 'denied';
    const named = typeof username === 'string' && NAME.test(username);
    if (!named || !isPassword(password) || !ROLES.has(role)) return 'invalid';
    if (this.#users.has(username)) return 'exists';
    this.#put(username, password, role);
    return 'created';
  }

  set_role(session_id, username, role, now) {
    if (this.#caller(session_id, now).role !== 'admin') return 'denied';
    if (!ROLES.has(role)) return 'invalid';
    const user = this.#users.get(username);
    if (user === undefined) return 'unknown';
    const admins = [...this.#users.values()].filter((other) => other.role === 'admin');
    if (user.role === 'admin' && role !== 'admin' && admins.length === 1) return 'denied';
    user.role = role;
    this.#save();
    return 'changed';
  }

  change_password(session_id, old_password, new_password, now) {
    const { name, role } = this.#caller(session_id, now);
    if (name === undefined || !this.#matches(name, old_password)) return 'denied';
    if (!isPassword(new_password)) return 'invalid';
    this.#put(name, new_password, role);
    for (const [id, session] of this.#sessions) {
      if (session.name === name) this.#sessions.delete(id);
    }
    return 'changed';
  }
}

module.exports = { AccountService };
