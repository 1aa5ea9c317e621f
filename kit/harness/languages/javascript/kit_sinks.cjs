// In the box: records what reaches dangerous sinks of this interpreter, where a test asks for it.
//
// Code is seen by the inspector, which no program can take away; the rest is wrapped, and at the
// end has to be wrapped still. Each record bears a word drawn before the program ran, and a number.

const inspector = require('inspector');
const workers = require('worker_threads');
const { randomBytes } = require('crypto');

const SINKS = ['sql', 'shell', 'code', 'template', 'path', 'hash', 'random'];
const [MOST, LONGEST, WHOLE] = [400, 8000, 300000]; // records, characters of one text, of all
const PATHS = `access appendFile chmod copyFile createReadStream createWriteStream cp lstat mkdir open
  opendir readFile readdir readlink realpath rename rm rmdir stat symlink truncate unlink writeFile`;
const STATEMENTS = ['prepare', 'exec', 'run', 'all', 'get', 'each'];
// Modules of others: their sink, where the functions are, and their names.
const LOADED = {
  ejs: ['template', (m) => m, ['render', 'compile']],
  handlebars: ['template', (m) => m, ['compile', 'precompile']],
  mustache: ['template', (m) => m, ['render', 'parse']],
  lodash: ['template', (m) => m, ['template']],
  sqlite3: ['sql', (m) => m.Database.prototype, STATEMENTS],
  'better-sqlite3': ['sql', (m) => m.prototype, STATEMENTS],
  'node:sqlite': ['sql', (m) => m.DatabaseSync.prototype, STATEMENTS],
};

/** From here on every sink is watched, in modules that are loaded later too. */
function recordSinks(channel, file) {
  const word = randomBytes(8).toString('hex');
  const known = new Set();
  const wrappers = [];
  let number = 0;
  let size = 0;

  /** One record, once; what is beyond the bounds leaves one that says so. */
  function note(sink, text = '', words = []) {
    const whole = [text, ...words].map(String);
    const parts = whole.map((part) => part.slice(0, LONGEST));
    const key = JSON.stringify([sink, ...parts]);
    if (known.has(key) && sink !== 'shell') return; // programs that are started are counted
    const full = !['cut', 'end'].includes(sink) && (number >= MOST || size > WHOLE);
    if (!full) {
      known.add(key);
      size += key.length;
      channel.write({ sink, word, n: number, text: parts[0], words: parts.slice(1) });
      number += 1;
    }
    if (full || parts.some((part, at) => part !== whole[at])) note('cut');
  }

  /** The function of this name notes its arguments first, and then does what it did. */
  function wrap(owner, name, watch) {
    const original = owner[name];
    if (typeof original !== 'function') return;
    const wrapper = function (...args) {
      try {
        watch.apply(this, args);
      } catch {
        note('beyond');
      }
      return new.target ? Reflect.construct(original, args, new.target) : original.apply(this, args);
    };
    Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original));
    owner[name] = wrapper;
    wrappers.push(() => owner[name] === wrapper);
  }

  function wrapLoaded(request, loaded) {
    const name = Object.keys(LOADED).find((n) => request === n || request.includes(`/${n}/`));
    if (!name || known.has(name)) return;
    known.add(name);
    const [sink, place, names] = LOADED[name];
    for (const n of names) wrap(place(loaded), n, (text, ...rest) => note(sink, text, bound(sink, rest)));
  }

  const bound = (sink, rest) => (sink === 'sql' ? rest.flat().filter((v) => typeof v !== 'function') : []);
  const byProgram = () => !/\(\/usr\/|\(node:/.test(new Error().stack.split('\n')[4] || '');

  note('begin', '', SINKS);
  watchCode(note, file);
  watchProcesses(note, wrap, (kept) => wrappers.push(kept));
  wrap(process, 'chdir', (path) => note('path', path));
  wrap(process, 'binding', () => byProgram() && note('beyond'));
  const fs = require('fs');
  for (const name of PATHS.split(/\s+/).flatMap((n) => [n, `${n}Sync`])) {
    for (const owner of [fs, fs.promises]) {
      wrap(owner, name, (...paths) => {
        for (const path of paths.slice(0, 2).filter((p) => typeof p === 'string' || p instanceof URL)) {
          const text = path instanceof URL ? decodeURIComponent(path.pathname) : path;
          if (text.includes('..') || !text.startsWith('/usr/')) note('path', text);
        }
      });
    }
  }
  const crypto = require('crypto');
  for (const name of ['createHash', 'createHmac']) {
    wrap(crypto, name, (kind) => byProgram() && note('hash', kind));
  }
  wrap(Math, 'random', () => !known.has('["random","random"]') && byProgram() && note('random', 'random'));
  const load = Module._load;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    wrapLoaded(String(request), loaded);
    return loaded;
  };
  require('module').syncBuiltinESMExports();
  process.on('exit', () => wrappers.every((kept) => kept()) && note('end'));
}

/** Every text that is compiled, by eval, Function, vm or as a module, but our own and Node's. */
function watchCode(note, file) {
  const session = new inspector.Session();
  let begun = false;
  const compiled = ({ params: { scriptId, url } }) => {
    const path = url.replace(/^file:\/\//, '');
    if (!begun || path === file || /^(node:|\/usr\/)/.test(path)) return;
    session.post('Debugger.getScriptSource', { scriptId }, (error, answer) => {
      note(...(error ? ['beyond'] : ['code', answer.scriptSource]));
    });
  };
  session.connect();
  session.on('Debugger.scriptParsed', compiled);
  session.on('Debugger.scriptFailedToParse', compiled);
  session.post('Debugger.enable');
  session.post('Debugger.setSkipAllPauses', { skip: true });
  begun = true;
}

/** Programs that are started, as argument lists, with their standard input where it is given. */
function watchProcesses(note, wrap, atEnd) {
  const child = require('child_process');
  const shell = (line) => ['/bin/sh', '-c', line];
  const synced = (path, args, options) => {
    const argv = [path, ...(Array.isArray(args) ? args : [])];
    const given = (Array.isArray(args) ? options : args) || {};
    note('shell', given.input ?? '', given.shell ? shell(argv.join(' ')) : argv);
  };
  const fed = [];
  const spawn = child.ChildProcess.prototype.spawn;
  /** The standard input of what runs scripts is kept, and noted at the end. */
  child.ChildProcess.prototype.spawn = function (options) {
    const done = spawn.call(this, options);
    const scripted = /(^|\/)((ba|da|z|k)?sh|sqlite3)$/.test(options.args[0]) && this.stdin;
    if (!scripted) note('shell', '', options.args);
    for (const name of scripted ? ['write', 'end'] : []) {
      const original = this.stdin[name];
      const chunks = name === 'write' ? [] : fed[fed.length - 1].chunks;
      if (name === 'write') fed.push({ chunks, args: options.args });
      this.stdin[name] = function (chunk, ...rest) {
        if (typeof chunk === 'string' || ArrayBuffer.isView(chunk)) chunks.push(String(chunk));
        return original.call(this, chunk, ...rest);
      };
    }
    return done;
  };
  const started = child.ChildProcess.prototype.spawn;
  atEnd(() => fed.every(({ chunks, args }) => (note('shell', chunks.join(''), args), true)));
  atEnd(() => child.ChildProcess.prototype.spawn === started);
  wrap(child, 'execSync', (line, options = {}) => note('shell', options.input ?? '', shell(line)));
  wrap(child, 'execFileSync', synced);
  wrap(child, 'spawnSync', synced);
  wrap(workers, 'Worker', () => note('fork'));
}
