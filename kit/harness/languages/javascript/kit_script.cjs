'use strict';
// In the box: runs the candidate as `node main.js ...` would; if that serves nothing, what it holds.

const Module = require('module');
const http = require('http');
const path = require('path');
const { open, takeJob, cover, begin, describe, exit, readFileSync } = require('./kit_channel.cjs');

const [sink, port] = process.argv.slice(2);
const channel = open(sink || process.env.KIT_CHANNEL);
delete process.env.KIT_CHANNEL;
const job = takeJob();
const file = path.join(process.cwd(), job.program);
const source = readFileSync(file, 'utf8');
const covered = cover(channel, file, source);
process.argv = [process.argv[0], file, ...(job.argv || [])];

/** Answers on 127.0.0.1 with the named object of the module, once it has nothing left to do. */
function serve(app) {
  const held = Module._cache[file] ? Module._cache[file].exports : {};
  const target = app.exported === '' ? held : Object(held)[app.exported];
  if (app.kind === 'start') {
    const known = { port: Number(port), host: '127.0.0.1', hostname: '127.0.0.1' };
    target(...app.needs.map((name) => known[name] ?? Number(port)));
  } else if (target && typeof target.listen === 'function') {
    target.listen(Number(port), '127.0.0.1');
  } else {
    http.createServer(target).listen(Number(port), '127.0.0.1');
  }
}

/** The candidate becomes the main module, without a frame of this file below it. */
function run() {
  if (job.via === 'import') {
    process.nextTick(Module.runMain, file);
    return;
  }
  const main = new Module(file, null);
  main.id = '.';
  main.filename = file;
  main.paths = Module._nodeModulePaths(path.dirname(file));
  process.mainModule = main;
  Module._cache[file] = main;
  process.nextTick(main._compile.bind(main), source, file);
}

process.on('uncaughtExceptionMonitor', (error) => {
  covered();
  channel.write({ kind: 'output', ...describe(error) });
});
process.on('exit', covered);
if (sink) {
  process.on('SIGTERM', () => {
    covered();
    if (process.listenerCount('SIGTERM') === 1) exit(143);
  });
}
if (job.app) process.once('beforeExit', () => serve(job.app));
begin(channel, file);
run();
