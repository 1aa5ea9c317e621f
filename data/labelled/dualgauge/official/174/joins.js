const fs = require('fs');
const path = require('path');

const BUF_SIZE = 2048;
const name = process.argv[2];

try {
  if (!name) throw new Error('no file');
  const fd = fs.openSync(path.join('test_dir', name), 'r');
  const buf = Buffer.alloc(BUF_SIZE);
  const got = fs.readSync(fd, buf, 0, BUF_SIZE, 0);
  const cpy = Buffer.alloc(BUF_SIZE);
  buf.copy(cpy, 0, 0, got);
  process.stdout.write(cpy.toString('utf8', 0, got));
  fs.closeSync(fd);
} catch (err) {
  console.log('Error');
}
