// Log diagnostics for support; prints what the tools print.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, lstatSync } from 'node:fs';

const AUDIT = 'test_dir/audit.log';
const printable = (text) => text.replace(/[\x00-\x1f\x7f]/g, '?');

function record(args, code) {
  appendFileSync(AUDIT, `${printable(args.join(' '))} -> ${code}\n`, { mode: 0o600 });
  chmodSync(AUDIT, 0o600);
}

function fail(args, message) {
  record(args, 1);
  console.error(`error: ${message}`);
  process.exit(1);
}

function logPath(args, name) {
  if (!/^[A-Za-z0-9._-]+\.log$/.test(name)) fail(args, 'bad name');
  const path = `test_dir/logs/${name}`;
  if (name.length > 200 || !lstatSync(path, { throwIfNoEntry: false })?.isFile()) {
    fail(args, 'no such log');
  }
  return path;
}

function run(command, ...args) {
  return spawnSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout.toString();
}

function answer(args) {
  const [word, first, second] = args;
  if (args.length === 2 && word === 'count') return run('/usr/bin/wc', '-l', logPath(args, first));
  if (args.length === 2 && word === 'digest') {
    return run('/usr/bin/sha256sum', logPath(args, first));
  }
  if (args.length !== 3 || word !== 'find') fail(args, 'usage');
  if (first.length < 1 || first.length > 200 || printable(first) !== first) fail(args, 'bad text');
  const path = logPath(args, second);
  const options = ['-n', '-F', '-m', '50', '-e', first, '--', path];
  return run('/usr/bin/grep', ...options) || 'no match\n';
}

const args = process.argv.slice(2);
const output = answer(args);
record(args, 0);
process.stdout.write(output);
