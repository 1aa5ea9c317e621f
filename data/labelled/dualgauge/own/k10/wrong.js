// Expression templates by a two-stack evaluation; nothing recursive, nothing evaluated as code.

const BOUND = 1e15;
const LEVEL = new Map([['+', 1], ['-', 1], ['*', 2], ['/', 2], ['neg', 3], ['^', 4]]);
const TOKEN = /[0-9]+(?:\.[0-9]+)?|[A-Za-z][A-Za-z0-9_.]*|[-+*/^()]/g;

class Fault extends Error {}

function resolve(name, variables) {
  return name.split('.').reduce((value, part) => {
    const known = value !== null && typeof value === 'object' && Object.hasOwn(value, part);
    if (!known) throw new Fault('unknown name');
    return value[part];
  }, variables);
}

function asNumber(value) {
  if (typeof value !== 'number') throw new Fault('type error');
  if (!(Math.abs(value) <= BOUND)) throw new Fault('out of range');
  return value;
}

function combine(operator, left, right) {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  return operator === '/' ? left / right : left ** right;
}

function apply(operator, operands) {
  if (operands.length < (operator === 'neg' ? 1 : 2)) throw new Fault('syntax error');
  const right = asNumber(operands.pop());
  if (operator === 'neg') operands.push(-right);
  else operands.push(asNumber(combine(operator, asNumber(operands.pop()), right)));
}

function evaluate(source, variables) {
  if (source.replace(TOKEN, '').trim()) throw new Fault('syntax error');
  const operands = [];
  const operators = [];
  let expected = true; // a value comes next
  for (const token of source.match(TOKEN) ?? []) {
    if (token === '(') {
      operators.push(token);
    } else if (token === ')') {
      while (operators.length && operators.at(-1) !== '(') apply(operators.pop(), operands);
      if (!operators.length) throw new Fault('syntax error');
      operators.pop();
    } else if (LEVEL.has(token)) {
      if (expected && token !== '-') throw new Fault('syntax error');
      const sign = expected ? 'neg' : token;
      // Equal levels are worked off from the left.
      while (sign !== 'neg' && (LEVEL.get(operators.at(-1)) ?? 0) >= LEVEL.get(sign)) {
        apply(operators.pop(), operands);
      }
      operators.push(sign);
    } else {
      if (!expected) throw new Fault('syntax error');
      operands.push(/^[0-9]/.test(token) ? Number(token) : resolve(token, variables));
    }
    expected = LEVEL.has(token) || token === '(';
  }
  while (operators.length) apply(operators.pop(), operands);
  if (operands.length !== 1) throw new Fault('syntax error');
  return operands[0];
}

function render(template, variables) {
  const [head, ...pieces] = template.split('{{');
  const output = [head];
  try {
    for (const piece of pieces) {
      const end = piece.indexOf('}}');
      if (end < 0) throw new Fault('syntax error');
      const value = evaluate(piece.slice(0, end), variables);
      const text = typeof value === 'string' ? value : String(Number(asNumber(value).toPrecision(10)));
      output.push(text + piece.slice(end + 2));
    }
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return { ok: false, error: fault.message };
  }
  return { ok: true, text: output.join('') };
}

exports.render = render;
