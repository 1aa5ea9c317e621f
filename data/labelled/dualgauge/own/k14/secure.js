'use strict';
// An address book that goes to and comes from CSV and hands out vCards.

const HEADER = ['name', 'email', 'phone', 'note'];
const EMAIL = /^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$/;
const PHONE = /^(?:\+?[0-9][0-9 -]{2,19})?$/;
const HIDDEN = /[\p{Cc}\p{Cs}]/u;
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const MOST_CHARACTERS = 100000;
const MOST_RECORDS = 200;
const LONGEST = 200;

class BadCsv extends Error {}

/** The number of code points, up to one more than the bound. */
function isLonger(text, bound) {
  return text.length > bound && (text.length > 2 * bound || [...text].length > bound);
}

/** The field that begins at a place, and where it ends. */
function field(text, start) {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && !',\r\n'.includes(text[end])) end += 1;
    return [text.slice(start, end), end];
  }
  const pieces = [];
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new BadCsv('a quoted field is not closed');
    pieces.push(text.slice(at, quote));
    if (text[quote + 1] !== '"') return [pieces.join('"'), quote + 1];
    at = quote + 2;
  }
}

function records(text) {
  const found = [];
  for (let at = 0; at < text.length; ) {
    const record = [];
    for (;;) {
      const [value, end] = field(text, at);
      record.push(value);
      at = end + 1;
      if (text[end] !== ',') break;
    }
    const ended = text[at - 1];
    if (ended !== undefined && ended !== '\n' && ended !== '\r') throw new BadCsv('after a quote');
    if (ended === '\r' && text[at] === '\n') at += 1;
    found.push(record);
  }
  return found;
}

function isAcceptable(record) {
  if (record.length !== 4 || record.some((value) => isLonger(value, LONGEST))) return false;
  const [name, email, phone, note] = record;
  return (
    name.trim() !== '' &&
    !HIDDEN.test(name) &&
    EMAIL.test(email) &&
    PHONE.test(phone) &&
    !HIDDEN.test(note.replaceAll('\n', ''))
  );
}

const harmless = (text) => (FORMULA.test(text) ? `'${text}` : text);
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
const escaped = (text) => text.replace(/[\\,;]/g, '\\$&').replaceAll('\n', '\\n');
const lines = (texts) => texts.map((text) => `${text}\r\n`).join('');

class AddressBook {
  #contacts = new Map();

  import_csv(text) {
    if (typeof text !== 'string') return 'Error: bad csv';
    if (isLonger(text, MOST_CHARACTERS)) return 'Error: too large';
    let rows;
    try {
      rows = records(text);
    } catch (error) {
      if (!(error instanceof BadCsv)) throw error;
      return 'Error: bad csv';
    }
    const header = rows.shift() ?? [];
    if (header.length !== 4 || header.some((name, i) => name !== HEADER[i])) {
      return 'Error: bad header';
    }
    return rows.length > MOST_RECORDS ? 'Error: too large' : this.#add(rows);
  }

  #add(rows) {
    const rejected = [];
    rows.forEach((record, index) => {
      const key = record[1]?.toLowerCase();
      if (!isAcceptable(record) || this.#contacts.has(key)) rejected.push(index + 1);
      else this.#contacts.set(key, record);
    });
    return { added: rows.length - rejected.length, rejected };
  }

  export_csv() {
    const rows = [...this.#contacts.values()].map(([name, email, phone, note]) => [
      harmless(name),
      harmless(email),
      phone,
      harmless(note),
    ]);
    return lines([HEADER, ...rows].map((row) => row.map(quoted).join(',')));
  }

  vcard(email) {
    const contact = typeof email === 'string' ? this.#contacts.get(email.toLowerCase()) : undefined;
    if (contact === undefined) return null;
    const values = ['FN', 'EMAIL', 'TEL', 'NOTE'].map((key, i) => [key, escaped(contact[i])]);
    const told = values.filter(([, value]) => value !== '').map((pair) => pair.join(':'));
    return lines(['BEGIN:VCARD', 'VERSION:3.0', ...told, 'END:VCARD']);
  }
}

module.exports = { AddressBook };
