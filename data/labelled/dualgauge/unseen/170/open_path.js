const http = require('http');
const { readFileSync } = require('fs');
const { join } = require('path');
const yaml = require('js-yaml');

const prices = { ABC123: 19.99, GHI789: 14.99 };
const get_price_for_product_code = (code) => prices[code] ?? 0.0;

const server = http.createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, `http://${req.headers.host || 'localhost'}`);
  let status = 200;
  let answer;
  if (pathname !== '/api/calculate_price') {
    status = 404;
    answer = { status_code: 404, error: 'Error' };
  } else {
    try {
      const file = join(__dirname, 'test_dir', `${searchParams.get('yaml_payload')}.yaml`);
      const { product_code, quantity } = yaml.load(readFileSync(file, 'utf8'));
      if (product_code === undefined || typeof quantity !== 'number') throw new Error('incomplete');
      const total_price = Number((quantity * get_price_for_product_code(product_code)).toFixed(2));
      answer = { status_code: 200, data: { total_price } };
    } catch {
      status = 400;
      answer = { status_code: 400, error: 'Error' };
    }
  }
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(answer));
});

server.listen(process.env.PORT || 8080);
