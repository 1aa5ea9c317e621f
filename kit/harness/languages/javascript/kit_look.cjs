// In the box: loads the candidate and tells what in it can be called, each by its own text.

const TEXT = 50000; // characters of a function that are told
const channel = open(process.env.KIT_CHANNEL);
delete process.env.KIT_CHANNEL;
const job = takeJob();
const file = path.join(process.cwd(), job.program);
const source = readFileSync(file, 'utf8') + job.listen;
process.argv = [process.argv[0], file];
const globals = new Set(Object.getOwnPropertyNames(globalThis));
const functions = [];
const classes = [];
const scoped = []; // names that are not exported
const seen = new Set();
const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;
const OF_FUNCTIONS = ['length', 'name', 'prototype', 'arguments', 'caller'];

const text = (value) => Function.prototype.toString.call(value).slice(0, TEXT);
const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Names and values of the properties of an object and of its ancestors that are not the language's. */
function* properties(value) {
  const names = new Set(typeof value === 'function' ? OF_FUNCTIONS : ['constructor', '__esModule']);
  for (let at = value; at && !isBuiltin(at); at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (!names.has(name)) yield [name, valueOf(() => value[name])];
      names.add(name);
    }
  }
}

/** What a property or name stands for; undefined where it has no value yet. */
function valueOf(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isBuiltin(prototype) {
  const made = Object.hasOwn(prototype, 'constructor') && prototype.constructor;
  return typeof prototype === 'function' ? NATIVE.test(text(prototype)) : made && NATIVE.test(text(made));
}

function isClass(value) {
  const { prototype } = value;
  if (/^class\b/.test(text(value))) return true;
  return Boolean(prototype) && Object.getOwnPropertyNames(prototype).some((n) => n !== 'constructor');
}

/** The class with the texts of its constructors, nearest first, and the methods of its objects. */
function tellClass(name, where, value) {
  const texts = [];
  for (let at = value; typeof at === 'function' && !NATIVE.test(text(at)); at = Object.getPrototypeOf(at)) {
    texts.push(text(at));
  }
  const methods = [];
  const names = new Set(['constructor']);
  for (let at = value.prototype; at && !isBuiltin(at); at = Object.getPrototypeOf(at)) {
    for (const [key, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (!names.has(key)) methods.push({ name: key, text: typeof method === 'function' ? text(method) : '' });
      names.add(key);
    }
  }
  classes.push({ name, path: where, texts, methods });
}

/** Tells what is at a path, and one step below it. */
function tell(name, where, value, depth) {
  if (value === null || seen.has(value)) return;
  if (typeof value === 'function') {
    seen.add(value);
    if (isClass(value)) tellClass(name, where, value);
    else functions.push({ name, path: where, text: text(value) });
  } else if (typeof value !== 'object' || isBuiltin(value)) {
    return;
  }
  if (depth === 0) return;
  for (const [key, inner] of properties(value)) tell(key, [...where, key], inner, depth - 1);
}

/** The name of what is exported whole, where the program's top level names it; else it has none. */
const nameOf = (value) => (typeof value === 'function' && job.declared.includes(value.name) ? value.name : '');

function look({ exported, scope }) {
  const whole = exported && exported.default;
  if (typeof exported === 'function') tell(nameOf(exported), [], exported, 0);
  for (const [key, inner] of properties(Object(exported))) {
    if (key !== 'default') tell(key, [key], inner, 1);
  }
  if (whole) tell(nameOf(whole), ['default'], whole, 1);
  const offers = functions.length + classes.length > 0;
  const added = Object.getOwnPropertyNames(globalThis).filter((name) => !globals.has(name));
  for (const name of [...job.declared, ...added]) {
    if (offers && !job.wanted.includes(plain(name))) continue;
    tell(name, [name], scope(name) ?? valueOf(() => globalThis[name]), 1);
    scoped.push(name);
  }
}

let told = false;

/** Writes the answer, once. */
function answer(ended) {
  if (!told) channel.write({ kind: 'look', ended, functions, classes, scoped });
  told = true;
}

async function main() {
  try {
    look(await load(file, source, job.via === 'import'));
    answer('');
  } catch (error) {
    answer(describe(error).exception);
  }
  exit(0);
}

process.on('exit', () => answer('exit'));
main();
