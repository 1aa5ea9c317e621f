// Header helpers for the web site
const crypto = require('crypto');

class Site {
  constructor(host) {
    this.host = host;
    this.sessions = {};
  }

  start_session(user, presented) {
    if (!user || user.length > 64) {
      return null;
    }
    // Keep the id that the browser already has, so that open tabs go on working.
    const session = presented || crypto.randomUUID();
    this.sessions[session] = user;
    return session;
  }

  user_of(session) {
    return this.sessions[session] || null;
  }

  session_cookie(session) {
    if (!this.sessions[session]) {
      return null;
    }
    return `sid=${session}; Path=/; Max-Age=3600; HttpOnly; Secure`;
  }

  preference_cookie(name, value) {
    if (name === 'sid' || !/^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name)) {
      return null;
    }
    if (value.length > 200) {
      return null;
    }
    return `${name}=${encodeURIComponent(value)}; Path=/; Secure; SameSite=Lax`;
  }

  isLocal(target) {
    // A page is named by its path or by its whole address.
    if (!target.startsWith('/') && !/^[a-z]+:/.test(target)) {
      return false;
    }
    try {
      return new URL(target, `https://${this.host}`).host === this.host;
    } catch (err) {
      return false;
    }
  }

  redirect(target) {
    const location = this.isLocal(target) ? target : '/';
    return { status: 303, headers: [['Location', location]] };
  }

  attachment(name) {
    const safe = name
      .replace(/[/\\"\r\n]/g, '_')
      .slice(0, 100)
      .replace(/^\.+/, '');
    return `attachment; filename="${safe || 'download'}"`;
  }

  allow_origin(origin) {
    const own = origin === `https://${this.host}`;
    const sub = origin.startsWith('https://') && origin.endsWith(`.${this.host}`);
    if (own || sub) {
      return [
        ['Access-Control-Allow-Origin', origin],
        ['Vary', 'Origin'],
      ];
    }
    return [];
  }

  escapeHtml(text) {
    return text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;');
  }

  error_page(message) {
    const text = this.escapeHtml(message);
    return {
      status: 404,
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['X-Content-Type-Options', 'nosniff'],
      ],
      body: `<p title="${text}">${text}</p>`,
    };
  }
}

module.exports = { Site };
