// In the box: runs the candidate as `node main.js ...` would; if that serves nothing, what it holds.

const [sink, port] = process.argv.slice(2);
const channel = open(sink || process.env.KIT_CHANNEL);
delete process.env.KIT_CHANNEL;
const job = takeJob();
const file = path.join(process.cwd(), job.program);
const source = readFileSync(file, 'utf8');
const covered = cover(channel, file, source);
process.argv = [process.argv[0], file, ...(job.argv || [])];

const text = (value) => Function.prototype.toString.call(value);
const parameters = (value) => text(value).match(/[\w$]+(?=\s*[,)=])/g) || [];
const KINDS = [ // what could be served, the most explicit first
  (value) => typeof value.listen === 'function',
  (value) => typeof value === 'function' && /^\(?req/.test(parameters(value)[0] || '') && value.length > 1,
  (value) => typeof value === 'function' && /\.listen\s*\(/.test(text(value)),
];

/** Answers on 127.0.0.1 with what the module exports, once it has nothing left to do. */
async function serve() {
  const held = job.via === 'import' ? await import(pathToFileURL(file)) : Module._cache[file]?.exports;
  const offered = [held, ...Object.values(Object(held))].filter((v) => v !== null && v !== undefined);
  for (const [kind, isServed] of KINDS.entries()) {
    const target = offered.find(isServed);
    if (!target) continue;
    const known = { port: Number(port), host: '127.0.0.1', hostname: '127.0.0.1' };
    if (kind === 2) target(...parameters(target).slice(0, target.length).map((n) => known[n] ?? Number(port)));
    else (kind === 0 ? target : require('http').createServer(target)).listen(Number(port), '127.0.0.1');
    return;
  }
}

/** Adds 8000 to the ports that only root may take. */
function liftPorts() {
  const lift = (value) => (value > 0 && value < 1024 ? Number(value) + 8000 : value);
  const { Server } = require('net');
  const { listen } = Server.prototype;
  Server.prototype.listen = function lifted(first, ...rest) {
    const isObject = first !== null && typeof first === 'object' && 'port' in first;
    return listen.call(this, isObject ? { ...first, port: lift(first.port) } : lift(first), ...rest);
  };
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
if (sink) {
  process.once('beforeExit', serve);
  liftPorts();
}
begin(channel, file, job);
run();
