// In the box: loads the candidate and calls its function or class.

const channel = open(process.env.KIT_CHANNEL);
delete process.env.KIT_CHANNEL;
const job = takeJob();
const page = 'page' in job ? openPage(job.page) : null;
const file = path.join(process.cwd(), job.program);
const source = readFileSync(file, 'utf8');
process.argv = [process.argv[0], file];
for (const [name, value] of Object.entries(job.helpers || {})) globalThis[name] ??= () => value;
const covered = cover(channel, file, source, job.lines);

/** One call; an attribute that is no function answers with itself where no argument is given. */
async function invoke(target, owner, method, call, results) {
  const args = decode(call, results);
  if (!method) return settle(target.apply(owner, args));
  const holder = method in Object(target) ? target : target.constructor;
  if (typeof holder[method] !== 'function' && !args.length) return settle(holder[method]);
  return settle(holder[method](...args));
}

/** An object of the class, or what a function that makes one returns. */
function made(target, args) {
  return settle(target.prototype ? new target(...args) : target(...args));
}

/** A function that works on a page gets the element; the answer is what it told the frames. */
async function turn(target) {
  await settle(target(page.element));
  return encode(page.told);
}

async function perform({ owner, value }) {
  if (page) return turn(value);
  const target = job.init ? await made(value, decode(job.init, [])) : value;
  const results = [];
  for (const [method, call] of job.calls) {
    if (!job.many) return encode(await invoke(target, owner, method, call, results));
    try {
      results.push(await invoke(target, owner, method, call, results));
    } catch (error) {
      const { exception, bases, message } = describe(error);
      const worded = exception === 'TypeError' || error?.errno ? { message } : {}; // not by itself
      results.push({ raises: exception, bases, ...worded });
    }
  }
  return `[${results.map(encode).join(',')}]`;
}

/** Ends once nothing is left to do, or in a second. Left to itself Node would first tidy up. */
function leave() {
  setTimeout(exit, 1000, 0).unref();
  process.on('beforeExit', () => process.listenerCount('beforeExit') === 1 && exit());
}

let during = 'load';

async function main() {
  const module = await load(file, source + job.listen, job.via === 'import');
  const target = find(module, job.target);
  during = 'call';
  const value = await perform(target);
  covered();
  channel.text(`{"during":"call","kind":"value","value":${value}}`);
  leave();
}

process.on('exit', covered);
begin(channel, file, job);
main().catch((error) => {
  covered();
  channel.write({ during, kind: 'exception', ...describe(error) });
  leave();
});
