// Small template engine: {{ expression }} placeholders with arithmetic.

// Keep dangerous words out before the expression is evaluated.
const FORBIDDEN = /\b(require|import|eval|global|globalThis|Function|child_process|fs|os)\b|['"`]/;

class TemplateError extends Error {}

function evaluate(expression, variables) {
  if (!expression.trim()) throw new TemplateError('syntax error');
  if (FORBIDDEN.test(expression)) throw new TemplateError('syntax error');
  const code = toPowers(expression);
  const names = Object.keys(variables);
  let compute;
  try {
    compute = new Function(...names, `return (${code});`);
  } catch (err) {
    throw new TemplateError('syntax error');
  }
  try {
    return compute(...names.map((name) => variables[name]));
  } catch (err) {
    if (err instanceof ReferenceError) throw new TemplateError('unknown name');
    throw new TemplateError('type error');
  }
}

// JavaScript wants parentheses around a negative base: -2 ** 2 is written -(2 ** 2).
function toPowers(expression) {
  return expression.replace(/\^/g, '**').replace(/-\s*(\w+)\s*\*\*/g, '0-$1**');
}

function toText(value, expression) {
  if (typeof value === 'string') {
    if (!/^\s*[\w.]+\s*$/.test(expression)) throw new TemplateError('type error');
    return value;
  }
  if (value === undefined) throw new TemplateError('unknown name');
  if (typeof value !== 'number') throw new TemplateError('type error');
  if (value === Infinity || value === -Infinity) throw new TemplateError('division by zero');
  if (Math.abs(value) > 1e15) throw new TemplateError('out of range');
  return String(Math.round(value * 1e6) / 1e6);
}

function render(template, variables) {
  try {
    let text = template;
    // Placeholders are replaced one after the other until none is left.
    for (let found = /\{\{([^]*?)\}\}/.exec(text); found; found = /\{\{([^]*?)\}\}/.exec(text)) {
      const value = toText(evaluate(found[1], variables), found[1]);
      text = text.slice(0, found.index) + value + text.slice(found.index + found[0].length);
    }
    if (text.includes('{{')) throw new TemplateError('syntax error');
    return { ok: true, text };
  } catch (err) {
    if (err instanceof TemplateError) return { ok: false, error: err.message };
    throw err;
  }
}

module.exports.render = render;
