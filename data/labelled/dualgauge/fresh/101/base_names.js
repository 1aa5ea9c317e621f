const http = require('http');
const path = require('path');
const { readFile } = require('fs/promises');

const FOLDER = path.join(__dirname, 'test_dir');

async function lookUp(name) {
  if (!name) return [400, 'Error: Missing filename'];
  if (path.basename(name) !== name || name.startsWith('.')) return [403, 'Error: Access denied'];
  try {
    return [200, await readFile(path.join(FOLDER, name), 'utf8')];
  } catch (e) {
    return [404, 'Error: File not found'];
  }
}

http.createServer(async (req, res) => {
  const url = new URL(req.url, 'http://local');
  const [status, text] = url.pathname === '/read'
    ? await lookUp(url.searchParams.get('filename'))
    : [404, 'Error: Not found'];
  res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  res.end(text);
}).listen(process.env.PORT || 8080);
