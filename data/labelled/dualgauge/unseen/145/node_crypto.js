const crypto = require('node:crypto');

const CIPHERS = new Map([[16, 'aes-128-cbc'], [24, 'aes-192-cbc'], [32, 'aes-256-cbc']]);

function getEncryption(key, message, iv) {
  const secret = Buffer.from(key, 'utf8');
  const start = Buffer.from(iv, 'utf8');
  const name = CIPHERS.get(secret.length);
  if (name === undefined) throw new RangeError('Unsupported key length');
  if (start.length !== 16) throw new RangeError('Unsupported IV length');
  const cipher = crypto.createCipheriv(name, secret, start);
  return Buffer.concat([start, cipher.update(message, 'utf8'), cipher.final()]).toString('hex');
}

module.exports = { getEncryption };
