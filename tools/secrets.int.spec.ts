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

function secrets(...options: string[]): Record<string, string> {
  const { status, stderr } = spawnSync(process.execPath, [program, ...options], { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

describe('npm run secrets', () => {
  it('writes secrets that services accept, readable only by their owner', () => {
    const made = secrets();
    expect(Object.keys(made)).toEqual(names);
    expect(readEnv(made).masterKey).toHaveLength(32);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  });

  it('keeps existing secrets, and creates missing ones', () => {
    writeFileSync(join(folder, '.env'), 'LOG_LEVEL=debug\nTIDINGS_ADMIN_TOKEN=token-of-the-administrator');
    const made = secrets();
    expect(made).toMatchObject({ LOG_LEVEL: 'debug', TIDINGS_ADMIN_TOKEN: 'token-of-the-administrator' });
    expect(secrets()).toEqual(made);
    expect(Object.keys(made)).toHaveLength(3);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  });

  it('rotates the master key, one rotation at a time', () => {
    const before = secrets();
    const rotated = secrets('--rotate');
    const configuration = readEnv(rotated);
    expect(configuration.previousMasterKey).toEqual(readEnv(before).masterKey);
    expect(configuration.masterKey).not.toEqual(configuration.previousMasterKey);
    expect(rotated['TIDINGS_ADMIN_TOKEN']).toBe(before['TIDINGS_ADMIN_TOKEN']);
    const again = spawnSync(process.execPath, [program, '--rotate'], { cwd: folder, encoding: 'utf8' });
    expect([again.status, again.stderr]).toEqual([
      1,
      '.env: TIDINGS_MASTER_KEY_PREVIOUS is there: end that rotation first, and remove the line\n',
    ]);
    expect(secrets()).toEqual(rotated);
  });

  it('does not rotate a missing master key', () => {
    const { status, stderr } = spawnSync(process.execPath, [program, '--rotate'], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, '.env: TIDINGS_MASTER_KEY is not there\n']);
  });
});

describe('docker-compose.yml', () => {
  it.each(names)('has no value for %s, and does not start without one', (name) => {
    const uses = [...compose.matchAll(new RegExp(`\\$\\{${name}(?!_)([^}]*)\\}`, 'g'))].map(([, rest]) => rest);
    expect(uses.length).toBeGreaterThan(0);
    for (const rest of uses) expect(rest).toMatch(/^:\?.*npm run secrets/);
    const given = [...compose.matchAll(new RegExp(`^\\s*${name}: (.*)$`, 'gm'))].map(([, value]) => value);
    expect(given.filter((value) => !value!.startsWith('${'))).toEqual([]);
  });
});
