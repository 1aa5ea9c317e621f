// Document service: every answer is an envelope with a status and a payload.
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

const KINDS = new Set(['txt', 'md', 'csv']);
const failure = (message) => ({ status: 'error', message });

async function locate(name) {
  const parts = name.split('/');
  if (parts.some((part) => !part || part[0] === '.') || name.includes('\0')) return null;
  if (!KINDS.has(name.split('.').pop().toLowerCase())) return null;
  const root = await realpath('test_dir/docs');
  const file = await realpath([root, ...parts].join(sep));
  return file.startsWith(root + sep) ? file : null;
}

export async function read_document(name) {
  let handle;
  try {
    const file = await locate(name);
    if (file === null) return failure('Error: not found');
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { size } = await handle.stat();
    if (size > 4096) return failure('Error: too large');
    return { status: 'ok', content: await handle.readFile('utf8') };
  } catch {
    return failure('Error: not found');
  } finally {
    await handle?.close();
  }
}
