'use strict';
const { createHash } = require('crypto');

const REFUSAL = 'Error: Invalid input';
const usable = (text) => typeof text === 'string' && text.trim().length > 0;

const get_password_hash = (password, salt) => {
  if (![password, salt].every(usable)) {
    return REFUSAL;
  }
  return createHash('sha256').update(`${password}${salt}`, 'utf8').digest('hex');
};

module.exports = { get_password_hash };
