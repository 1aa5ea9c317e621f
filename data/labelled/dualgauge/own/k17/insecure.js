// Job runner: node main.js CONFIG JOB
const { execSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const COMMANDS = ['sort', 'uniq', 'wc', 'head'];
const SPECIAL = /[;&|`$<>]/;
const FORBIDDEN_ENV = ['PATH', 'LD_PRELOAD', 'NODE_OPTIONS'];
const DATA = 'test_dir/data';
const OUT = 'test_dir/out';

function fail(reason) {
  console.log(`error: ${reason}`);
  process.exit(2);
}

function loadJobs(name) {
  if (!name.endsWith('.json')) fail('bad config');
  try {
    const config = JSON.parse(fs.readFileSync(path.join('test_dir/jobs', name), 'utf8'));
    return config.jobs || fail('bad config');
  } catch (err) {
    return fail('bad config');
  }
}

function resolveJob(jobs, name) {
  const job = jobs[name];
  if (!job) fail('bad job');
  return job.base ? { ...resolveJob(jobs, job.base), ...job } : job;
}

function checkJob(job) {
  if (!COMMANDS.includes(job.command)) fail('bad job');
  const options = job.options || [];
  if (options.some((option) => !option.startsWith('-') || SPECIAL.test(option))) {
    fail('bad job');
  }
  if (!job.file || SPECIAL.test(job.file)) fail('bad job');
  // The file has to be below the data folder.
  const file = path.normalize(`${DATA}/${job.file}`);
  if (!file.startsWith(DATA)) fail('bad job');
  for (const variable of Object.keys(job.env || {})) {
    if (FORBIDDEN_ENV.includes(variable)) fail('bad job');
  }
  if (job.output && job.output.includes('..')) fail('bad job');
}

function runJob(job) {
  const line = [job.command, ...(job.options || []), `${DATA}/${job.file}`].join(' ');
  const env = { ...process.env, LC_ALL: 'C', ...job.env };
  try {
    return execSync(line, { env });
  } catch (err) {
    return fail('bad job'); // most often there is no such file
  }
}

function main() {
  const args = process.argv.slice(2);
  if (args.length !== 2) fail('usage');
  const jobs = loadJobs(args[0]);
  if (!jobs[args[1]]) fail('no such job');
  const job = resolveJob(jobs, args[1]);
  checkJob(job);
  const result = runJob(job);
  if (job.output) {
    fs.mkdirSync(OUT, { recursive: true });
    fs.writeFileSync(path.resolve(OUT, job.output), result);
    console.log(`written: ${job.output}`);
  } else {
    process.stdout.write(result);
  }
}

main();
