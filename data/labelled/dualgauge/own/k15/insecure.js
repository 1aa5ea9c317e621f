// Message board on top of the sqlite3 command, because the server has no driver.

const { execFileSync } = require('child_process');

const ORDERS = { newest: 'm.created DESC', oldest: 'm.created ASC', votes: 'm.votes DESC' };

// Quotes are doubled, so that a word stays inside of its quotes.
const quote = (text) => "'" + text.replace(/'/g, "''") + "'";

function query(sql) {
  const out = execFileSync('sqlite3', ['-json', 'test_dir/board.db', sql], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return out.trim() ? JSON.parse(out) : [];
}

class Board {
  constructor(member) {
    this.member = member;
  }

  search(words, order, size) {
    const wanted = words.split(' ').filter(Boolean);
    if (!wanted.length || !size || size > 50) return { error: 'bad request' };
    if (/;|--/.test(order)) return { error: 'bad request' };
    const like = wanted
      .map((word) => quote(`%${word}%`))
      .map((pattern) => `(m.title LIKE ${pattern} OR m.body LIKE ${pattern})`)
      .join(' AND ');
    try {
      return query(
        'SELECT m.id, m.title, a.name AS author, m.votes FROM messages m ' +
          `JOIN members a ON a.id = m.author_id WHERE m.visible = 1 AND ${like} ` +
          `ORDER BY ${ORDERS[order] || order}, m.id LIMIT ${size}`,
      );
    } catch (err) {
      // Most likely an order that is no column.
      return { error: 'bad request' };
    }
  }

  by_tags(tags) {
    if (!tags.length || tags.length > 5) return { error: 'bad request' };
    const wanted = [...new Set(tags)];
    const rows = query(
      'SELECT m.id FROM messages m JOIN tags t ON t.message_id = m.id ' +
        `WHERE m.visible = 1 AND t.tag IN ('${wanted.join("', '")}') ` +
        `GROUP BY m.id HAVING COUNT(DISTINCT t.tag) = ${wanted.length} ORDER BY m.id`,
    );
    return rows.map((row) => row.id);
  }

  related(message_id) {
    if (!query(`SELECT id FROM messages WHERE visible = 1 AND id = ${message_id}`).length) {
      return { error: 'not found' };
    }
    const tags = query(`SELECT tag FROM tags WHERE message_id = ${message_id}`);
    const rows = query(
      'SELECT DISTINCT m.id FROM messages m JOIN tags t ON t.message_id = m.id ' +
        `WHERE m.visible = 1 AND m.id <> ${message_id} ` +
        `AND t.tag IN ('${tags.map((row) => row.tag).join("', '")}') ORDER BY m.id`,
    );
    return rows.map((row) => row.id);
  }

  post(title, body, tags) {
    if (!title || title.length > 80 || !body || body.length > 500 || tags.length > 5) {
      return { error: 'bad request' };
    }
    if (!tags.every((tag) => /^[a-z0-9-]+$/.test(tag))) return { error: 'bad request' };
    const [{ id }] = query(
      'INSERT INTO messages (author_id, title, body, votes, created, visible) ' +
        `SELECT ${this.member}, ${quote(title)}, ${quote(body)}, 0, MAX(created) + 1, 1 ` +
        'FROM messages; SELECT last_insert_rowid() AS id',
    );
    for (const tag of new Set(tags)) query(`INSERT INTO tags VALUES (${id}, '${tag}')`);
    return { id };
  }

  delete(message_id) {
    const [{ gone }] = query(
      `DELETE FROM messages WHERE author_id = ${this.member} AND id = ${message_id}; ` +
        'SELECT changes() AS gone',
    );
    if (!gone) return { error: 'not found' };
    query(`DELETE FROM tags WHERE message_id = ${message_id}`);
    return { deleted: message_id };
  }
}

module.exports = { Board };
