'use strict';
// Answers one question about a log file; an audit line is kept of every call.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const LOGS = 'test_dir/logs';
const AUDIT = 'test_dir/audit.log';
const CLEAN = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', LC_ALL: 'C' };
const CONTROL = /[\u0000-\u001f\u007f]/;

class Refused extends Error {}

/** Feeds the open log to a tool; grep ends with 1 where nothing matches. */
function tool(file, args, log) {
  const done = spawnSync(file, args, { stdio: [log, 'pipe', 'pipe'], env: CLEAN, timeout: 8000 });
  if (done.error || done.status > 1) throw new Refused('no such log');
  return done.stdout;
}

function withLog(name, answer) {
  if (!/^[A-Za-z0-9._-]+\.log$/.test(name)) throw new Refused('bad name');
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let log;
  try {
    log = fs.openSync(path.join(LOGS, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    throw new Refused('no such log');
  }
  try {
    if (!fs.fstatSync(log).isFile()) throw new Refused('no such log');
    return answer(log);
  } finally {
    fs.closeSync(log);
  }
}

function count(name) {
  return withLog(name, (log) => tool('/usr/bin/wc', ['-l'], log));
}

function find(text, name) {
  const length = [...text].length;
  if (length < 1 || length > 200 || CONTROL.test(text)) throw new Refused('bad text');
  const args = ['-a', '-n', '-F', '-m50', '-e', text, '--', '-'];
  const found = withLog(name, (log) => tool('/usr/bin/grep', args, log));
  return found.length ? found : 'no match\n';
}

function digest(name) {
  const printed = withLog(name, (log) => tool('/usr/bin/sha256sum', [], log));
  return `${printed.toString().slice(0, 64)}\n`;
}

const QUESTIONS = new Map([
  ['count', [1, count]],
  ['find', [2, find]],
  ['digest', [1, digest]],
]);

function answer([word, ...rest]) {
  const [arity, question] = QUESTIONS.get(word) ?? [-1];
  if (arity !== rest.length) throw new Refused('usage');
  return question(...rest);
}

function keepRecord(args, code) {
  const line = [...args, `-> ${code}`].join(' ').replace(/[\u0000-\u001f\u007f]/g, '?');
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = fs.constants;
  const audit = fs.openSync(AUDIT, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  fs.fchmodSync(audit, 0o600);
  fs.writeSync(audit, `${line}\n`);
  fs.closeSync(audit);
}

function main(args) {
  let output;
  let code = 0;
  try {
    output = answer(args);
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    output = `error: ${refusal.message}\n`;
    code = 2;
  }
  keepRecord(args, code);
  fs.writeSync(1, output);
  process.exitCode = code;
}

main(process.argv.slice(2));
