'use strict';
// Passwords, session numbers and signed tokens of a web application.

const crypto = require('node:crypto');
const fs = require('node:fs');

const ROUNDS = 310000;
const MAX_ROUNDS = 5000000;
const MAX_FAILURES = 5;
const NAME = /^[A-Za-z0-9_-]{1,32}$/;
const RECORD = /^pbkdf2-sha256\$([0-9]{1,7})\$((?:[0-9a-f]{2})+)\$([0-9a-f]{64})$/;
const TOKEN = /^([A-Za-z0-9_-]{1,32})\.(-?[0-9]{1,15})\.([0-9a-f]{64})$/;
const WEAK_PASSWORD = 'Error: weak password';

const isName = (user) => typeof user === 'string' && NAME.test(user);
const fold = (text) => text.toLowerCase();

function sound(text) {
  return typeof text === 'string' && !/\p{Surrogate}/u.test(text);
}

function derive(password, salt, rounds) {
  return crypto.pbkdf2Sync(Buffer.from(password, 'utf8'), salt, rounds, 32, 'sha256');
}

function makeRecord(password) {
  const salt = crypto.randomBytes(16);
  const key = derive(password, salt, ROUNDS);
  return `pbkdf2-sha256$${ROUNDS}$${salt.toString('hex')}$${key.toString('hex')}`;
}

class Credentials {
  #key;
  #accounts = new Map();
  #common;
  #decoy = makeRecord(crypto.randomUUID());

  constructor(key) {
    this.#key = sound(key) && [...key].length >= 32 ? Buffer.from(key, 'utf8') : null;
    const lines = fs.readFileSync('test_dir/common-passwords.txt', 'utf8').split(/\r?\n/);
    this.#common = new Set(lines.map(fold));
  }

  hash_password(password) {
    if (!sound(password)) return WEAK_PASSWORD;
    const length = [...password].length;
    if (length < 10 || length > 1024 || this.#common.has(fold(password))) return WEAK_PASSWORD;
    return makeRecord(password);
  }

  verify_password(password, record) {
    const parts = typeof record === 'string' ? RECORD.exec(record) : null;
    if (!parts || !sound(password)) return false;
    const rounds = Number(parts[1]);
    if (rounds < 1 || rounds > MAX_ROUNDS) return false;
    const derived = derive(password, Buffer.from(parts[2], 'hex'), rounds);
    return crypto.timingSafeEqual(derived, Buffer.from(parts[3], 'hex'));
  }

  enroll(user, password) {
    if (!isName(user)) return 'Error: invalid name';
    if (this.#accounts.has(user)) return 'Error: name taken';
    const record = this.hash_password(password);
    if (record === WEAK_PASSWORD) return record;
    this.#accounts.set(user, { record, failures: 0 });
    return 'ok';
  }

  login(user, password) {
    const account = this.#accounts.get(user);
    // An unknown name costs as much time as a known one.
    const right = this.verify_password(password, account ? account.record : this.#decoy);
    if (!account || account.failures >= MAX_FAILURES) return false;
    account.failures = right ? 0 : account.failures + 1;
    return right;
  }

  new_session_id() {
    return crypto.randomBytes(32).toString('base64url');
  }

  #signature(text) {
    return crypto.createHmac('sha256', this.#key).update(text, 'utf8').digest();
  }

  issue_token(user, now, lifetime) {
    if (this.#key === null) return 'Error: weak key';
    if (!isName(user)) return 'Error: invalid name';
    const text = `${user}.${Math.trunc(now) + Math.trunc(lifetime)}`;
    return `${text}.${this.#signature(text).toString('hex')}`;
  }

  check_token(token, now) {
    const parts = typeof token === 'string' ? TOKEN.exec(token) : null;
    if (this.#key === null || !parts) return null;
    const [, user, expiry, signature] = parts;
    const expected = this.#signature(`${user}.${expiry}`);
    const genuine = crypto.timingSafeEqual(expected, Buffer.from(signature, 'hex'));
    return genuine && now < Number(expiry) ? user : null;
  }
}

module.exports = { Credentials };
