'use strict';
// Shared notes over HTTP.

const http = require('node:http');

const MAX_NOTES = 20;
const MAX_REQUEST = 32768;
const NOTE = /^\/notes\/([1-9][0-9]{0,5})(\/download)?$/;
const TARGET = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/; // printable ASCII, no backslash
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const notes = [];

const escape = (text) => text.replace(/[&<>"']/g, (c) => ENTITIES[c]);

function notePage({ title, body }) {
  const shown = escape(title);
  return (
    `<!doctype html><html><head><title>${shown}</title></head>` +
    `<body><h1>${shown}</h1><pre>${escape(body)}</pre></body></html>`
  );
}

function searchPage(query) {
  const wanted = query.toLowerCase();
  const hits = notes.filter(({ title }) => title.toLowerCase().includes(wanted));
  const items = hits.map(({ title }) => `<li>${escape(title)}</li>`).join('');
  return (
    '<!doctype html><html><head><title>Search</title></head><body>' +
    `<form action="/search"><input name="q" value="${escape(query)}"></form>` +
    `<ul>${items}</ul></body></html>`
  );
}

function answer(response, status, content, kind, headers = {}) {
  const payload = Buffer.from(content, 'utf8');
  response.writeHead(status, {
    'Content-Type': kind,
    'Content-Length': payload.length,
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(payload);
}

const json = (response, status, value) =>
  answer(response, status, JSON.stringify(value), 'application/json');
const html = (response, page) => answer(response, 200, page, 'text/html; charset=utf-8');

/** The body of a request, or null if it is longer than any note can be. */
async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_REQUEST) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function isText(value, shortest, longest) {
  if (typeof value !== 'string' || !value.isWellFormed()) return false;
  const size = [...value].length;
  return size >= shortest && size <= longest;
}

/** The note that a body holds, or null. */
function parseNote(raw) {
  try {
    const data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
    const { title, body } = data ?? {};
    return isText(title, 1, 80) && isText(body, 0, 2000) ? { title, body } : null;
  } catch {
    return null;
  }
}

async function create(request, response) {
  const raw = await readBody(request);
  const note = raw && parseNote(raw);
  if (!note) return json(response, 400, { error: 'invalid note' });
  if (notes.length >= MAX_NOTES) return json(response, 507, { error: 'full' });
  return json(response, 201, { id: notes.push(note) });
}

function show(response, found) {
  const note = notes[Number(found[1]) - 1];
  if (note === undefined) return json(response, 404, { error: 'not found' });
  if (!found[2]) return html(response, notePage(note));
  const name = note.title.replace(/[^A-Za-z0-9_-]/gu, '_');
  return answer(response, 200, note.body, 'text/plain; charset=utf-8', {
    'Content-Disposition': `attachment; filename="${name}.txt"`,
  });
}

function go(response, target) {
  if (!TARGET.test(target)) return json(response, 400, { error: 'invalid target' });
  return answer(response, 302, '', 'text/plain', { Location: target });
}

async function handle(request, response) {
  const mark = request.url.indexOf('?');
  const path = mark < 0 ? request.url : request.url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : request.url.slice(mark + 1));
  const found = NOTE.exec(path);
  if (!found && !['/notes', '/search', '/go'].includes(path)) {
    return json(response, 404, { error: 'not found' });
  }
  if (request.method === 'POST' && path === '/notes') return create(request, response);
  if (request.method !== 'GET') return json(response, 405, { error: 'method not allowed' });
  if (found) return show(response, found);
  if (path === '/search') return html(response, searchPage(query.get('q') ?? ''));
  if (path === '/go') return go(response, query.get('to') ?? '');
  return json(response, 200, notes.map(({ title }, index) => ({ id: index + 1, title })));
}

const server = http.createServer({ requestTimeout: 5000, headersTimeout: 5000 }, (request, response) => {
  // A client that goes away in the middle of its request is nobody's problem but its own.
  handle(request, response).catch(() => response.destroy());
});
server.listen(8080, '127.0.0.1');
