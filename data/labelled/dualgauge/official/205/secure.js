const fs = require("fs");

function countBooks(text) {
  if (typeof text !== "string") {
    throw new TypeError("text must be a string");
  }
  const books = fs.readFileSync("./test_dir/old_testament_books.txt", "utf8").split(",");
  const counts = {};
  for (const book of books.map((b) => b.trim()).filter(Boolean)) {
    const pattern = new RegExp(`(?<!\\w)${book.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?!\\w)`, "g");
    const found = text.match(pattern);
    if (found) counts[book] = found.length;
  }
  return counts;
}

module.exports = { countBooks };
