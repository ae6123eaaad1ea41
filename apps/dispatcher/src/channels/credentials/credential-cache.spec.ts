import { randomBytes } from 'node:crypto';
import type { MasterKeys } from '@tidings/runtime';
import { platformsWith, type TestCredentials } from '../../testing/test-credentials.ts';
import { Credentials, isDeleted } from './credential-cache.ts';

const KEY = { application: 'AAAAA-00001', platform: 1, version: 1 };
const OTHER = { application: 'AAAAA-00002', platform: 1, version: 1 };

describe('Credentials', () => {
  const opened = (byPlatform: TestCredentials = { 1: { settings: { key: 'secret' } } }) => {
    const masterKeys: MasterKeys = [randomBytes(32)];
    const platforms = platformsWith(masterKeys, byPlatform);
    return { platforms, credentials: new Credentials(platforms, masterKeys) };
  };

  it('are read once, and opened', async () => {
    const { platforms, credentials } = opened();
    for (let i = 0; i < 3; i++) expect((await credentials.read(KEY)).settings.get('key')).toBe('secret');
    expect(platforms.reads).toBe(1);
  });

  it('are read again when they are renewed, and then the later version counts', async () => {
    const byPlatform: Record<number, { version: number; settings: Record<string, string> }> = {
      1: { version: 1, settings: { key: 'first' } },
    };
    const { credentials } = opened(byPlatform);
    const key = async () => (await credentials.read(KEY)).settings.get('key');
    expect(await key()).toBe('first');
    byPlatform[1] = { version: 2, settings: { key: 'second' } };
    expect(await key()).toBe('first');
    expect(await credentials.renew(`${KEY.application}/1`)).toBe(2);
    expect(await key()).toBe('second');
    delete byPlatform[1];
    expect(await credentials.renew(`${KEY.application}/1`)).toBe(0);
    expect(await key()).toBe('second');
  });

  it('are removed with their application, and those of others stay cached (R-B2)', async () => {
    const { platforms, credentials } = opened();
    await Promise.all([credentials.read(KEY), credentials.read(OTHER)]);
    expect(credentials.applications()).toEqual([KEY.application, OTHER.application]);
    credentials.forget(KEY.application);
    expect(credentials.applications()).toEqual([OTHER.application]);
    const before = platforms.reads;
    await credentials.read(OTHER);
    expect(platforms.reads).toBe(before);
    await credentials.read(KEY);
    expect(platforms.reads).toBe(before + 1);
  });

  it('are read once for an application without settings, and again for a later version', async () => {
    const byPlatform: Record<number, { version: number; settings: Record<string, string> }> = {
      3: { version: 1, settings: {} },
    };
    const { platforms, credentials } = opened(byPlatform);
    for (let i = 0; i < 3; i++) expect(await credentials.read({ ...KEY, version: 0 })).toMatchObject({ version: 0 });
    expect(platforms.reads).toBe(1);
    byPlatform[1] = { version: 1, settings: { key: 'own' } };
    expect((await credentials.read(KEY)).settings.get('key')).toBe('own');
    expect((await credentials.read({ ...KEY, version: 0 })).settings.get('key')).toBe('own');
  });

  it('are distinguished as deleted or not yet available', async () => {
    const { credentials } = opened({});
    expect(isDeleted(KEY, await credentials.read(KEY))).toBe(true);
    expect(credentials.applications()).toEqual([]);
    const { credentials: behind } = opened({ 1: { version: 1, settings: {} } });
    await expect(behind.read({ ...KEY, version: 2 })).rejects.toThrow('not available yet');
  });
});
