'use strict';
// Strict reader of payment forms, character by character; the larger instalments come last.

const FIELDS = ['date', 'amount', 'iban', 'tariff', 'instalments', 'reference'];
const TARIFFS = new Map([['1', 'basic'], ['2', 'family'], ['3', 'premium'], ['4', 'corporate']]);
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isDigit = (c) => c >= '0' && c <= '9';
const isLetter = (c) => c >= 'A' && c <= 'Z';
const isSmall = (c) => c >= 'a' && c <= 'z';

/** The value of ASCII digits, or undefined; `size` is how many there have to be. */
function digits(text, size) {
  const enough = size === undefined ? text.length >= 1 && text.length <= 8 : text.length === size;
  if (!enough || ![...text].every(isDigit)) return undefined;
  return Number(text);
}

function dateOf(text) {
  const parts = text.split('.');
  if (parts.length !== 3) return undefined;
  const [day, month, year] = [digits(parts[0], 2), digits(parts[1], 2), digits(parts[2], 4)];
  if (!day || !month || !year || month > 12 || year < 1900 || year > 2100) return undefined;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && leap ? 29 : DAYS[month - 1];
  return day <= last ? `${parts[2]}-${parts[1]}-${parts[0]}` : undefined;
}

function centsOf(text) {
  const comma = text.indexOf(',');
  const whole = comma < 0 ? text : text.slice(0, comma);
  const cents = comma < 0 ? 0 : digits(text.slice(comma + 1), 2);
  const groups = whole.split('.');
  const grouped = groups.length > 1;
  if (grouped && (groups[0].length > 3 || groups.slice(1).some((g) => g.length !== 3))) {
    return undefined;
  }
  if (grouped && groups[0] === '') return undefined;
  const euros = digits(groups.join(''));
  if (euros === undefined || cents === undefined) return undefined;
  const all = euros * 100 + cents;
  return all > 0 && all <= 1e9 ? all : undefined;
}

function ibanOf(text) {
  const plain = [...text].filter((c) => c !== ' ');
  if (!plain.every((c) => isDigit(c) || isLetter(c) || isSmall(c))) return undefined;
  const iban = plain.join('').toUpperCase();
  if (iban.length < 15 || iban.length > 34 || ![...iban.slice(0, 2)].every(isLetter)) {
    return undefined;
  }
  const check = digits(iban.slice(2, 4), 2);
  if (check === undefined || check < 2 || check > 98) return undefined;
  const coded = [...iban.slice(4), ...iban.slice(0, 4)].map((c) => String(parseInt(c, 36)));
  return BigInt(coded.join('')) % 97n === 1n ? iban : undefined;
}

function countOf(text) {
  const count = text.startsWith('0') ? undefined : digits(text);
  return count !== undefined && count <= 12 ? count : undefined;
}

function referenceOf(text) {
  if (text.length > 140) return undefined;
  let before = ' ';
  for (const c of text) {
    const between = c === ' ' || c === '-';
    if (!between && !isDigit(c) && !isLetter(c)) return undefined;
    if (between && (before === ' ' || before === '-')) return undefined;
    before = c;
  }
  return before === ' ' || before === '-' ? undefined : text;
}

const READERS = [dateOf, centsOf, ibanOf, (t) => TARIFFS.get(t), countOf, referenceOf];

function parse_payment(form) {
  const given = Object.prototype.toString.call(form) === '[object Object]' ? form : null;
  if (given === null) return { valid: false, errors: ['form'] };
  const read = FIELDS.map((name, i) => {
    const text = Object.hasOwn(given, name) ? given[name] : undefined;
    return typeof text === 'string' ? READERS[i](text) : undefined;
  });
  const errors = FIELDS.filter((_, i) => read[i] === undefined);
  if (errors.length) return { valid: false, errors };
  const [date, amount, iban, tariff, count, reference] = read;
  const each = (amount - (amount % count)) / count;
  const instalments = new Array(count).fill(each).map((sum, i) => (
    i >= count - (amount % count) ? sum + 1 : sum
  ));
  return { valid: true, values: { date, amount, iban, tariff, instalments, reference } };
}

module.exports = { parse_payment };
