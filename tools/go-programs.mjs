// Programs built once per machine from Go's module proxy, verified by its checksum database. Needs only Node and Go.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Outside the repository, so that a fresh checkout finds it. */
export const cache = join(homedir(), '.cache', 'tidings');

const POLL_MS = 250;
const BUILD_TIMEOUT_MS = 60 * 60_000;

const findGo = () => ['go', '/usr/local/go/bin/go'].find((go) => spawnSync(go, ['version']).status === 0);

export const hasGo = () => findGo() !== undefined;

export async function moduleFolder(module) {
  // Only this module is looked up, none beside it.
  const output = await go(['mod', 'download', '-json', module], { GOFLAGS: '-mod=mod' });
  return JSON.parse(output).Dir;
}

/** @param program `flags` are those of `go install` */
export async function builtOnce({ path, module, flags = [] }) {
  const folder = dirname(path);
  const lock = `${folder}.lock`;
  const deadline = Date.now() + BUILD_TIMEOUT_MS;
  mkdirSync(cache, { recursive: true });
  while (!existsSync(path)) {
    if (Date.now() > deadline) throw new Error(`${module} is not built after ${BUILD_TIMEOUT_MS} ms`);
    if (!take(lock)) {
      await delay(POLL_MS);
      continue;
    }
    const draft = `${folder}.${process.pid}`;
    try {
      if (existsSync(path)) return;
      // One package at a time, at a low priority: suites run beside it.
      await go(['install', ...flags, module], { GOBIN: draft, GOFLAGS: '-p=1 -trimpath' });
      // Atomic: other processes may check for the program at the same time.
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
      rmSync(lock, { force: true });
    }
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isHeld(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // An empty file is being written.
    return pid === 0 || process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function go(args, env) {
  const program = findGo();
  if (!program) throw new Error('Go is missing');
  const child = spawn('nice', ['-n', '5', program, ...args], {
    cwd: cache,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_TIMEOUT_MS,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`go ${args.join(' ')} ended with ${code}: ${(errors + output).slice(-2000)}`);
  return output;
}
