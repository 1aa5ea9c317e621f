'use strict';
// Reads the form of a payment: every text is matched as a whole and turned into a value.

const TARIFFS = ['basic', 'family', 'premium', 'corporate'];
const LARGEST = 1000000000; // cents
const WRONG = Symbol('wrong');

function readDate(text) {
  const found = /^([0-9]{2})\.([0-9]{2})\.([0-9]{4})$/.exec(text);
  if (!found) return WRONG;
  const [day, month, year] = found.slice(1).map(Number);
  if (year < 1900 || year > 2100) return WRONG;
  const date = new Date(Date.UTC(year, month - 1, day));
  // A day that the month does not have moves the date into another month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return WRONG;
  return date.toISOString().slice(0, 10);
}

function readAmount(text) {
  const form = /^([0-9]{1,8}|[0-9]{1,3}(?:\.[0-9]{3}){1,2})(?:,([0-9]{2}))?$/;
  const found = form.exec(text);
  if (!found) return WRONG;
  const cents = Number(found[1].replaceAll('.', '')) * 100 + Number(found[2] ?? 0);
  return cents >= 1 && cents <= LARGEST ? cents : WRONG;
}

/** The remainder by 97, digit by digit: the whole number would not fit into a double. */
function remainder(characters) {
  let rest = 0;
  for (const character of characters) {
    const value = parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

function readIban(text) {
  const plain = text.replaceAll(' ', '');
  // Before capitals are made: other letters than A to Z may become some of these.
  if (!/^[A-Za-z]{2}[0-9]{2}[A-Za-z0-9]{11,30}$/.test(plain)) return WRONG;
  const iban = plain.toUpperCase();
  const check = Number(iban.slice(2, 4));
  if (check < 2 || check > 98) return WRONG;
  return remainder(iban.slice(4) + iban.slice(0, 4)) === 1 ? iban : WRONG;
}

function readTariff(text) {
  return /^[1-4]$/.test(text) ? TARIFFS[Number(text) - 1] : WRONG;
}

function readInstalments(text) {
  return /^(?:[1-9]|1[0-2])$/.test(text) ? Number(text) : WRONG;
}

function readReference(text) {
  if (text.length > 140) return WRONG;
  return text.split(/[ -]/).every((word) => /^[A-Z0-9]+$/.test(word)) ? text : WRONG;
}

const READERS = [
  ['date', readDate],
  ['amount', readAmount],
  ['iban', readIban],
  ['tariff', readTariff],
  ['instalments', readInstalments],
  ['reference', readReference],
];

function shares(cents, count) {
  const each = Math.floor(cents / count);
  const larger = cents % count;
  return Array.from({ length: count }, (_, i) => (i < larger ? each + 1 : each));
}

function parse_payment(form) {
  if (typeof form !== 'object' || form === null || Array.isArray(form)) {
    return { valid: false, errors: ['form'] };
  }
  const values = {};
  const errors = [];
  for (const [name, reader] of READERS) {
    const text = Object.hasOwn(form, name) ? form[name] : undefined;
    values[name] = typeof text === 'string' ? reader(text) : WRONG;
    if (values[name] === WRONG) errors.push(name);
  }
  if (errors.length > 0) return { valid: false, errors };
  values.instalments = shares(values.amount, values.instalments);
  return { valid: true, values };
}

module.exports = { parse_payment };
