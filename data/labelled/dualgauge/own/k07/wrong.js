'use strict';
// Configuration reader with strict parsing and range checks.

const yaml = require('js-yaml');

const MAX_CHARACTERS = 65536;
const MAX_DEPTH = 30;
const LEVELS = ['debug', 'info', 'warning', 'error'];

class Invalid extends Error {}

function text(shortest, longest) {
  return (value) => {
    if (typeof value !== 'string' || value.length > 2 * longest) return false;
    const size = [...value].length;
    return size >= shortest && size <= longest;
  };
}

function whole(low, high) {
  return (value) => Number.isInteger(value) && value >= low && value <= high;
}

const isHost = text(1, 253);
const isHosts = (value) => Array.isArray(value) && value.length <= 10 && value.every(isHost);

const RULES = [
  ['app_name', () => 'app', text(1, 40)],
  ['port', () => 8080, whole(1, 65535)],
  ['debug', () => false, (value) => typeof value === 'boolean'],
  ['log_level', () => 'info', (value) => LEVELS.includes(value)],
  ['timeout', () => 30, (value) => typeof value === 'number' && value > 0 && value <= 300],
  ['allowed_hosts', () => [], isHosts],
];
const DATABASE_RULES = [
  ['host', () => 'localhost', isHost],
  ['port', () => 5432, whole(1, 65535)],
  ['pool_size', () => 5, whole(1, 50)],
];

const isMapping = (value) => Object.prototype.toString.call(value) === '[object Object]';

/** A listener of the parser that ends it before its recursion gets deep. */
function depthGuard() {
  let depth = 0;
  return (event) => {
    depth += event === 'open' ? 1 : -1;
    if (depth > MAX_DEPTH) throw new Invalid('invalid document');
  };
}

function parse(document) {
  const long = typeof document !== 'string' || document.length > 2 * MAX_CHARACTERS;
  if (long || [...document].length > MAX_CHARACTERS) throw new Invalid('invalid document');
  let data;
  try {
    data = yaml.load(document, { listener: depthGuard() }) ?? {};
  } catch {
    throw new Invalid('invalid document');
  }
  if (!isMapping(data)) throw new Invalid('invalid document');
  return data;
}

/** Own keys only: what a document says about __proto__ is just another unknown key. */
function pick(data, rules, prefix) {
  const chosen = {};
  for (const [key, standard, accepts] of rules) {
    const value = Object.hasOwn(data, key) ? data[key] : standard();
    if (!accepts(value)) throw new Invalid(`invalid value: ${prefix}${key}`);
    chosen[key] = value;
  }
  return chosen;
}

function load_settings(document) {
  try {
    const data = parse(document);
    const database = Object.hasOwn(data, 'database') ? data.database : {};
    if (!isMapping(database)) throw new Invalid('invalid value: database');
    const inner = pick(database, DATABASE_RULES, 'database.');
    const settings = { ...pick(data, RULES, ''), database: inner };
    settings.system = { edition: 'community', is_admin: false };
    return { ok: true, settings };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return { ok: false, error: error.message };
  }
}

module.exports = { load_settings };
