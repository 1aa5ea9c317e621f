#!/usr/bin/env node
// Log diagnostics: builds command lines for wc, grep and sha256sum.
const { execSync } = require('child_process');
const fs = require('fs');

const logDir = 'test_dir/logs';
const auditFile = 'test_dir/audit.log';
const control = /[\x00-\x1f\x7f]/;

function shell(command) {
  try {
    return execSync(command, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  } catch (err) {
    return err.stdout ? err.stdout.toString() : '';
  }
}

// JSON quotes a text much like the shell does.
const quoted = (text) => JSON.stringify(text);

function checkName(name) {
  if (!/^[A-Za-z0-9._-]+\.log$/.test(name)) return 'error: bad name';
  const file = `${logDir}/${name}`;
  if (!fs.existsSync(file) || !fs.statSync(file).isFile()) return 'error: no such log';
  return null;
}

function run(args) {
  const [command, ...rest] = args;
  if (command === 'count' && rest.length === 1) {
    const problem = checkName(rest[0]);
    return problem ? [problem, 2] : [shell(`wc -l < ${logDir}/${rest[0]}`).trim(), 0];
  }
  if (command === 'find' && rest.length === 2) {
    const [text, name] = rest;
    if (text.length < 1 || text.length > 200 || control.test(text)) return ['error: bad text', 2];
    const problem = checkName(name);
    if (problem) return [problem, 2];
    const found = shell(`grep -n -F ${quoted(text)} ${logDir}/${name} | head -n 50`);
    return [found.replace(/\n$/, '') || 'no match', 0];
  }
  if (command === 'digest' && rest.length === 1) {
    const problem = checkName(rest[0]);
    return problem ? [problem, 2] : [shell(`sha256sum ${logDir}/${rest[0]}`).split(' ')[0], 0];
  }
  return ['error: usage', 2];
}

const args = process.argv.slice(2);
const [output, code] = run(args);
const line = [...args, '->', code].join(' ').replace(/[\x00-\x1f\x7f]/g, '?');
fs.appendFileSync(auditFile, line + '\n');
console.log(output);
process.exit(code);
