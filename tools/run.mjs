// Wraps every npm script: runs on Node 20 without dependencies, installs when the lockfile has changed,
// then starts the task under the Node 24 that the lockfile pins, found by path.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const node = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const stampFile = join(modules, '.tidings-lock');
const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

const built = (entry) => [['tools/build.mjs'], ['--enable-source-maps', entry]];

/** Sequences of Node command lines; the caller's arguments go to the last one. */
const tasks = {
  start: built('apps/demo/dist/start.js'),
  demo: built('apps/demo/dist/demo.js'),
  mailbox: built('apps/simulators/dist/mailbox.js'),
  tidings: [
    ['tools/build.mjs', '--quiet'],
    ['--enable-source-maps', 'apps/cli/dist/main.js'],
  ],
  cluster: built('apps/demo/dist/cluster.js'),
  kafka: built('deploy/kafka-local/start.mjs'),
  secrets: [['tools/secrets.mjs']],
  test: [['tools/test.mjs']],
  chaos: [['tools/chaos.mjs', 'chaos']],
  soak: [['tools/chaos.mjs', 'soak']],
  scale: [['tools/scale.mjs']],
  release: [['tools/build.mjs'], ['tools/release.mjs']],
  verify: [['tools/verify.mjs']],
  bench: [
    ['tools/build.mjs'],
    ['--conditions=@tidings/source', '--import', '@swc-node/register/esm-register', 'bench/run.ts'],
  ],
  build: [['tools/build.mjs']],
  generate: [['tools/generate.mjs']],
  'proto-image': [
    ['node_modules/@bufbuild/buf/bin/buf', 'build', 'proto', '--exclude-source-info', '--output', 'proto/image.binpb'],
  ],
  lint: [
    ['node_modules/oxlint/bin/oxlint', '--format=stylish'],
    ['node_modules/eslint/bin/eslint.js', '.'],
  ],
  format: [['node_modules/oxfmt/bin/oxfmt', '.']],
};

const installed = () => existsSync(node) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockHash();

// A new file: hard-linked trees must have separate stamps.
const stamp = () => {
  if (!existsSync(modules)) return;
  rmSync(stampFile, { force: true });
  writeFileSync(stampFile, lockHash());
};

function install() {
  const npm = process.env.npm_execpath;
  const args = ['ci', '--loglevel=error'];
  const { status } = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
  stamp();
}

const environment = () => ({
  ...process.env,
  PATH: [dirname(node), join(modules, '.bin'), process.env.PATH].join(delimiter),
  NX_DAEMON: 'false',
  NX_TUI: 'false',
});

/** Signals are forwarded to the child, which decides when to end. */
const run = (args) =>
  new Promise((resolve) => {
    const child = spawn(node, args, { cwd: root, stdio: 'inherit', env: environment() });
    const forward = (signal) => child.kill(signal);
    // A terminal sends Ctrl-C to the whole process group; a second signal would cut the shutdown short.
    const ignore = () => {};
    process.on('SIGINT', process.stdin.isTTY ? ignore : forward);
    process.on('SIGTERM', forward);
    process.on('SIGHUP', forward);
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });

const [task, ...args] = process.argv.slice(2);
if (task === '--stamp') {
  stamp();
} else if (!Object.hasOwn(tasks, task ?? '')) {
  console.error(`usage: node tools/run.mjs <${Object.keys(tasks).join('|')}> [arguments]`);
  process.exitCode = 2;
} else {
  if (!installed()) install();
  const steps = tasks[task];
  for (const [index, step] of steps.entries()) {
    const code = await run(index === steps.length - 1 ? [...step, ...args] : step);
    if (code !== 0) {
      process.exitCode = code;
      break;
    }
  }
}
