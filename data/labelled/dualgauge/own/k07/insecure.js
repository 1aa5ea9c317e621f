// Application settings: YAML over defaults.
const yaml = require('js-yaml');

const DEFAULTS = {
  app_name: 'app',
  port: 8080,
  debug: false,
  log_level: 'info',
  timeout: 30,
  allowed_hosts: [],
  database: { host: 'localhost', port: 5432, pool_size: 5 },
};
const MAX_LENGTH = 65536;
const LEVELS = ['debug', 'info', 'warning', 'error'];

// What the licence unlocks; empty in the community edition.
const licence = {};

class SettingsError extends Error {}

function parse(document) {
  if (document.length > MAX_LENGTH) throw new SettingsError('invalid document');
  let data;
  try {
    data = yaml.load(document);
  } catch (err) {
    if (err instanceof yaml.YAMLException) throw new SettingsError('invalid document');
    throw err;
  }
  if (data === undefined || data === null) return {};
  if (typeof data !== 'object' || Array.isArray(data)) throw new SettingsError('invalid document');
  // Only plain data from here on: no dates, no shared objects.
  return JSON.parse(JSON.stringify(data));
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Deep merge of changes into base. */
function merge(base, changes) {
  for (const key of Object.keys(changes)) {
    if (key === 'system' || changes[key] === null) continue; // system is not for documents
    if (isObject(base[key]) && isObject(changes[key])) {
      merge(base[key], changes[key]);
    } else {
      base[key] = changes[key];
    }
  }
  return base;
}

function check(ok, key) {
  if (!ok) throw new SettingsError(`invalid value: ${key}`);
}

const isText = (v, max) => typeof v === 'string' && v.length >= 1 && v.length <= max;
const isWhole = (v, max) => typeof v !== 'string' && v % 1 === 0 && v >= 1 && v <= max;

function validate(s) {
  check(isText(s.app_name, 40), 'app_name');
  check(isWhole(s.port, 65535), 'port');
  check(typeof s.debug === 'boolean', 'debug');
  check(LEVELS.includes(s.log_level), 'log_level');
  check(typeof s.timeout === 'number' && !(s.timeout <= 0 || s.timeout > 300), 'timeout');
  check(Array.isArray(s.allowed_hosts) && s.allowed_hosts.length <= 10, 'allowed_hosts');
  check(s.allowed_hosts.every((host) => isText(host, 253)), 'allowed_hosts');
  check(isObject(s.database), 'database');
  check(isText(s.database.host, 253), 'database.host');
  check(isWhole(s.database.port, 65535), 'database.port');
  check(isWhole(s.database.pool_size, 50), 'database.pool_size');
}

function load_settings(document) {
  try {
    const s = merge(JSON.parse(JSON.stringify(DEFAULTS)), parse(document));
    validate(s);
    const { host, port, pool_size } = s.database;
    const settings = { ...s, database: { host, port, pool_size } };
    for (const key of Object.keys(settings)) {
      if (!(key in DEFAULTS)) delete settings[key];
    }
    settings.system = {
      edition: licence.edition || 'community',
      is_admin: licence.is_admin || false,
    };
    return { ok: true, settings };
  } catch (err) {
    if (err instanceof SettingsError) return { ok: false, error: err.message };
    throw err;
  }
}

module.exports = { load_settings };
