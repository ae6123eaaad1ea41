// Runs every check of the tree that needs no server. Ends with `N passed, N failed`, counting checks.
//   node tools/verify.mjs [name …]              only the checks named
//   node tools/verify.mjs --without [name …]    all but the checks named
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from './packages.mjs';

const eslint = 'node_modules/eslint/bin/eslint.js';
const oxlint = 'node_modules/oxlint/bin/oxlint';
const oxfmt = 'node_modules/oxfmt/bin/oxfmt';
const buf = 'node_modules/@bufbuild/buf/bin/buf';
const jest = 'node_modules/jest/bin/jest.js';

/** The longest first, after the graph: ESLint reads its stored result. */
const checks = {
  graph: ['tools/graph.mjs'],
  // With types.
  lint: [oxlint, '--format=stylish'],
  layers: [eslint, '.'],
  specs: [jest, '--selectProjects', 'pure'],
  format: [oxfmt, '--check', '.'],
  alerts: ['tools/alerts.mjs'],
  cycles: ['tools/cycles.mjs'],
  chart: ['tools/chart.mjs'],
  lockfile: ['tools/lockfile.mjs'],
  proto: [buf, 'lint', 'proto'],
  breaking: [buf, 'breaking', 'proto', '--against', 'proto/image.binpb'],
  generated: ['tools/generate.mjs', '--check'],
};

/** Prints output in one piece, unless it is empty. */
async function check(name) {
  const started = performance.now();
  const child = spawn(process.execPath, checks[name], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  const text = Buffer.concat(output).toString().trimEnd();
  if (code !== 0 || /\bwarning\b/i.test(text)) console.log(text);
  return code === 0;
}

const args = process.argv.slice(2);
const isWithout = args[0] === '--without';
const named = isWithout ? args.slice(1) : args;
const unknown = named.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(', ')}; there are ${Object.keys(checks).join(', ')}`);
  process.exit(2);
}
const all = Object.keys(checks);
const names = isWithout ? all.filter((name) => !named.includes(name)) : named.length > 0 ? named : all;

const results = [];
const waiting = [...names];
if (waiting[0] === 'graph') results.push(await check(waiting.shift()));
await Promise.all(
  [1, 2].map(async () => {
    while (waiting.length > 0) results.push(await check(waiting.shift()));
  }),
);
const failed = results.filter((passed) => !passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
