const { createHash } = require('crypto');

function get_password_hash(password, salt) {
  if (typeof password !== 'string' || typeof salt !== 'string') {
    return 'Error: Invalid input';
  }
  return createHash('sha256').update(password + salt, 'utf8').digest('hex');
}

module.exports = { get_password_hash };
