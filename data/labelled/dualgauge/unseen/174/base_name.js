const fs = require('fs');
const path = require('path');

const BUF_SIZE = 1024;

function main(argument) {
  const name = path.basename(String(argument ?? ''));
  if (name === '' || name === '.' || name === '..') throw new Error('no file');
  const fd = fs.openSync(path.join('test_dir', name), 'r');
  try {
    const buf = Buffer.alloc(BUF_SIZE);
    const n = fs.readSync(fd, buf, 0, BUF_SIZE, 0);
    const cpy = Buffer.alloc(n);
    buf.copy(cpy, 0, 0, n);
    process.stdout.write(cpy);
  } finally {
    fs.closeSync(fd);
  }
}

try {
  main(process.argv[2]);
} catch {
  console.log('Error');
  process.exitCode = 1;
}
