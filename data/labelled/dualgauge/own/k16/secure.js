'use strict';
// Licence codes: seats, expiry and a random serial under the first half of an HMAC-SHA-256.

const crypto = require('node:crypto');

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LATEST = 2 ** 32 - 1;
const BODY = 14;
const CODE = 30;

const characters = (text) => [...text].length;
const isProduct = (value) => typeof value === 'string' && /^[A-Za-z0-9.-]{1,20}$/.test(value);
const isWhole = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;

/** 5 bits to a character, the most significant first; 30 bytes leave no rest. */
function encode(bytes) {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31];
  }
  return text;
}

function decode(text) {
  const bytes = Buffer.alloc(CODE);
  let bits = 0;
  let held = 0;
  let size = 0;
  for (const character of text) {
    held = ((held << 5) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[size++] = (held >> bits) & 255;
    }
  }
  return bytes;
}

class Licences {
  #key;
  #revoked = new Set();
  #machines = new Map();

  constructor(key) {
    const strong = typeof key === 'string' && characters(key) >= 32;
    this.#key = strong ? Buffer.from(key, 'utf8') : null;
  }

  #tag(product, body) {
    const mac = crypto.createHmac('sha256', this.#key);
    return mac.update(`licence\0${product}\0`).update(body).digest().subarray(0, CODE - BODY);
  }

  issue(product, seats, now, days) {
    if (this.#key === null) return 'Error: weak key';
    if (!isProduct(product)) return 'Error: bad product';
    if (!isWhole(seats, 1, 65535)) return 'Error: bad seats';
    if (!isWhole(days, 1, 3660) || !isWhole(now, 0, LATEST - days * 86400)) {
      return 'Error: bad term';
    }
    const body = Buffer.alloc(BODY);
    body.writeUInt16BE(seats, 0);
    body.writeUInt32BE(now + days * 86400, 2);
    crypto.randomFillSync(body, 6, 8);
    const text = encode(Buffer.concat([body, this.#tag(product, body)]));
    return text.match(/.{6}/g).join('-');
  }

  /** The fields of a genuine code, or null. */
  #open(code, product) {
    if (this.#key === null || typeof code !== 'string') return null;
    const typed = code.replace(/[- ]/g, '');
    // Judged before capitals are made: other letters may become A to Z, too.
    if (!/^[A-Za-z2-7]{48}$/.test(typed) || !isProduct(product)) return null;
    const bytes = decode(typed.toUpperCase());
    const body = bytes.subarray(0, BODY);
    if (!crypto.timingSafeEqual(bytes.subarray(BODY), this.#tag(product, body))) return null;
    return {
      seats: body.readUInt16BE(0),
      expiry: body.readUInt32BE(2),
      serial: body.subarray(6).toString('hex'),
    };
  }

  check(code, product, now) {
    const found = this.#open(code, product);
    if (found === null || this.#revoked.has(found.serial)) return null;
    return Number.isInteger(now) && now < found.expiry ? found : null;
  }

  revoke(code, product) {
    const found = this.#open(code, product);
    if (found !== null) this.#revoked.add(found.serial);
    return found !== null;
  }

  activate(code, product, machine, now) {
    const found = this.check(code, product, now);
    if (found === null || typeof machine !== 'string' || machine.length > 128) return false;
    if (characters(machine) < 1 || characters(machine) > 64) return false;
    const machines = this.#machines.get(found.serial) ?? new Set();
    if (!machines.has(machine) && machines.size >= found.seats) return false;
    this.#machines.set(found.serial, machines.add(machine));
    return true;
  }
}

module.exports = { Licences };
