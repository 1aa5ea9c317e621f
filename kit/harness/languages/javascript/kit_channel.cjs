'use strict';
// In the box: the return channel, the mark from which events count, and line coverage.
//
// It is the first part of one file, which the host puts together: Node takes longer to find and
// load a file than to read it. What stands here needs no module that Node has not loaded already.

const fs = require('fs');
const Module = module.constructor; // require('module') would load the loader of ES modules
const path = require('path');
const { pathToFileURL } = require('url');

const { readFileSync, writeSync, openSync, closeSync } = fs;
const { parse, stringify } = JSON;
const FOLDER = __dirname;
const exit = process.exit.bind(process);

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
  const job = parse(readFileSync(path.join(FOLDER, 'job.json'), 'utf8'));
  for (const folder of job.folders) fs.mkdirSync(folder, { recursive: true });
  for (const name of fs.readdirSync(FOLDER)) fs.unlinkSync(path.join(FOLDER, name));
  fs.rmdirSync(FOLDER);
  for (const name of Object.keys(require.cache)) delete require.cache[name];
  process.execArgv = [];
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

/** Starts block coverage; the answer is a function that sends the covered lines of `file` once.
 *
 * The module `inspector` would load thrice as long as V8 takes to count.
 */
function cover(channel, file, source, last = Infinity) {
  const { Connection } = process.binding('inspector');
  let answer = {};
  const connection = new Connection((text) => {
    answer = parse(text);
  });
  const ask = (method, params) => connection.dispatch(stringify({ id: 1, method, params }));
  ask('Profiler.enable');
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let sent = false;
  return () => {
    if (sent) return;
    sent = true;
    ask('Profiler.takePreciseCoverage');
    const scripts = answer.result?.result ?? [];
    const own = scripts.filter((s) => s.url === file || s.url === `file://${file}`);
    const functions = own.flatMap((s) => s.functions);
    if (functions.length) channel.text(ranLines(source, functions, last).join('\n'));
  };
}

/** Tells the libraries that are not found, also where the program catches that far above. */
function tellAbsent(channel) {
  const load = Module._load;
  Module._load = function (...words) {
    try {
      return Reflect.apply(load, this, words);
    } catch (error) {
      const absent = lacking(error);
      if (absent) channel.write({ absent });
      throw error;
    }
  };
}

/** Events count from here, and what reaches sinks; `file` is the program. */
function begin(channel, file, job) {
  tellAbsent(channel);
  if (job.sinks) recordSinks(channel, file); // its part is here where it is asked for
  fs.existsSync('/kit-begin');
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
