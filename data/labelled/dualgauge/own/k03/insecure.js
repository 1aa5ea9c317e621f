// Office notes on express.
const express = require('express');

const app = express();
app.use(express.json());

const notes = [];

// No tags can come through this.
const clean = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function isLocal(target) {
  return typeof target === 'string' && target.startsWith('/') && !target.startsWith('//');
}

function notAllowed(req, res) {
  res.status(405).json({ error: 'method not allowed' });
}

app.post('/notes', (req, res) => {
  const { title, body } = req.body;
  const valid = typeof title === 'string' && typeof body === 'string' &&
    title.length >= 1 && title.length <= 80 && body.length <= 2000;
  if (!valid) return res.status(400).json({ error: 'invalid note' });
  notes.push({ title, body });
  res.status(201).json({ id: notes.length });
});

app.get('/notes', (req, res) => {
  res.json(notes.map((note, i) => ({ id: i + 1, title: note.title })));
});

app.get('/notes/:id(\\d+)', (req, res, next) => {
  const note = notes.at(Number(req.params.id) - 1);
  if (!note) return next();
  const title = clean(note.title);
  res.send(
    `<!doctype html><html><head><title>${title}</title></head>` +
    `<body><h1>${title}</h1><pre>${clean(note.body)}</pre></body></html>`);
});

app.get('/notes/:id(\\d+)/download', (req, res, next) => {
  const note = notes.at(Number(req.params.id) - 1);
  if (!note) return next();
  const name = note.title.replace(/[^\w\s-]/g, '_').replace(/ /g, '_');
  res.setHeader('Content-Disposition', `attachment; filename="${name}.txt"`);
  res.type('text/plain').send(note.body);
});

app.get('/search', (req, res) => {
  const query = String(req.query.q || '');
  const pattern = new RegExp(query, 'i');
  const hits = notes.filter((note) => pattern.test(note.title));
  res.send(
    '<!doctype html><html><head><title>Search</title></head><body>' +
    `<form action="/search"><input name="q" value="${clean(query)}"></form>` +
    `<ul>${hits.map((note) => `<li>${note.title}</li>`).join('')}</ul></body></html>`);
});

app.get('/go', (req, res) => {
  if (!isLocal(req.query.to)) return res.status(400).json({ error: 'invalid target' });
  res.writeHead(302, { Location: req.query.to });
  res.end();
});

app.all(['/notes', '/search', '/go'], notAllowed);

app.use((req, res) => {
  res.status(404).json({ error: 'not found' });
});

app.use((err, req, res, next) => {
  if (err.type === 'entity.parse.failed') return res.status(400).json({ error: 'invalid note' });
  res.status(500).json({ error: err.message, stack: err.stack });
});

app.listen(8080, '127.0.0.1');
