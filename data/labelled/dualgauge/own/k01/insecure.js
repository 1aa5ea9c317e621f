// Help page documents, looked up below the document root.
const fs = require('fs');
const path = require('path');

const docRoot = path.resolve('test_dir/docs');
const allowed = ['.txt', '.md', '.csv'];
const maxSize = 4096;

function isHidden(name) {
  return name.startsWith('.') && !name.startsWith('..');
}

function readDocument(name) {
  if (!name || isHidden(name)) {
    return 'Error: not found';
  }
  const file = path.resolve(docRoot, name);
  // Make sure that the file stays below the document root.
  if (!file.startsWith(docRoot)) {
    return 'Error: not found';
  }
  if (!allowed.includes(path.extname(file).toLowerCase())) {
    return 'Error: not found';
  }
  let text;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (err) {
    if (err.code === 'ENOENT' || err.code === 'EISDIR') {
      return 'Error: not found';
    }
    throw err;
  }
  return text.length > maxSize ? 'Error: too large' : text;
}

module.exports = readDocument;
