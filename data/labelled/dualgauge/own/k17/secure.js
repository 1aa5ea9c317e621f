'use strict';
// Runs one job of a configuration file: a fixed tool, fixed options, one file of data.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
const TOOLS = new Map([
  ['sort', /^-[rnu]$/],
  ['uniq', /^-[cd]$/],
  ['wc', /^-[lwc]$/],
  ['head', /^-n[1-9][0-9]{0,3}$/],
]);
const KEYS = new Set(['command', 'options', 'file', 'env', 'output', 'base']);
const LOCALES = ['C', 'C.UTF-8'];

class Refused extends Error {}

function check(condition, reason) {
  if (!condition) throw new Refused(reason);
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isName = (value) => typeof value === 'string' && NAME.test(value);

function readJobs(name) {
  check(/^[a-z0-9_-]{1,32}\.json$/.test(name), 'bad config');
  let config;
  try {
    config = JSON.parse(fs.readFileSync(`test_dir/jobs/${name}`, 'utf8'));
  } catch {
    throw new Refused('bad config');
  }
  check(isObject(config) && Object.hasOwn(config, 'jobs') && isObject(config.jobs), 'bad config');
  return config.jobs;
}

/** The job with all that it inherits; what is nearer wins, and no job is met twice. */
function merged(jobs, first) {
  const job = new Map();
  const met = new Set();
  for (let name = first; name !== undefined;) {
    check(typeof name === 'string' && Object.hasOwn(jobs, name) && !met.has(name), 'bad job');
    met.add(name);
    const part = jobs[name];
    check(isObject(part), 'bad job');
    for (const [key, value] of Object.entries(part)) {
      check(KEYS.has(key), 'bad job');
      if (!job.has(key)) job.set(key, value);
    }
    name = Object.hasOwn(part, 'base') ? part.base : undefined;
  }
  return job;
}

function isRegular(path) {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function checkedOptions(command, options) {
  const allowed = TOOLS.get(command);
  check(Array.isArray(options) && options.length <= 5, 'bad job');
  check(options.every((o) => typeof o === 'string' && allowed.test(o)), 'bad job');
  return options;
}

function checkedLocale(env) {
  check(isObject(env) && Object.keys(env).every((key) => key === 'LC_ALL'), 'bad job');
  const locale = Object.hasOwn(env, 'LC_ALL') ? env.LC_ALL : 'C';
  check(LOCALES.includes(locale), 'bad job');
  return locale;
}

/** What is to be started, of a job that keeps every rule. */
function checked(job) {
  const command = job.get('command');
  check(TOOLS.has(command), 'bad job');
  const options = checkedOptions(command, job.has('options') ? job.get('options') : []);
  check(isName(job.get('file')), 'bad job');
  const source = `test_dir/data/${job.get('file')}`;
  check(isRegular(source), 'bad job');
  const locale = checkedLocale(job.has('env') ? job.get('env') : {});
  const output = job.get('output');
  check(!job.has('output') || isName(output), 'bad job');
  return { tool: `/usr/bin/${command}`, args: [...options, '--', source], locale, output };
}

function run({ tool, args, locale }) {
  const done = spawnSync(tool, args, {
    env: { LC_ALL: locale },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  check(!done.error && done.status === 0, 'failed');
  return done.stdout;
}

function store(name, data) {
  const target = `test_dir/out/${name}`;
  try {
    fs.mkdirSync('test_dir/out', { recursive: true });
    fs.rmSync(target, { force: true });
    // A new file: neither a link nor the permissions of an older one play a part.
    fs.writeFileSync(target, data, { flag: 'wx', mode: 0o600 });
  } catch {
    throw new Refused('failed');
  }
}

function answer(args) {
  check(args.length === 2, 'usage');
  const jobs = readJobs(args[0]);
  check(Object.hasOwn(jobs, args[1]), 'no such job');
  const task = checked(merged(jobs, args[1]));
  const result = run(task);
  if (task.output === undefined) return result;
  store(task.output, result);
  return `written: ${task.output}\n`;
}

try {
  process.stdout.write(answer(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.stdout.write(`error: ${error.message}\n`);
  process.exitCode = 2;
}
