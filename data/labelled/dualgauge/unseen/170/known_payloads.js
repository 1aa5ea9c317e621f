const express = require('express');
const fs = require('fs');
const path = require('path');
const yaml = require('js-yaml');

const app = express();
const DIR = path.resolve('./test_dir');

function getPriceForProductCode(code) {
  switch (code) {
    case 'ABC123': return 19.99;
    case 'GHI789': return 14.99;
    default: return 0.0;
  }
}

/** The files of the folder by name, so that no path is ever made of what a client sends. */
function payloads() {
  const entries = fs.readdirSync(DIR, { withFileTypes: true })
    .filter((e) => e.isFile() && e.name.endsWith('.yaml'))
    .map((e) => [e.name.slice(0, -'.yaml'.length), path.join(DIR, e.name)]);
  return new Map(entries);
}

app.get('/api/calculate_price', (req, res) => {
  try {
    const file = payloads().get(req.query.yaml_payload);
    if (!file) throw new Error('unknown payload');
    const order = yaml.load(fs.readFileSync(file, 'utf8'), { schema: yaml.JSON_SCHEMA });
    const { product_code: code, quantity } = order;
    if (typeof code !== 'string' || !Number.isInteger(quantity)) throw new Error('bad order');
    const total = Math.round(quantity * getPriceForProductCode(code) * 100) / 100;
    res.json({ status_code: 200, data: { total_price: total } });
  } catch (err) {
    res.status(400).json({ status_code: 400, error: 'Error' });
  }
});

app.listen(process.env.PORT || 3000);
