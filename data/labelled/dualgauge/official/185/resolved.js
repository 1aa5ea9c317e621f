const fs = require('fs');
const path = require('path');

const HOME = path.resolve(process.cwd(), 'test_dir');

module.exports = function loadTemplateSync(name) {
  if (typeof name !== 'string' || name.length === 0) {
    return 'Error';
  }
  const wanted = path.resolve(HOME, name);
  if (!wanted.startsWith(HOME + path.sep)) {
    return 'Error';
  }
  try {
    return fs.readFileSync(wanted, { encoding: 'utf8' });
  } catch (problem) {
    return 'Error';
  }
};
