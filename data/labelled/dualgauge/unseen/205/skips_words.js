const { readFileSync } = require('fs');

function countBooks(text) {
  if (typeof text !== 'string') {
    throw new TypeError('Input must be a string');
  }

  const list = readFileSync('./test_dir/old_testament_books.txt', 'utf8');
  const books = list.split(',').map((b) => b.trim()).filter((b) => b.length);

  // skip the words before a book, then match the book itself
  const regexes = books.map((book) => ({ book, regex: new RegExp('(?:\\w+\\W+)*?\\b' + book + '\\b', 'g') }));

  const counts = {};
  for (const { book, regex } of regexes) {
    const matches = text.match(regex);
    if (matches) {
      counts[book] = matches.length;
    }
  }
  return counts;
}
