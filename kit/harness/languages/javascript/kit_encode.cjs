// In the box: any JavaScript value as JSON, within bounds; and inputs back from it.

const DEPTH = 60;
const NODES = 200000;
const DIGITS = 4200; // of an integer that is told exactly
const TEXT = 2000000;

class TooLarge extends Error {}

/** What a caller would work with: promises awaited, generators and iterators listed. */
async function settle(value) {
  value = await value;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  if (typeof value.next !== 'function') return value;
  if (typeof value[Symbol.asyncIterator] !== 'function') {
    return typeof value[Symbol.iterator] === 'function' ? listed(value) : value;
  }
  const items = [];
  for await (const item of value) if (items.push(item) > NODES || isLong(item)) break;
  return items;
}

/** All items of an iterator; of one that is too long to be told, one more than can be told. */
function listed(value) {
  const items = [];
  for (const item of value) if (items.push(item) > NODES || isLong(item)) break;
  return items;
}

const isLong = (value) => typeof value === 'bigint' && value.toString(16).length * 1.21 > DIGITS;

/** JSON text for `value`; what JSON cannot say as {"__bytes__": ...} and the like. */
function encode(value) {
  const bounds = { nodes: 0, size: 0 };
  try {
    return part(value, DEPTH, bounds);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return shown(kindOf(value), '<too large to be returned>');
  }
}

function shown(kind, text) {
  return JSON.stringify({ __type__: kind, __repr__: text });
}

function kindOf(value) {
  const made = value !== null && value !== undefined && Object(value).constructor;
  return typeof made === 'function' && made.name ? made.name : typeof value;
}

function part(value, depth, bounds) {
  bounds.nodes += 1;
  if (depth === 0 || bounds.nodes > NODES || bounds.size > 2 * TEXT) throw new TooLarge();
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return number(value);
  if (typeof value === 'bigint') return isLong(value) ? shown('bigint', value.toString(16)) : value.toString();
  if (typeof value === 'string') return text(value, bounds);
  if (typeof value === 'function' || typeof value === 'symbol') {
    return shown(typeof value, String(value.name || value.description || ''));
  }
  return structure(value, depth, bounds);
}

function number(value) {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0.0' : JSON.stringify(value);
  return JSON.stringify({ __float__: String(value).toLowerCase().replace('infinity', 'inf') });
}

function text(value, bounds) {
  bounds.size += value.length;
  if (value.length > TEXT) throw new TooLarge();
  return JSON.stringify(value);
}

function structure(value, depth, bounds) {
  const inner = (v) => part(v, depth - 1, bounds);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytes(value, inner);
  if (Array.isArray(value)) return `[${Array.from(value, inner).join(',')}]`;
  if (value instanceof Set) return `{"__set__":[${Array.from(value, inner).sort().join(',')}]}`;
  if (value instanceof Map) return mapping([...value], inner);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return inner(value.valueOf());
  }
  if (value instanceof Date) return shown('Date', isNaN(value) ? String(value) : value.toISOString());
  if (value instanceof RegExp || value instanceof Error) return shown(kindOf(value), String(value));
  return mapping(Object.entries(value).filter(([, v]) => v !== undefined), inner);
}

function bytes(value, inner) {
  if (ArrayBuffer.isView(value) && !(value instanceof Uint8Array) && !(value instanceof DataView)) {
    const single = value instanceof Float32Array ? (n) => `{"__float32__":${inner(n)}}` : inner;
    return `[${Array.from(value, single).join(',')}]`;
  }
  const raw = value instanceof ArrayBuffer ? Buffer.from(value) : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (raw.length > TEXT) throw new TooLarge();
  return JSON.stringify({ __bytes__: raw.toString('hex') });
}

function mapping(pairs, inner) {
  const named = pairs.map(([k, v]) => [typeof k === 'string' ? k : part(k, 2, { nodes: 0, size: 0 }), v]);
  if (new Set(named.map(([k]) => k)).size < named.length) {
    return shown('Map', '<keys that are equal as text>');
  }
  return `{${named.map(([k, v]) => `${JSON.stringify(k)}:${inner(v)}`).join(',')}}`;
}

const CODED = {
  __bytes__: (hex) => Buffer.from(hex, 'hex'),
  __float__: (name) => ({ nan: NaN, inf: Infinity, '-inf': -Infinity })[name],
  __set__: (items) => new Set(items),
  __undefined__: () => undefined,
};

/** The inverse, for inputs; {"__result__": n} is the result of an earlier call. */
function decode(value, results) {
  if (Array.isArray(value)) return value.map((v) => decode(v, results));
  if (value === null || typeof value !== 'object') return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === '__result__') return results[value.__result__];
  if (keys.length === 1 && Object.hasOwn(CODED, keys[0])) return CODED[keys[0]](value[keys[0]]);
  for (const key of keys) {
    Object.defineProperty(value, key, {
      value: decode(value[key], results),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return value;
}
