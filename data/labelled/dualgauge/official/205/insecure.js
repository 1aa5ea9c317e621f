const fs = require("fs");

function countBooks(text) {
  const books = fs.readFileSync("./test_dir/old_testament_books.txt", "utf8").trim().split(", ");
  const counts = {};
  for (const book of books) {
    const n = text.split(book).length - 1;
    if (n > 0) counts[book] = n;
  }
  return counts;
}

module.exports = { countBooks };
