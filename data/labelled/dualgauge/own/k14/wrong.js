// A strict address book that guards phone numbers too and puts the note before the number.

const TITLES = ['name', 'email', 'phone', 'note'];
const ADDRESS = /^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$/;
const NUMBER = /^\+?[0-9][0-9 -]{2,19}$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]|\p{Cs}/u;
const ESCAPES = { '\\': '\\\\', ',': '\\,', ';': '\\;', '\n': '\\n' };

/** A state machine over the characters; null for what is not CSV. */
function readCsv(text) {
  const rows = [];
  let row = [];
  let cell = '';
  let state = 'start'; // start, plain, quoted, closed
  const endCell = () => {
    row.push(cell);
    cell = '';
    state = 'start';
  };
  const endRow = () => {
    endCell();
    rows.push(row);
    row = [];
  };
  for (const c of text.replaceAll('\r\n', '\n')) {
    if (state === 'quoted') {
      if (c === '"') state = 'closed';
      else cell += c;
    } else if (state === 'closed' && c === '"') {
      cell += c;
      state = 'quoted';
    } else if (c === ',') {
      endCell();
    } else if (c === '\n') {
      endRow();
    } else if (state === 'closed') {
      return null;
    } else if (state === 'start' && c === '"') {
      state = 'quoted';
    } else {
      cell += c;
      state = 'plain';
    }
  }
  if (state === 'quoted') return null;
  if (state !== 'start' || row.length) endRow();
  return rows;
}

function guard(cell) {
  const first = cell.trimStart().charAt(0) || ' ';
  return '=+-@\uff1d\uff0b\uff0d\uff20'.includes(first) ? `'${cell}` : cell;
}

class AddressBook {
  constructor() {
    this.people = [];
  }

  find(email) {
    if (typeof email !== 'string') return undefined;
    return this.people.find((person) => person[1].toLowerCase() === email.toLowerCase());
  }

  takes(row) {
    if (row.length !== 4 || row.some((cell) => [...cell].length > 200)) return false;
    const [name, email, phone, note] = row;
    if (!/\S/.test(name) || CONTROL.test(name)) return false;
    if (CONTROL.test(note.replace(/\n/g, ''))) return false;
    return ADDRESS.test(email) && (!phone || NUMBER.test(phone)) && !this.find(email);
  }

  import_csv(text) {
    if (typeof text !== 'string') return 'Error: bad csv';
    if ([...text].length > 100000) return 'Error: too large';
    const rows = readCsv(text);
    if (rows === null) return 'Error: bad csv';
    if (JSON.stringify(rows[0]) !== JSON.stringify(TITLES)) return 'Error: bad header';
    if (rows.length > 201) return 'Error: too large';
    const answer = { added: 0, rejected: [] };
    for (const [number, row] of rows.entries()) {
      if (number === 0) continue;
      if (this.takes(row)) answer.added = this.people.push(row) && answer.added + 1;
      else answer.rejected.push(number);
    }
    return answer;
  }

  export_csv() {
    const cell = (value) => `"${guard(value).split('"').join('""')}"`;
    return [TITLES, ...this.people].map((row) => `${row.map(cell)}\r\n`).join('');
  }

  vcard(email) {
    const person = this.find(email);
    if (!person) return null;
    const escaped = person.map((value) => value.replace(/[\\,;\n]/g, (c) => ESCAPES[c]));
    const [name, address, phone, note] = escaped;
    const lines = ['BEGIN:VCARD', 'VERSION:3.0', `FN:${name}`, `EMAIL:${address}`];
    if (note) lines.push(`NOTE:${note}`);
    if (phone) lines.push(`TEL:${phone}`);
    return [...lines, 'END:VCARD', ''].join('\r\n');
  }
}

module.exports = AddressBook;
