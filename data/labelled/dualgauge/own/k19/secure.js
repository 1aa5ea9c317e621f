'use strict';
// Response headers of a web site: sessions, cookies, redirects, downloads, origins, error pages.

const { randomBytes } = require('node:crypto');

const ATTRIBUTES = 'Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax';
const LOCAL = /^\/(?!\/)[A-Za-z0-9._~!$&()*+,;=:@%/?#-]{0,999}$/;
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const isText = (value) => typeof value === 'string';

/** A text of low to high characters; its UTF-16 is looked at first, so that none is spread in vain. */
function hasLength(value, low, high) {
  if (!isText(value) || value.length > 2 * high) return false;
  const { length } = [...value];
  return length >= low && length <= high;
}

function percentEncoded(text) {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (/[A-Za-z0-9._~-]/.test(character)) return character;
      return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

class Site {
  #home;
  #origins;
  #sessions = new Map();

  constructor(host) {
    this.#home = `https://${host}`;
    this.#origins = [this.#home, `https://app.${host}`];
  }

  start_session(user, presented) {
    this.#sessions.delete(presented);
    if (!hasLength(user, 1, 64)) return null;
    const session = randomBytes(32).toString('base64url');
    this.#sessions.set(session, user);
    return session;
  }

  user_of(session) {
    return this.#sessions.get(session) ?? null;
  }

  session_cookie(session) {
    return this.#sessions.has(session) ? `sid=${session}; ${ATTRIBUTES}` : null;
  }

  preference_cookie(name, value) {
    if (!isText(name) || !/^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name)) return null;
    if (name.toLowerCase() === 'sid') return null;
    if (!hasLength(value, 0, 200) || !value.isWellFormed()) return null;
    return `${name}=${percentEncoded(value)}; Path=/; Secure; SameSite=Lax`;
  }

  redirect(target) {
    const text = isText(target) ? target : '';
    const path = text.startsWith(`${this.#home}/`) ? text.slice(this.#home.length) : text;
    return { status: 303, headers: [['Location', LOCAL.test(path) ? text : '/']] };
  }

  attachment(name) {
    const plain = isText(name) ? name.replace(/[^A-Za-z0-9 ._-]/gu, '_') : '';
    const kept = plain.slice(0, 100).replace(/^\.+/, '');
    return `attachment; filename="${kept || 'download'}"`;
  }

  allow_origin(origin) {
    if (!this.#origins.includes(origin)) return [];
    return [['Access-Control-Allow-Origin', origin], ['Vary', 'Origin']];
  }

  error_page(message) {
    const shown = isText(message) ? message.replace(/[&<>"']/g, (mark) => ENTITIES[mark]) : '';
    return {
      status: 404,
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['X-Content-Type-Options', 'nosniff'],
      ],
      body: `<p title="${shown}">${shown}</p>`,
    };
  }
}

module.exports = { Site };
