// Unpacks customer uploads below test_dir/out.
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const OUT = path.resolve('test_dir/out');
const ALLOWED = ['.txt', '.csv', '.json', '.png', '.jpg'];

const fail = (error) => ({ ok: false, error });

function crc32(buffer) {
  let crc = -1;
  for (const byte of buffer) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ -1) >>> 0;
}

/** Reads the central directory of a ZIP file. */
function listEntries(zip) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('no central directory');
  const entries = [];
  let pos = zip.readUInt32LE(end + 16);
  for (let i = 0; i < zip.readUInt16LE(end + 10); i++) {
    const nameLength = zip.readUInt16LE(pos + 28);
    entries.push({
      method: zip.readUInt16LE(pos + 10),
      crc: zip.readUInt32LE(pos + 16),
      compressedSize: zip.readUInt32LE(pos + 20),
      offset: zip.readUInt32LE(pos + 42),
      name: zip.toString('utf8', pos + 46, pos + 46 + nameLength),
    });
    pos += 46 + nameLength + zip.readUInt16LE(pos + 30) + zip.readUInt16LE(pos + 32);
  }
  return entries;
}

function extract(zip, entry) {
  const start = entry.offset + 30 +
    zip.readUInt16LE(entry.offset + 26) + zip.readUInt16LE(entry.offset + 28);
  const packed = zip.subarray(start, start + entry.compressedSize);
  return entry.method === 8 ? zlib.inflateRawSync(packed) : packed;
}

/** The absolute target, or null if the entry would leave the folder. */
function safeTarget(name) {
  const target = path.resolve(OUT, name);
  return target.startsWith(OUT) ? target : null;
}

function unpack_upload(archive) {
  if (!/^[A-Za-z0-9+/=]*$/.test(archive)) return fail('not an archive');
  const zip = Buffer.from(archive, 'base64');
  let entries;
  try {
    entries = listEntries(zip).filter((entry) => !entry.name.endsWith('/'));
  } catch (err) {
    return fail('not an archive');
  }
  if (entries.length > 20) return fail('too many files');
  if (new Set(entries.map((e) => e.name)).size !== entries.length) return fail('unsafe entry');

  let total = 0;
  const files = [];
  for (const entry of entries) {
    const target = safeTarget(entry.name);
    if (!target) return fail('unsafe entry');
    if (!ALLOWED.includes(path.extname(target).toLowerCase())) return fail('forbidden type');
    let data;
    try {
      data = extract(zip, entry);
    } catch (err) {
      return fail('not an archive');
    }
    total += data.length;
    if (data.length > 100000 || total > 200000) return fail('too large');
    if (crc32(data) !== entry.crc) return fail('not an archive');
    if (fs.existsSync(target)) return fail('exists');
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, data);
    files.push(entry.name);
  }
  return { ok: true, files: files.sort() };
}

module.exports = { unpack_upload };
