'use strict';
// Templates with arithmetic: a tokenizer, a bounded parser, and nothing of the host language.

const LIMIT = 1e15;
const DEEPEST = 50;
const TOKEN = /\s*(?:([0-9]+(?:\.[0-9]+)?)|([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)|([-+*/^()]))/y;

class Problem extends Error {}

function fail(text) {
  throw new Problem(text);
}

function tokens(source) {
  const found = [];
  const text = source.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text) ?? fail('syntax error');
    found.push({ number: match[1], name: match[2], sign: match[3] });
  }
  return found;
}

/** A number within the limit; texts, truth values and mappings are no numbers. */
function real(value) {
  if (typeof value !== 'number' || Number.isNaN(value)) fail('type error');
  if (Math.abs(value) > LIMIT) fail('out of range');
  return value;
}

function divided(left, right) {
  if (right === 0) fail('division by zero');
  return left / right;
}

function power(base, exponent) {
  if (base === 0 && exponent < 0) fail('division by zero');
  if (base < 0 && !Number.isInteger(exponent)) fail('out of range');
  return base ** exponent;
}

const OPERATIONS = new Map([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', divided],
  ['^', power],
]);

function apply(sign, left, right) {
  return real(OPERATIONS.get(sign)(real(left), real(right)));
}

class Parser {
  constructor(source, variables) {
    this.tokens = tokens(source);
    this.variables = variables;
    this.at = 0;
    this.depth = 0;
  }

  /** Evaluation is put off behind functions: a syntax error counts before any other. */
  value() {
    const tree = this.sum();
    if (this.at !== this.tokens.length) fail('syntax error');
    return tree();
  }

  take(signs) {
    const sign = this.tokens[this.at]?.sign;
    if (sign === undefined || !signs.includes(sign)) return '';
    this.at += 1;
    return sign;
  }

  chain(signs, next) {
    const first = next();
    const rest = [];
    for (let sign = this.take(signs); sign; sign = this.take(signs)) rest.push([sign, next()]);
    if (!rest.length) return first;
    return () => rest.reduce((left, [sign, right]) => apply(sign, left, right()), first());
  }

  sum() {
    return this.chain('+-', () => this.chain('*/', () => this.signed()));
  }

  signed() {
    let minus = false;
    while (this.take('-')) minus = !minus;
    const tree = this.power();
    return minus ? () => -real(tree()) : tree;
  }

  power() {
    const base = this.atom();
    if (!this.take('^')) return base;
    const exponent = this.deeper(() => this.signed());
    return () => apply('^', base(), exponent());
  }

  deeper(parse) {
    this.depth += 1;
    if (this.depth > DEEPEST) fail('syntax error');
    const tree = parse();
    this.depth -= 1;
    return tree;
  }

  atom() {
    if (this.take('(')) {
      const tree = this.deeper(() => this.sum());
      if (!this.take(')')) fail('syntax error');
      return tree;
    }
    const token = this.tokens[this.at];
    if (!token || token.sign) fail('syntax error');
    this.at += 1;
    return token.name ? () => this.lookUp(token.name) : () => real(Number(token.number));
  }

  lookUp(name) {
    let value = this.variables;
    for (const key of name.split('.')) {
      const mapping = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!mapping || !Object.hasOwn(value, key)) fail('unknown name');
      value = value[key];
    }
    return value;
  }
}

function shown(value) {
  if (typeof value === 'string') return value;
  const text = real(value).toFixed(6).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

function render(template, variables) {
  const parts = [];
  let position = 0;
  try {
    for (;;) {
      const start = template.indexOf('{{', position);
      if (start < 0) break;
      const end = template.indexOf('}}', start);
      if (end < 0) fail('syntax error');
      parts.push(template.slice(position, start));
      parts.push(shown(new Parser(template.slice(start + 2, end), variables).value()));
      position = end + 2;
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: false, error: error.message };
  }
  return { ok: true, text: parts.join('') + template.slice(position) };
}

module.exports = { render };
