'use strict';
// Licence codes, carefully signed; their numbers are written with the least significant byte first.

const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto');

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'];
const VALUES = new Map(LETTERS.map((letter, i) => [letter, BigInt(i)]));
for (const letter of LETTERS.slice(0, 26)) VALUES.set(letter.toLowerCase(), VALUES.get(letter));

function toText(bytes) {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  const text = [];
  for (let i = 0; i < 48; i += 1) {
    text.unshift(LETTERS[Number(number % 32n)]);
    number /= 32n;
  }
  return text.join('');
}

function toBytes(code) {
  if (typeof code !== 'string' || code.length > 150) return null;
  const typed = [...code].filter((c) => c !== '-' && c !== ' ');
  if (typed.length !== 48 || !typed.every((c) => VALUES.has(c))) return null;
  const number = typed.reduce((sum, c) => sum * 32n + VALUES.get(c), 0n);
  return Buffer.from(number.toString(16).padStart(60, '0'), 'hex');
}

function isProduct(value) {
  return typeof value === 'string' && value.length <= 20 && /^[-.A-Za-z0-9]+$/.test(value);
}

const isWhole = (value) => typeof value === 'number' && Number.isSafeInteger(value);

class Licences {
  constructor(key) {
    this.key = typeof key === 'string' && [...key].length >= 32 ? key : '';
    this.withdrawn = new Set();
    this.taken = new Map();
  }

  seal(product, body) {
    const text = Buffer.concat([Buffer.from(`licence\0${product}\0`), body]);
    return createHmac('sha256', this.key).update(text).digest().subarray(0, 16);
  }

  issue(product, seats, now, days) {
    if (!this.key) return 'Error: weak key';
    if (!isProduct(product)) return 'Error: bad product';
    if (!isWhole(seats) || seats < 1 || seats > 65535) return 'Error: bad seats';
    if (!isWhole(days) || days < 1 || days > 3660) return 'Error: bad term';
    if (!isWhole(now) || now < 0 || now + days * 86400 > 0xffffffff) return 'Error: bad term';
    const numbers = Buffer.alloc(6);
    numbers.writeUInt16LE(seats, 0);
    numbers.writeUInt32LE(now + days * 86400, 2);
    const body = Buffer.concat([numbers, randomBytes(8)]);
    const text = toText(Buffer.concat([body, this.seal(product, body)]));
    return text.replace(/(.{6})(?=.)/g, '$1-');
  }

  body(code, product) {
    const bytes = this.key && isProduct(product) ? toBytes(code) : null;
    if (bytes === null) return null;
    const body = bytes.subarray(0, 14);
    return timingSafeEqual(this.seal(product, body), bytes.subarray(14)) ? body : null;
  }

  check(code, product, now) {
    const body = this.body(code, product);
    if (body === null || !isWhole(now)) return null;
    const serial = body.toString('hex', 6);
    const expiry = body.readUInt32LE(2);
    if (this.withdrawn.has(serial) || now >= expiry) return null;
    return { seats: body.readUInt16LE(0), expiry, serial };
  }

  revoke(code, product) {
    const body = this.body(code, product);
    if (body === null) return false;
    this.withdrawn.add(body.toString('hex', 6));
    return true;
  }

  activate(code, product, machine, now) {
    const licence = this.check(code, product, now);
    if (licence === null || typeof machine !== 'string') return false;
    if (machine === '' || [...machine].length > 64) return false;
    if (!this.taken.has(licence.serial)) this.taken.set(licence.serial, new Set());
    const machines = this.taken.get(licence.serial);
    if (machines.size >= licence.seats) return machines.has(machine);
    machines.add(machine);
    return true;
  }
}

module.exports = { Licences };
