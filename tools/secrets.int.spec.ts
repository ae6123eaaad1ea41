import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEnv } from '@tidings/runtime';

const program = fileURLToPath(new URL('secrets.mjs', import.meta.url));
const compose = readFileSync(new URL('../docker-compose.yml', import.meta.url), 'utf8');
const names = ['TIDINGS_MASTER_KEY', 'TIDINGS_ADMIN_TOKEN'];

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'tidings-secrets-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the program; answers the lines of `.env`. */
function secrets(): Record<string, string> {
  const { status, stderr } = spawnSync(process.execPath, [program], { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

describe('npm run secrets', () => {
  it('writes secrets that services take, for nobody else to read', () => {
    const made = secrets();
    expect(Object.keys(made)).toEqual(names);
    expect(readEnv(made).masterKey).toHaveLength(32);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  });

  it('keeps what is there, and makes what is missing', () => {
    writeFileSync(join(folder, '.env'), 'LOG_LEVEL=debug\nTIDINGS_ADMIN_TOKEN=token-of-the-administrator');
    const made = secrets();
    expect(made).toMatchObject({ LOG_LEVEL: 'debug', TIDINGS_ADMIN_TOKEN: 'token-of-the-administrator' });
    expect(secrets()).toEqual(made);
    expect(Object.keys(made)).toHaveLength(3);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  });
});

describe('docker-compose.yml', () => {
  it.each(names)('has no value for %s, and does not start without one', (name) => {
    const uses = [...compose.matchAll(new RegExp(`\\$\\{${name}([^}]*)\\}`, 'g'))].map(([, rest]) => rest);
    expect(uses.length).toBeGreaterThan(0);
    for (const rest of uses) expect(rest).toMatch(/^:\?.*npm run secrets/);
    const given = [...compose.matchAll(new RegExp(`^\\s*${name}: (.*)$`, 'gm'))].map(([, value]) => value);
    expect(given.filter((value) => !value!.startsWith('${'))).toEqual([]);
  });
});
