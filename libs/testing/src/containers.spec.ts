import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBase62 } from '@tidings/kernel';
import { addressFrom, dockerRuns, imageOf, sharedContainer } from './containers.ts';
import { workerFolder } from './keeper.ts';

describe('a server for tests', () => {
  const sources = {
    container: async () => 'in a container',
    program: async () => 'a program',
  };

  it('is the given one, without a check for Docker', async () => {
    const failIfCalled = () => {
      throw new Error('Docker was asked for');
    };
    expect(await addressFrom({ ...sources, configured: 'given' }, failIfCalled)).toBe('given');
  });

  it('runs in a container if a Docker engine answers', async () => {
    expect(await addressFrom({ ...sources, configured: undefined }, () => true)).toBe('in a container');
  });

  it('is a program if no Docker engine answers', async () => {
    expect(await addressFrom({ ...sources, configured: undefined }, () => false)).toBe('a program');
  });

  it('has the image of its series, for any patch', () => {
    const images = { '4.0': 'mongo:4.0.28', '8.0': 'mongo:8.0.13' };
    expect(imageOf('MongoDB', images, '8.0')).toBe('mongo:8.0.13');
    expect(imageOf('MongoDB', images, '4.0.10')).toBe('mongo:4.0.28');
    expect(() => imageOf('MongoDB', images, '3.6')).toThrow('No image of MongoDB 3.6 is configured');
  });
});

describe('a Docker engine', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tidings-docker-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const client = async (exitCode: number): Promise<void> => {
    await writeFile(join(folder, 'docker'), `#!/bin/sh\n[ "$1" = info ] && exit ${exitCode}\nexit 99\n`);
    await chmod(join(folder, 'docker'), 0o755);
  };

  it('answers if its client reaches it', async () => {
    await client(0);
    expect(dockerRuns({ PATH: folder })).toBe(true);
  });

  it('does not answer if there is a client and no engine', async () => {
    await client(1);
    expect(dockerRuns({ PATH: folder })).toBe(false);
  });

  it('does not answer if there is no client', () => {
    expect(dockerRuns({ PATH: folder })).toBe(false);
  });
});

describe('a shared container', () => {
  const name = `container-${randomBase62(10)}`;
  let started = 0;
  const start = async (): Promise<string> => `address ${++started}`;
  beforeEach(() => void (started = 0));
  afterEach(() => rm(workerFolder(name), { recursive: true, force: true }));

  it('is started by the first suite of a worker and found by the others', async () => {
    expect(await sharedContainer(name, start)).toBe('address 1');
    expect(await sharedContainer(name, start)).toBe('address 1');
    expect(started).toBe(1);
  });

  it('is started again if the first start failed', async () => {
    await expect(sharedContainer(name, () => Promise.reject(new Error('no image')))).rejects.toThrow('no image');
    expect(await sharedContainer(name, start)).toBe('address 1');
  });
});
