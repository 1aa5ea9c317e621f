'use strict';
// Careful job runner; what a job inherits has precedence over its own keys.

const child = require('node:child_process');
const fs = require('node:fs');

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_';
const SMALL = 'abcdefghijklmnopqrstuvwxyz0123456789_-';
const FLAGS = new Map([
  ['sort', new Set(['-r', '-n', '-u'])],
  ['uniq', new Set(['-c', '-d'])],
  ['wc', new Set(['-l', '-w', '-c'])],
  ['head', new Set()],
]);
const FIELDS = ['command', 'options', 'file', 'env', 'output', 'base'];

class Stop extends Error {}

function stop(reason) {
  throw new Stop(reason);
}

const only = (text, allowed) => [...text].every((c) => allowed.includes(c));
const tag = (value) => Object.prototype.toString.call(value);

function fileName(value) {
  if (typeof value !== 'string' || value.length < 1 || value.length > 64) return false;
  return LETTERS.includes(value[0]) && only(value, `${LETTERS}.-`);
}

function isOption(command, option) {
  if (typeof option !== 'string') return false;
  if (FLAGS.get(command).has(option)) return true;
  const number = option.slice(2);
  if (command !== 'head' || !option.startsWith('-n') || number[0] === '0') return false;
  return number.length >= 1 && number.length <= 4 && only(number, '0123456789');
}

function jobsOf(name) {
  const stem = name.endsWith('.json') ? name.slice(0, -5) : '';
  if (stem.length < 1 || stem.length > 32 || !only(stem, SMALL)) stop('bad config');
  try {
    const { jobs } = JSON.parse(fs.readFileSync(`test_dir/jobs/${stem}.json`, 'utf8'));
    if (tag(jobs) === '[object Object]') return new Map(Object.entries(jobs));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error.code)) throw error;
  }
  return stop('bad config');
}

function inherited(jobs, name, met = []) {
  const job = jobs.get(name);
  if (tag(job) !== '[object Object]' || met.includes(name)) stop('bad job');
  if (!Object.keys(job).every((key) => FIELDS.includes(key))) stop('bad job');
  return Object.hasOwn(job, 'base') ? { ...job, ...inherited(jobs, job.base, [...met, name]) } : job;
}

function prepared({ command, options = [], file, env = {}, output }) {
  const good =
    FLAGS.has(command) &&
    Array.isArray(options) &&
    options.length <= 5 &&
    options.every((option) => isOption(command, option)) &&
    fileName(file) &&
    (output === undefined || fileName(output)) &&
    tag(env) === '[object Object]' &&
    Object.entries(env).every(([k, v]) => k === 'LC_ALL' && (v === 'C' || v === 'C.UTF-8'));
  if (!good) stop('bad job');
  const source = `test_dir/data/${file}`;
  if (!fs.existsSync(source) || !fs.lstatSync(source).isFile()) stop('bad job');
  return { command, args: [...options, source], env: { LC_ALL: 'C', ...env }, output };
}

function carriedOut({ command, args, env }) {
  try {
    return child.execFileSync(`/usr/bin/${command}`, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return stop('failed');
  }
}

function written(name, data) {
  fs.mkdirSync('test_dir/out', { recursive: true });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = fs.constants;
  const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  const file = fs.openSync(`test_dir/out/${name}`, flags, 0o600);
  fs.fchmodSync(file, 0o600);
  fs.writeFileSync(file, data);
  fs.closeSync(file);
  return `written: ${name}\n`;
}

function main([config, name, ...more]) {
  if (name === undefined || more.length > 0) stop('usage');
  const jobs = jobsOf(config);
  if (!jobs.has(name)) stop('no such job');
  const job = prepared(inherited(jobs, name));
  const data = carriedOut(job);
  return job.output === undefined ? data : written(job.output, data);
}

try {
  fs.writeSync(1, main(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  fs.writeSync(1, `error: ${error.message}\n`);
  process.exitCode = 2;
}
