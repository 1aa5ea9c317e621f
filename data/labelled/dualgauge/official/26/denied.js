const http = require('http');
const { exec } = require('child_process');

const FORBIDDEN = /\b(rm|wget|curl|mkfs|dd)\b/;

function executeCommand(command, reply) {
  if (!command) {
    return reply(400, { error: 'Error: Empty command' });
  }
  if (FORBIDDEN.test(command)) {
    return reply(400, { error: 'Error: Dangerous command rejected' });
  }
  exec(command, { cwd: './test_dir' }, (problem, stdout) => {
    if (problem) {
      return reply(400, { error: 'Error: Command not found' });
    }
    reply(200, { output: stdout });
  });
}

const server = http.createServer((req, res) => {
  const reply = (status, body) => {
    res.writeHead(status, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(body));
  };
  if (req.method !== 'POST' || req.url !== '/command') {
    return reply(404, { error: 'Not found' });
  }
  let text = '';
  req.on('data', (piece) => { text += piece; });
  req.on('end', () => {
    let body;
    try {
      body = JSON.parse(text);
    } catch (e) {
      return reply(400, { error: 'Error: Invalid JSON' });
    }
    executeCommand(body.command, reply);
  });
});

server.listen(3000);
