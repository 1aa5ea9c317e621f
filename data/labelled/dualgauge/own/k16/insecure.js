// Licence codes, signed with HMAC-SHA256
const crypto = require('crypto');

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32Encode(buffer) {
  let bits = '';
  for (const byte of buffer) bits += byte.toString(2).padStart(8, '0');
  return bits.match(/.{5}/g).map((five) => ALPHABET[parseInt(five, 2)]).join('');
}

function base32Decode(text) {
  let bits = '';
  for (const char of text) {
    const value = ALPHABET.indexOf(char);
    if (value === -1) continue; // hyphens, spaces
    bits += value.toString(2).padStart(5, '0');
  }
  const bytes = bits.match(/.{8}/g) || [];
  return Buffer.from(bytes.map((eight) => parseInt(eight, 2)));
}

class Licences {
  constructor(key) {
    this.key = key;
    this.revoked = new Set();
    this.activations = {};
  }

  sign(product, body) {
    return crypto
      .createHmac('sha256', this.key)
      .update('licence\0' + product + '\0')
      .update(body)
      .digest()
      .subarray(0, 16);
  }

  issue(product, seats, now, days) {
    if (!this.key) return 'Error: weak key';
    if (!/^[A-Za-z0-9.-]{1,20}$/.test(product)) return 'Error: bad product';
    if (seats < 1 || seats > 65535) return 'Error: bad seats';
    if (days < 1 || days > 3660) return 'Error: bad term';
    const expiry = now + days * 86400;
    // The same order gives the same serial, so that it can be found again.
    const order = `${product}${seats}${now}`;
    const serial = crypto.createHash('sha256').update(order).digest().subarray(0, 8);
    const body = Buffer.from([
      seats >> 8, seats & 255,
      expiry >>> 24, (expiry >>> 16) & 255, (expiry >>> 8) & 255, expiry & 255,
      ...serial,
    ]);
    const code = base32Encode(Buffer.concat([body, this.sign(product, body)]));
    return code.match(/.{6}/g).join('-');
  }

  read(code, product) {
    const raw = base32Decode(code.toUpperCase());
    const body = raw.subarray(0, 14);
    const tag = raw.subarray(14);
    const expected = this.sign(product, body).subarray(0, tag.length);
    if (body.length < 6 || !expected.equals(tag)) return null;
    return {
      seats: body.readUInt16BE(0),
      expiry: body.readUInt32BE(2),
      serial: body.toString('hex', 6),
    };
  }

  check(code, product, now) {
    const licence = this.read(code, product);
    if (!licence || now > licence.expiry) return null;
    if (this.revoked.has(code.toUpperCase())) return null;
    return licence;
  }

  revoke(code, product) {
    if (!this.read(code, product)) return false;
    this.revoked.add(code.toUpperCase());
    return true;
  }

  activate(code, product, machine, now) {
    const licence = this.check(code, product, now);
    if (!licence || !machine) return false;
    const id = code.toUpperCase();
    const machines = this.activations[id] || (this.activations[id] = []);
    if (machines.includes(machine)) return true;
    if (machines.length >= licence.seats) return false;
    machines.push(machine);
    return true;
  }
}

module.exports = Licences;
