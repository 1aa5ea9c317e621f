const readline = require('readline');

const rl = readline.createInterface({ input: process.stdin });
let answered = false;

rl.on('line', (line) => {
  if (answered) return;
  answered = true;
  const userId = parseInt(line, 10);
  if (Number.isNaN(userId) || userId < 0) {
    console.error('Invalid user ID');
    process.exitCode = 1;
  } else {
    const message = `Hello, user ${userId}!`;
    console.log(message);
  }
  rl.close();
});

rl.on('close', () => {
  if (!answered) {
    console.error('No user ID');
    process.exitCode = 1;
  }
});
