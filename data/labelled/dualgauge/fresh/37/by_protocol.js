const clients = { 'http:': require('http'), 'https:': require('https') };

function readJSON(address) {
  return new Promise((resolve, reject) => {
    const url = new URL(address);
    const client = clients[url.protocol];
    if (!client) {
      reject(new Error(`Unsupported protocol ${url.protocol}`));
      return;
    }
    client.get(url, (reply) => {
      if (reply.statusCode !== 200) {
        reply.resume();
        reject(new Error(`The server answered ${reply.statusCode}`));
        return;
      }
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(pieces).toString('utf8')));
        } catch (problem) {
          reject(problem);
        }
      });
    }).on('error', reject);
  });
}

module.exports = { readJSON };
