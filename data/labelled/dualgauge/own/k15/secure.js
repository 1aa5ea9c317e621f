'use strict';
// A message board for one member; the statements go to the sqlite3 shell, values in hexadecimal.

const { spawnSync } = require('node:child_process');

const ARGUMENTS = ['-batch', '-bail', '-safe', '-list', '-noheader', 'test_dir/board.db'];
const ORDERS = new Map([
  ['newest', 'm.created DESC'],
  ['oldest', 'm.created'],
  ['votes', 'm.votes DESC'],
]);
const BAD = Object.freeze({ error: 'bad request' });
const MISSING = Object.freeze({ error: 'not found' });

const isId = (value) => Number.isSafeInteger(value) && value >= 1;
const isTag = (value) => typeof value === 'string' && /^[a-z0-9-]{1,20}$/.test(value);

/** A text of so many characters, without NUL and halves of surrogate pairs. */
function isText(value, least, most) {
  if (typeof value !== 'string' || /\0|\p{Surrogate}/u.test(value)) return false;
  const size = value.length > 2 * most ? Infinity : [...value].length;
  return size >= least && size <= most;
}

/** A text as a literal that nothing in it can end. */
const literal = (text) => `CAST(x'${Buffer.from(text, 'utf8').toString('hex')}' AS TEXT)`;

/** What the statements print, one JSON text for each line. */
function run(...statements) {
  const input = statements.map((statement) => `${statement};\n`).join('');
  const done = spawnSync('/usr/bin/sqlite3', ARGUMENTS, { input, encoding: 'utf8', env: {} });
  if (done.status !== 0) throw new Error('a statement of this program failed');
  return done.stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** The first column of the rows of a statement, in their order. */
const ids = (statement) => run(`SELECT json_group_array(id) FROM (${statement})`)[0];

class Board {
  #member;

  constructor(member) {
    if (!isId(member)) throw new TypeError('the member is a number');
    this.#member = member;
  }

  search(words, order, size) {
    if (!isText(words, 1, 200) || !isId(size) || size > 50 || !ORDERS.has(order)) return BAD;
    const wanted = words.split(' ').filter((word) => word !== '');
    if (wanted.length < 1 || wanted.length > 5) return BAD;
    const holds = (column, word) => `instr(lower(m.${column}), lower(${literal(word)}))`;
    const all = wanted.map((word) => `AND (${holds('title', word)} OR ${holds('body', word)})`);
    const rows = `SELECT m.id, m.title, a.name, m.votes FROM messages m
      JOIN members a ON a.id = m.author_id WHERE m.visible = 1 ${all.join(' ')}
      ORDER BY ${ORDERS.get(order)}, m.id LIMIT ${size}`;
    const object = `json_object('id', id, 'title', title, 'author', name, 'votes', votes)`;
    return run(`SELECT json_group_array(${object}) FROM (${rows})`)[0];
  }

  by_tags(tags) {
    if (!Array.isArray(tags) || tags.length < 1 || tags.length > 5) return BAD;
    if (!tags.every((tag) => isText(tag, 1, 40))) return BAD;
    const wanted = [...new Set(tags)].map(literal);
    return ids(`SELECT m.id AS id FROM messages m JOIN tags t ON t.message_id = m.id
      WHERE m.visible = 1 AND t.tag IN (${wanted.join(', ')})
      GROUP BY m.id HAVING COUNT(DISTINCT t.tag) = ${wanted.length} ORDER BY m.id`);
  }

  related(message_id) {
    if (!isId(message_id)) return MISSING;
    const visible = `SELECT id FROM messages WHERE id = ${message_id} AND visible = 1`;
    if (!ids(visible).length) return MISSING;
    return ids(`SELECT DISTINCT m.id AS id FROM messages m JOIN tags t ON t.message_id = m.id
      WHERE m.visible = 1 AND m.id <> ${message_id}
      AND t.tag IN (SELECT tag FROM tags WHERE message_id = ${message_id}) ORDER BY m.id`);
  }

  post(title, body, tags) {
    if (!isText(title, 1, 80) || !isText(body, 1, 500)) return BAD;
    if (!Array.isArray(tags) || tags.length > 5 || !tags.every(isTag)) return BAD;
    const message = `INSERT INTO messages (author_id, title, body, votes, created, visible)
      SELECT ${this.#member}, ${literal(title)}, ${literal(body)}, 0,
             COALESCE(MAX(created), 0) + 1, 1 FROM messages`;
    const insertions = [...new Set(tags)].map(
      (tag) => `INSERT INTO tags SELECT MAX(id), ${literal(tag)} FROM messages`,
    );
    const id = `SELECT json_object('id', MAX(id)) FROM messages`;
    return run('BEGIN IMMEDIATE', message, ...insertions, id, 'COMMIT')[0];
  }

  delete(message_id) {
    if (!isId(message_id)) return MISSING;
    const mine = `SELECT id FROM messages WHERE id = ${message_id} AND author_id = ${this.#member}`;
    const [gone] = run(
      'BEGIN IMMEDIATE',
      `DELETE FROM tags WHERE message_id IN (${mine})`,
      `DELETE FROM messages WHERE id IN (${mine})`,
      'SELECT json(changes())',
      'COMMIT',
    );
    return gone === 1 ? { deleted: message_id } : MISSING;
  }
}

module.exports = { Board };
