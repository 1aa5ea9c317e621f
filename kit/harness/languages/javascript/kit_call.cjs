'use strict';
// In the box: loads the candidate and calls its function or class.

const Module = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const vm = require('vm');
const { open, takeJob, cover, begin, describe, exit, readFileSync } = require('./kit_channel.cjs');
const { settle, encode, decode } = require('./kit_encode.cjs');
const { openPage } = require('./kit_page.cjs');

const channel = open(process.env.KIT_CHANNEL);
delete process.env.KIT_CHANNEL;
const job = takeJob();
const page = 'page' in job ? openPage(job.page) : null;
const file = path.join(process.cwd(), job.program);
const source = readFileSync(file, 'utf8');
process.argv = [process.argv[0], file];
for (const [name, value] of Object.entries(job.helpers || {})) globalThis[name] ??= () => value;
const covered = cover(channel, file, source, job.lines);

/** module.exports of the candidate, loaded as any other module would load it. */
function required() {
  const module = new Module(file, null);
  module.filename = file;
  module.paths = Module._nodeModulePaths(path.dirname(file));
  Module._cache[file] = module;
  module._compile(source, file);
  return module.exports;
}

/** Runs the text as it stands as a script of this realm: its top-level names can be asked for. */
function scripted() {
  const module = { exports: {}, id: file, filename: file, paths: [], children: [], loaded: false };
  const given = { require: Module.createRequire(file), module, exports: module.exports };
  const names = { ...given, __filename: file, __dirname: path.dirname(file) };
  for (const [name, value] of Object.entries(names)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  new vm.Script(source, { filename: file }).runInThisContext();
  return (name) => new vm.Script(name, { filename: 'name' }).runInThisContext();
}

async function load() {
  const [name] = job.target;
  if (job.via === 'scope') return scripted()(name);
  const exported = job.via === 'import' ? await import(pathToFileURL(file)) : required();
  return job.exported === '' ? exported : exported[job.exported];
}

/** One call; an attribute that is no function answers with itself where no argument is given. */
async function invoke(target, method, call, results) {
  const args = decode(call, results);
  if (!method) return settle(target(...args));
  const owner = method in Object(target) ? target : target.constructor;
  if (typeof owner[method] !== 'function' && !args.length) return settle(owner[method]);
  return settle(owner[method](...args));
}

/** A function that works on a page gets the element; the answer is what it told the frames. */
async function turn(target) {
  await settle(target(page.element));
  return encode(page.told);
}

async function perform(target) {
  if (page) return turn(target);
  if (job.init) target = await settle(new target(...decode(job.init, [])));
  const results = [];
  for (const [method, call] of job.calls) {
    if (!job.many) return encode(await invoke(target, method, call, results));
    try {
      results.push(await invoke(target, method, call, results));
    } catch (error) {
      const { exception, bases, message } = describe(error);
      const worded = exception === 'TypeError' || error?.errno ? { message } : {}; // not by itself
      results.push({ raises: exception, bases, ...worded });
    }
  }
  return `[${results.map(encode).join(',')}]`;
}

let during = 'load';

async function main() {
  const target = await load();
  during = 'call';
  const value = await perform(target);
  covered();
  channel.text(`{"during":"call","kind":"value","value":${value}}`);
  setTimeout(exit, 1000, 0).unref();
}

process.on('exit', covered);
begin(channel, file);
main().catch((error) => {
  covered();
  channel.write({ during, kind: 'exception', ...describe(error) });
  setTimeout(exit, 1000, 0).unref();
});
