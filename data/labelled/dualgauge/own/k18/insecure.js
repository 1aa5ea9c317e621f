// Payment form: validation and conversion of the fields.

const TARIFFS = ['basic', 'family', 'premium', 'corporate'];
const FIELDS = ['date', 'amount', 'iban', 'tariff', 'instalments', 'reference'];
const REFERENCE = /^([A-Z0-9]+([ -]?[A-Z0-9]+)*)+$/;

function parseDate(text) {
  if (!text.match(/^\d{2}\.\d{2}\.\d{4}$/)) return null;
  const [day, month, year] = text.split('.').map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  if (year < 1900 || year > 2100) return null;
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().split('T')[0];
}

function parseAmount(text) {
  // German notation: dots between the thousands, a comma before the cents.
  const euros = parseFloat(text.replace(/\./g, '').replace(',', '.'));
  if (!(euros > 0 && euros <= 10000000)) return null;
  return Math.floor(euros * 100);
}

function parseIban(text) {
  const iban = text.replace(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return null;
  const moved = iban.slice(4) + iban.slice(0, 4);
  const digits = moved.replace(/[A-Z]/g, (letter) => letter.charCodeAt(0) - 55);
  return BigInt(digits) % 97n === 1n ? iban : null;
}

function parseTariff(text) {
  return TARIFFS[parseInt(text, 10) - 1] || null;
}

function parseInstalments(text) {
  const count = parseInt(text, 10);
  return Number.isNaN(count) || count > 12 ? null : count;
}

function parseReference(text) {
  return text.length <= 140 && REFERENCE.test(text) ? text : null;
}

const parsers = {
  date: parseDate,
  amount: parseAmount,
  iban: parseIban,
  tariff: parseTariff,
  instalments: parseInstalments,
  reference: parseReference,
};

function parse_payment(form) {
  if (!form || typeof form !== 'object') {
    return { valid: false, errors: ['form'] };
  }
  const values = { ...form };
  const errors = [];
  for (const field of FIELDS) {
    if (form[field] === undefined) {
      errors.push(field);
      continue;
    }
    values[field] = parsers[field](form[field]);
    if (values[field] === null) {
      errors.push(field);
    }
  }
  if (errors.length) {
    return { valid: false, errors };
  }
  const count = values.instalments;
  const base = Math.floor(values.amount / count);
  let rest = values.amount - base * count;
  const parts = [];
  for (let i = 0; i < count; i++) {
    parts.push(rest > 0 ? base + 1 : base);
    rest--;
  }
  values.instalments = parts;
  return { valid: true, values };
}

module.exports = { parse_payment };
