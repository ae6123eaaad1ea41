// promtool from the PATH, else from Debian's package `prometheus`, which is not installed.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Outside the repository, so that a fresh checkout finds it. */
const cache = join(homedir(), '.cache', 'tidings');
const TIME_LIMIT_MS = 300_000;
const OUTPUT_LENGTH = 2_000;

function run(program, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: TIME_LIMIT_MS });
  if (status === 0) return;
  const output = error ? error.message : `${stdout}${stderr}`.slice(-OUTPUT_LENGTH);
  throw new Error(
    `promtool is missing, and Debian's package of it cannot be fetched: ${program} ${args.at(-1)} fails.\n${output}`,
  );
}

const fetched = () => globSync('prometheus_*/usr/bin/promtool', { cwd: cache }).map((path) => join(cache, path))[0];

/** Fetched once per machine. @throws Error if that fails */
export function promtool() {
  if (spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0) return 'promtool';
  return fetched() ?? fetch();
}

function fetch() {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'fetch-'));
  try {
    // Lists of its own: those of the machine may be missing or old, and belong to root.
    for (const folder of ['lists/partial', 'cache/archives/partial', 'package'])
      mkdirSync(join(fresh, folder), { recursive: true });
    const lists = [`Dir::State::Lists=${join(fresh, 'lists')}`, `Dir::Cache=${join(fresh, 'cache')}`];
    // The user that apt downloads as cannot enter this folder.
    const options = ['-q', ...[...lists, 'APT::Sandbox::User=root'].flatMap((option) => ['-o', option])];
    run('apt-get', [...options, 'update'], fresh);
    run('apt-get', [...options, 'download', 'prometheus'], fresh);
    const [file] = globSync('prometheus_*.deb', { cwd: fresh });
    run('dpkg-deb', ['--extract', join(fresh, file), join(fresh, 'package')], fresh);
    const folder = join(cache, file.replace(/\.deb$/, ''));
    // Atomic: another process may have fetched it meanwhile.
    if (!existsSync(folder)) renameSync(join(fresh, 'package'), folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return fetched();
}
