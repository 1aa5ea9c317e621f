// In the box: the candidate as a module, and what stands under a name in it.

const SCOPE = Symbol.for('kit.scope');

/** What the names of `file` stand for: of its exports, else of its top level, else global ones.
 *
 * The top level is known where LISTEN, which names SCOPE, stands behind the program's text.
 */
async function load(file, source, isModule) {
  let scope = () => undefined;
  const value = (tell) => {
    scope = (name) => {
      try {
        return tell(name);
      } catch {
        return undefined; // it is not declared, or has no value yet
      }
    };
  };
  Object.defineProperty(globalThis, SCOPE, { value, configurable: true });
  try {
    const exported = isModule ? await import(pathToFileURL(file)) : required(file, source);
    return { exported, scope };
  } finally {
    delete globalThis[SCOPE];
  }
}

/** module.exports of the candidate, loaded as any other module would load it. */
function required(file, source) {
  const module = new Module(file, null);
  module.filename = file;
  module.paths = Module._nodeModulePaths(path.dirname(file));
  Module._cache[file] = module;
  module._compile(source, file);
  return module.exports;
}

/** {owner, value} at the end of the names. */
function find({ exported, scope }, names) {
  let owner;
  let value = exported;
  names.forEach((name, index) => {
    owner = value;
    const isTop = index === 0 && !(name in Object(value));
    value = isTop ? scope(name) ?? globalThis[name] : value[name];
    if (isTop) owner = undefined;
  });
  return { owner, value };
}
