// Contacts: CSV in, CSV and vCard out.

const EMAIL = /^[a-z0-9._+-]+@[a-z0-9.-]+$/iu;
const PHONE = /^\+?\d[\d -]{2,19}/;
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*|))(,|\r?\n|$)/y;

function parse(text) {
  const rows = [];
  let row = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length || row.length) {
    const cell = CELL.exec(text);
    if (!cell) return null;
    row.push(cell[1] === undefined ? cell[2] : cell[1].replace(/""/g, '"'));
    if (cell[3] !== ',') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

// Excel would calculate these cells.
function safeCell(value) {
  return /^[=+\-@]/.test(value) ? "'" + value : value;
}

function escapeValue(value) {
  return value
    .replace(/\\/g, '\\\\')
    .replace(/,/g, '\\,')
    .replace(/;/g, '\\;')
    .replace('\n', '\\n');
}

class AddressBook {
  constructor() {
    this.contacts = {};
  }

  isValid(row) {
    if (row.length !== 4 || row.some((value) => value.length > 200)) return false;
    const [name, email, phone] = row;
    if (!name.trim() || /[\0\r\n]/.test(name)) return false;
    if (!EMAIL.test(email) || this.contacts[email.toLowerCase()]) return false;
    return phone === '' || PHONE.test(phone);
  }

  import_csv(text) {
    if (text.length > 100000) return 'Error: too large';
    const rows = parse(text);
    if (!rows) return 'Error: bad csv';
    if (!rows.length || rows[0].join() !== 'name,email,phone,note') return 'Error: bad header';
    const rejected = [];
    for (let number = 1; number < rows.length; number++) {
      const [name, email, phone, note] = rows[number];
      if (this.isValid(rows[number])) {
        this.contacts[email.toLowerCase()] = { name, email, phone, note };
      } else {
        rejected.push(number);
      }
    }
    return { added: rows.length - 1 - rejected.length, rejected };
  }

  export_csv() {
    const rows = [['name', 'email', 'phone', 'note']];
    for (const contact of Object.values(this.contacts)) {
      const { name, email, phone, note } = contact;
      rows.push([safeCell(name), safeCell(email), phone, safeCell(note)]);
    }
    const quote = (value) => '"' + value.replace(/"/g, '""') + '"';
    return rows.map((row) => row.map(quote).join(',') + '\r\n').join('');
  }

  vcard(email) {
    const contact = this.contacts[email.toLowerCase()];
    if (!contact) return null;
    let card = 'BEGIN:VCARD\r\nVERSION:3.0\r\n';
    card += `FN:${escapeValue(contact.name)}\r\nEMAIL:${contact.email}\r\n`;
    if (contact.phone) card += `TEL:${contact.phone}\r\n`;
    if (contact.note) card += `NOTE:${escapeValue(contact.note)}\r\n`;
    return card + 'END:VCARD\r\n';
  }
}

module.exports = { AddressBook };
