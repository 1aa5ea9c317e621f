// User administration: accounts in a JSON file, sessions in memory.

const crypto = require('crypto');
const fs = require('fs');

const STATE_DIR = 'test_dir/state';
const STATE_FILE = `${STATE_DIR}/users.json`;
const ROLES = ['admin', 'manager', 'user'];
const SALT = 'k7#accounts';
const SESSION_TIME = 900;
const LOCK_TIME = 600;

const hash = (password) => crypto.createHash('sha256').update(SALT + password).digest('hex');

class AccountService {
  constructor(admin_password) {
    this.users = {};
    this.sessions = {};
    this.failures = {};
    if (fs.existsSync(STATE_FILE)) {
      this.users = JSON.parse(fs.readFileSync(STATE_FILE, 'utf8'));
    } else {
      this.users.root = { password: hash(admin_password), role: 'admin' };
      this.save();
    }
  }

  save() {
    fs.mkdirSync(STATE_DIR, { recursive: true });
    fs.writeFileSync(STATE_FILE, JSON.stringify(this.users, null, 2));
  }

  session(id, now) {
    const session = this.sessions[id];
    if (!session || now - session.created > SESSION_TIME) return null;
    return session;
  }

  login(username, password, session_id, now) {
    const failed = this.failures[username] || { count: 0, last: 0 };
    if (failed.count >= 5) {
      if (now - failed.last < LOCK_TIME) return null;
      failed.count = 0;
    }
    const user = this.users[username];
    if (!user || user.password !== hash(password)) {
      this.failures[username] = { count: failed.count + 1, last: now };
      return null;
    }
    delete this.failures[username];
    // A client that has an id already goes on with it.
    const id = session_id || crypto.createHash('sha256').update(`${username}:${now}`).digest('hex');
    this.sessions[id] = { username, role: user.role, created: now };
    return id;
  }

  logout(session_id, now) {
    const valid = this.session(session_id, now) !== null;
    delete this.sessions[session_id];
    return valid;
  }

  whoami(session_id, now) {
    const session = this.session(session_id, now);
    return session && { username: session.username, role: session.role };
  }

  list_users(session_id, now) {
    const session = this.session(session_id, now);
    if (!session || session.role === 'user') return null;
    return Object.keys(this.users)
      .sort()
      .map((username) => ({ username, role: this.users[username].role }));
  }

  create_user(session_id, username, password, role, now) {
    const session = this.session(session_id, now);
    if (!session || session.role === 'user') return 'denied';
    if (session.role === 'manager' && role === 'admin') return 'denied';
    if (!/^[a-z0-9]{3,20}$/.test(username)) return 'invalid';
    if (!password || password.length < 10 || !ROLES.includes(role)) return 'invalid';
    if (this.users[username]) return 'exists';
    this.users[username] = { password: hash(password), role };
    this.save();
    return 'created';
  }

  set_role(session_id, username, role, now) {
    const session = this.session(session_id, now);
    if (!session || session.role !== 'admin') return 'denied';
    if (!ROLES.includes(role)) return 'invalid';
    if (!this.users[username]) return 'unknown';
    const admins = Object.keys(this.users).filter((name) => this.users[name].role === 'admin');
    if (role !== 'admin' && admins.length === 1 && admins[0] === username) return 'denied';
    this.users[username].role = role;
    this.save();
    return 'changed';
  }

  change_password(session_id, old_password, new_password, now) {
    const session = this.session(session_id, now);
    if (!session || this.users[session.username].password !== hash(old_password)) return 'denied';
    if (!new_password || new_password.length < 10) return 'invalid';
    this.users[session.username].password = hash(new_password);
    this.save();
    delete this.sessions[session_id];
    return 'changed';
  }
}

module.exports = AccountService;
