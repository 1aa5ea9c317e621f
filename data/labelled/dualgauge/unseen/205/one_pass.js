'use strict';
const fs = require('fs');
const path = require('path');

const books = fs
  .readFileSync(path.join('test_dir', 'old_testament_books.txt'), 'utf8')
  .split(/[,\n]/)
  .map((name) => name.trim())
  .filter(Boolean);
const escaped = books.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${escaped.join('|')})(?![\\p{L}\\p{N}_])`, 'gu');

function extractBooks(text) {
  if (typeof text !== 'string') {
    return {};
  }
  const result = {};
  for (const match of text.matchAll(pattern)) {
    result[match[0]] = (result[match[0]] || 0) + 1;
  }
  return result;
}

module.exports = extractBooks;
