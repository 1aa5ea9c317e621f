const { createServer } = require('node:http');

function search(request, response) {
  const { pathname, searchParams } = new URL(request.url, `http://${request.headers.host}`);
  if (pathname !== '/search') {
    response.statusCode = 404;
    return response.end();
  }
  const who = new RegExp(searchParams.get('username') || '');
  const found = who.test(searchParams.get('filename') || '');
  response.setHeader('Content-Type', 'text/html');
  return response.end(found ? 'Found' : 'Not Found');
}

createServer(search).listen(8000);
