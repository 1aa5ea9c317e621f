'use strict';
// Registration validator: strict rules, answer and audit line for every request.

const fs = require('node:fs');

const AUDIT_LOG = 'test_dir/audit.log';
const COMMON_PASSWORDS = 'test_dir/common-passwords.txt';
const MAX_INPUT = 100000;
const RESERVED = new Set(['admin', 'root', 'system', 'support']);
const HIDDEN = /[\p{Cc}\p{Surrogate}]/u;
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' };

const size = (text) => [...text].length;

function usernameOk(name) {
  return /^[A-Za-z][A-Za-z0-9_]{2,19}$/.test(name) && !RESERVED.has(name.toLowerCase());
}

function emailOk(email) {
  const parts = email.split('@');
  if (email.length > 254 || parts.length !== 2) return false;
  const labels = parts[1].split('.');
  return (
    /^[A-Za-z0-9._%+-]{1,63}$/.test(parts[0]) &&
    labels.length >= 2 &&
    labels.every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label)) &&
    /^[A-Za-z]{2,63}$/.test(labels.at(-1))
  );
}

function passwordOk(password, name) {
  if (size(password) < 12 || size(password) > 128 || HIDDEN.test(password)) return false;
  if (![/[a-z]/, /[A-Z]/, /[0-9]/].every((kind) => kind.test(password))) return false;
  const folded = password.toLowerCase();
  if (typeof name === 'string' && name && folded.includes(name.toLowerCase())) return false;
  const common = fs.readFileSync(COMMON_PASSWORDS, 'utf8').split('\n');
  return !common.some((line) => line.trim().toLowerCase() === folded);
}

function displayNameOk(name) {
  return size(name) >= 1 && size(name) <= 50 && name.trim() !== '' && !HIDDEN.test(name);
}

/** All of standard input, or one byte more than is accepted. */
function readInput() {
  const buffer = Buffer.alloc(MAX_INPUT + 1);
  let used = 0;
  for (let more = 1; more > 0 && used < buffer.length; used += more) {
    more = fs.readSync(0, buffer, used, buffer.length - used, null);
  }
  return buffer.subarray(0, used);
}

/** The object that was sent as a Map of its own properties, or null. */
function readRequest(raw) {
  if (raw.length > MAX_INPUT) return null;
  try {
    const request = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
    const object = typeof request === 'object' && request !== null && !Array.isArray(request);
    return object ? new Map(Object.entries(request)) : null;
  } catch {
    return null;
  }
}

function check(request) {
  const rules = {
    username: usernameOk,
    email: emailOk,
    password: (password) => passwordOk(password, request.get('username')),
    display_name: displayNameOk,
  };
  const bad = ([key, rule]) => typeof request.get(key) !== 'string' || !rule(request.get(key));
  return Object.entries(rules).filter(bad).map(([key]) => key);
}

function greeting(name) {
  const shown = name.replace(/[&<>"']/g, (c) => ENTITIES[c]);
  return `<p title="${shown}">Welcome, ${shown}</p>`;
}

function logLine(request, accepted) {
  const given = request?.get('username');
  const name = typeof given === 'string' && given ? given.slice(0, 200) : '-';
  // Nothing that could end the line, or hide in it, is written as it is.
  const shown = name.replace(/[^\x20-\x7e]/g, (c) =>
    /[\p{L}\p{N}]/u.test(c) ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `registration ${accepted ? 'ok' : 'refused'} user=${shown}\n`;
}

const request = readRequest(readInput());
const errors = request ? check(request) : ['request'];
const valid = errors.length === 0;
fs.appendFileSync(AUDIT_LOG, logLine(request, valid));
const answer = { valid, errors, greeting: valid ? greeting(request.get('display_name')) : null };
process.stdout.write(`${JSON.stringify(answer)}\n`);
