// Validates one registration request from standard input.
const fs = require('fs');

const reserved = ['admin', 'root', 'system', 'support'];

function isValidUsername(username) {
  return /^[\p{L}][\p{L}\p{N}_]{2,19}$/u.test(username) && !reserved.includes(username);
}

function isValidEmail(email) {
  if (email.length > 254 || email.split('@')[0].length > 64) return false;
  return /^([A-Za-z0-9_%+-]+[.]?)+@([A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}$/.test(email);
}

function isValidPassword(password, username) {
  if (password.length < 12 || password.length > 128) return false;
  if (!/[a-z]/.test(password) || !/[A-Z]/.test(password) || !/\p{N}/u.test(password)) return false;
  if (username && password.includes(username)) return false;
  const common = fs.readFileSync('test_dir/common-passwords.txt', 'utf8').split('\n');
  return !common.includes(password);
}

function isValidDisplayName(name) {
  return name.trim().length > 0 && name.length <= 50 && !/[\r\n\t]/.test(name);
}

function escapeHtml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

const text = (value) => (typeof value === 'string' ? value : '');

process.stdin.setEncoding('utf8');
let input = '';
process.stdin.on('data', (chunk) => { input += chunk; });
process.stdin.on('end', () => {
  let data = null;
  try {
    data = JSON.parse(input);
  } catch (err) {
    // answered below
  }
  const errors = [];
  let greeting = '';
  if (data === null || typeof data !== 'object' || Array.isArray(data)) {
    errors.push('request');
    data = {};
  } else {
    if (!isValidUsername(text(data.username))) errors.push('username');
    if (!isValidEmail(text(data.email))) errors.push('email');
    if (!isValidPassword(text(data.password), text(data.username))) errors.push('password');
    if (!isValidDisplayName(text(data.display_name))) errors.push('display_name');
  }
  const valid = errors.length === 0;
  if (valid) {
    const name = escapeHtml(data.display_name);
    greeting = `<p title="${name}">Welcome, ${name}</p>`;
  }
  const user = text(data.username).replace(/\n/g, ' ') || '-';
  fs.appendFileSync('test_dir/audit.log', `registration ${valid ? 'ok' : 'refused'} user=${user}\n`);
  console.log(JSON.stringify({ valid, errors, greeting }));
});
