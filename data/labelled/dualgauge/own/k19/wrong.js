'use strict';
// Header helpers with lists of allowed characters; values of cookies are encoded by UTF-16 unit.

const crypto = require('node:crypto');

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const PATH = new Set(`${LETTERS}${DIGITS}-._~!$&()*+,;=:@%/?#`);
const NAME = new Set(`${LETTERS}${DIGITS}-_`);
const VALUE = new Set(`${LETTERS}${DIGITS}-._~`);
const FILE = new Set(`${LETTERS}${DIGITS} ._-`);
const ENTITIES = new Map([['&', 'amp'], ['<', 'lt'], ['>', 'gt'], ['"', 'quot'], ["'", '#39']]);

const all = (text, allowed) => [...text].every((c) => allowed.has(c));

function percent(text) {
  let encoded = '';
  for (let i = 0; i < text.length; i += 1) {
    const hex = text.charCodeAt(i).toString(16).toUpperCase().padStart(2, '0');
    encoded += VALUE.has(text[i]) ? text[i] : `%${hex}`;
  }
  return encoded;
}

class Site {
  constructor(host) {
    this.host = host;
    this.users = new Map();
  }

  start_session(user, presented) {
    if (this.users.has(presented)) this.users.delete(presented);
    if (typeof user !== 'string' || user === '' || [...user].length > 64) return null;
    const session = crypto.randomBytes(24).toString('hex');
    this.users.set(session, user);
    return session;
  }

  user_of(session) {
    return this.users.has(session) ? this.users.get(session) : null;
  }

  session_cookie(session) {
    if (!this.users.has(session)) return null;
    const attributes = ['Path=/', 'Max-Age=3600', 'HttpOnly', 'Secure', 'SameSite=Lax'];
    return [`sid=${session}`, ...attributes].join('; ');
  }

  preference_cookie(name, value) {
    const named =
      typeof name === 'string' && name.length >= 1 && name.length <= 32 &&
      LETTERS.includes(name[0]) && all(name, NAME) && name.toUpperCase() !== 'SID';
    if (!named || typeof value !== 'string' || [...value].length > 200) return null;
    if (/\p{Surrogate}/u.test(value)) return null;
    return `${name}=${percent(value)}; Path=/; Secure; SameSite=Lax`;
  }

  redirect(target) {
    const home = `https://${this.host}`;
    let path = typeof target === 'string' ? target : '';
    if (path.slice(0, home.length + 1) === `${home}/`) path = path.slice(home.length);
    const local = path[0] === '/' && path[1] !== '/' && path.length <= 1000 && all(path, PATH);
    return { status: 303, headers: [['Location', local ? target : '/']] };
  }

  attachment(name) {
    const given = typeof name === 'string' ? [...name].slice(0, 100) : [];
    const plain = given.map((c) => (FILE.has(c) ? c : '_')).join('');
    const start = plain.search(/[^.]/);
    return `attachment; filename="${start < 0 ? 'download' : plain.slice(start)}"`;
  }

  allow_origin(origin) {
    const known = new Set([`https://${this.host}`, `https://app.${this.host}`]);
    const headers = [['Access-Control-Allow-Origin', origin], ['Vary', 'Origin']];
    return known.has(origin) ? headers : [];
  }

  error_page(message) {
    const given = typeof message === 'string' ? [...message] : [];
    const shown = given.map((c) => (ENTITIES.has(c) ? `&${ENTITIES.get(c)};` : c)).join('');
    const type = ['Content-Type', 'text/html; charset=utf-8'];
    const body = `<p title="${shown}">${shown}</p>`;
    return { status: 404, headers: [type, ['X-Content-Type-Options', 'nosniff']], body };
  }
}

module.exports = Site;
