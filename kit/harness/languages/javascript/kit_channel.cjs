'use strict';
// In the box: the return channel, the mark from which events count, and line coverage.

const fs = require('fs');
const inspector = require('inspector');
const path = require('path');

const { readFileSync, writeSync, openSync, closeSync, rmSync, mkdirSync, accessSync } = fs;
const FOLDER = __dirname;
const exit = process.exit.bind(process);
let recorder = null; // of sinks, where the test asks for it

class Channel {
  /** One JSON value a line: a number is a covered line, an object an answer; the last counts. */
  constructor(fd) {
    this.fd = fd;
  }

  text(line) {
    let data = Buffer.from(line + '\n');
    try {
      while (data.length) data = data.subarray(writeSync(this.fd, data));
    } catch {
      return; // the program has closed the channel
    }
  }

  write(message) {
    this.text(JSON.stringify(message));
  }
}

/** The channel of this number or at this path; a number is reopened where that is allowed, for
 * then no child inherits it. */
function open(where) {
  if (!/^\d+$/.test(where)) return new Channel(openSync(where, 'a'));
  try {
    const channel = new Channel(openSync(`/proc/self/fd/${where}`, 'a'));
    closeSync(Number(where));
    return channel;
  } catch {
    return new Channel(Number(where));
  }
}

/** The job beside this file; the folder goes, so that the program finds only its own. */
function takeJob() {
  const job = JSON.parse(readFileSync(path.join(FOLDER, 'job.json'), 'utf8'));
  if (job.sinks) recorder = require('./kit_sinks.cjs');
  for (const folder of job.folders) mkdirSync(folder, { recursive: true });
  rmSync(FOLDER, { recursive: true });
  for (const name of Object.keys(require.cache)) delete require.cache[name];
  process.mainModule = undefined; // to the program, these files are not there
  return job;
}

/** Line numbers of `source` with code on them that ran, from V8's nested ranges of offsets. */
function ranLines(source, functions, last) {
  const counts = new Int32Array(source.length).fill(1);
  const ranges = functions.flatMap((f) => f.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const r of ranges) counts.fill(r.count, r.startOffset, r.endOffset);
  const lines = [];
  let offset = 0;
  source.split('\n').forEach((line, index) => {
    const blank = index >= last || /^\s*(\/\/.*|\/?\*.*)?$/.test(line);
    for (let at = 0; !blank && at < line.length; at += 1) {
      if (line[at] > ' ' && counts[offset + at] > 0) {
        lines.push(index + 1);
        break;
      }
    }
    offset += line.length + 1;
  });
  return lines;
}

/** Starts block coverage; the answer is a function that sends the covered lines of `file` once. */
function cover(channel, file, source, last = Infinity) {
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let sent = false;
  return () => {
    if (sent) return;
    sent = true;
    session.post('Profiler.takePreciseCoverage', (error, found) => {
      if (error) return;
      const own = found.result.filter((s) => s.url === file || s.url === `file://${file}`);
      const functions = own.flatMap((s) => s.functions);
      if (functions.length) channel.text(ranLines(source, functions, last).join('\n'));
    });
  };
}

/** Events count from here, and what reaches sinks; `file` is the program. */
function begin(channel, file) {
  if (recorder) recorder.start(channel, file);
  try {
    accessSync('/kit-begin');
  } catch {
    return;
  }
}

function ancestors(error) {
  const names = [];
  let at = error === null || error === undefined ? null : Object.getPrototypeOf(Object(error));
  for (; at && names.length < 50; at = Object.getPrototypeOf(at)) {
    const made = Object.getOwnPropertyDescriptor(at, 'constructor');
    if (made && typeof made.value === 'function' && made.value.name) names.push(made.value.name);
  }
  return names;
}

/** What was thrown as plain values; a value that is no Error is named by its type. */
function describe(error) {
  const thrown = { exception: typeof error, bases: [], message: '' };
  try {
    const bases = ancestors(error);
    const named = error instanceof Error && typeof error.name === 'string' && error.name;
    thrown.exception = named || bases[0] || typeof error;
    thrown.bases = bases.filter((name) => name !== thrown.exception && name !== 'Object');
    thrown.message = String(error instanceof Error ? error.message : error).slice(0, 10000);
    thrown.missing = lacking(error);
  } catch {
    return thrown; // its own texts throw
  }
  return thrown;
}

/** The package that could not be found, or nothing. */
function lacking(error) {
  if (!error || !/^(ERR_)?(UNKNOWN_BUILTIN_MODULE|MODULE_NOT_FOUND)$/.test(error.code)) return '';
  const absent = /^Cannot find (?:module|package) '((?:@[^/']+\/)?[^/'.][^/']*)/.exec(error.message);
  const builtin = /^No such built-in module: (node:[\w/]+)/.exec(error.message);
  return (absent || builtin || ['', ''])[1];
}

module.exports = { open, takeJob, cover, begin, describe, exit, readFileSync };
