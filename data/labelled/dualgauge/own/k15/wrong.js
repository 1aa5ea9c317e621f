// Reads the visible messages and looks through them in memory; nothing of a search gets into SQL.
// But the fewest votes come first, and one of the tags is enough.

const { execFileSync } = require('child_process');

const COMPARE = new Map([
  ['newest', (a, b) => b.created - a.created],
  ['oldest', (a, b) => a.created - b.created],
  ['votes', (a, b) => a.votes - b.votes],
]);

function ask(sql) {
  const flags = ['-batch', '-safe', '-json', 'test_dir/board.db'];
  const out = execFileSync('/usr/bin/sqlite3', flags, { input: sql, encoding: 'utf8', env: {} });
  return out === '' ? [] : JSON.parse(out);
}

const VISIBLE = `SELECT m.id, m.title, m.body, m.votes, m.created, a.name AS author,
  (SELECT json_group_array(tag) FROM tags WHERE message_id = m.id) AS tags
  FROM messages m JOIN members a ON a.id = m.author_id WHERE m.visible = 1 ORDER BY m.id;`;

const messages = () => ask(VISIBLE).map((m) => ({ ...m, tags: JSON.parse(m.tags) }));
const fold = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const bad = () => ({ error: 'bad request' });
const missing = () => ({ error: 'not found' });
const number = (value, most) => Number.isSafeInteger(value) && value > 0 && value <= most;
const blob = (text) => `CAST(x'${Buffer.from(text).toString('hex')}' AS TEXT)`;

function text(value, most) {
  if (typeof value !== 'string' || /\0|\p{Surrogate}/u.test(value)) return false;
  return value !== '' && [...value.slice(0, 2 * most + 1)].length <= most;
}

exports.Board = class Board {
  constructor(member) {
    this.member = Number(member);
  }

  search(words, order, size) {
    if (!text(words, 200) || !COMPARE.has(order) || !number(size, 50)) return bad();
    const wanted = fold(words).split(' ').filter((word) => word);
    if (wanted.length === 0 || wanted.length > 5) return bad();
    return messages()
      .filter((m) => wanted.every((word) => fold(`${m.title}\n${m.body}`).includes(word)))
      .sort(COMPARE.get(order))
      .slice(0, size)
      .map(({ id, title, author, votes }) => ({ id, title, author, votes }));
  }

  by_tags(tags) {
    if (!Array.isArray(tags) || tags.length === 0 || tags.length > 5) return bad();
    if (!tags.every((tag) => text(tag, 40))) return bad();
    const hits = messages().filter((m) => m.tags.some((tag) => tags.includes(tag)));
    return hits.map((m) => m.id);
  }

  related(message_id) {
    const all = messages();
    const message = all.find((m) => m.id === message_id);
    if (!message) return missing();
    const shares = (m) => m !== message && m.tags.some((tag) => message.tags.includes(tag));
    return all.filter(shares).map((m) => m.id);
  }

  post(title, body, tags) {
    if (!text(title, 80) || !text(body, 500)) return bad();
    const tag = (value) => typeof value === 'string' && /^[a-z0-9-]{1,20}$/.test(value);
    if (!Array.isArray(tags) || tags.length > 5 || !tags.every(tag)) return bad();
    const inserts = [...new Set(tags)].map(
      (t) => `INSERT INTO tags SELECT MAX(id), ${blob(t)} FROM messages;`,
    );
    const [{ id }] = ask(`BEGIN IMMEDIATE;
      INSERT INTO messages (author_id, title, body, votes, created, visible)
      SELECT ${this.member}, ${blob(title)}, ${blob(body)}, 0, MAX(created) + 1, 1 FROM messages;
      ${inserts.join('\n')}
      SELECT MAX(id) AS id FROM messages;
      COMMIT;`);
    return { id };
  }

  delete(message_id) {
    if (!number(message_id, Number.MAX_SAFE_INTEGER)) return missing();
    const mine = `SELECT id FROM messages WHERE id = ${message_id} AND author_id = ${this.member}`;
    const found = ask(`${mine};`);
    if (found.length === 0) return missing();
    ask(`BEGIN; DELETE FROM tags WHERE message_id = ${message_id};
      DELETE FROM messages WHERE id = ${message_id}; COMMIT;`);
    return { deleted: message_id };
  }
};
