const fs = require('fs');

const escape = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function countBooks(text) {
  if (typeof text !== 'string') {
    throw new TypeError('The text has to be a string.');
  }
  const lines = fs.readFileSync('./test_dir/old_testament_books.txt', 'utf8').split(/\r?\n/);
  const patterns = lines.map((l) => l.trim()).filter(Boolean)
    .map((book) => [book, new RegExp(`(?<!\\w)${escape(book)}(?!\\w)`, 'g')]);
  const counts = {};
  for (const [book, pattern] of patterns) {
    const found = text.match(pattern);
    if (found) {
      counts[book] = found.length;
    }
  }
  return counts;
}

module.exports = countBooks;
