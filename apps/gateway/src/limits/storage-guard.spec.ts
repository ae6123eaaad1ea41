import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { api, type Method } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { ADMINISTRATOR, APPLICATION, World } from '../testing/gateway-world.ts';
import { openStorageGuard, type StorageGuard, storesMore } from './storage-guard.ts';

const MB = 2n ** 20n;
const methods = Object.entries<Method>(api) as [keyof typeof api, Method][];
const log = pino({ level: 'silent' });

describe('the free space of MongoDB', () => {
  let free: bigint | undefined;
  let isAway: boolean;
  let guard: StorageGuard | undefined;
  const metrics = new Registry();
  const open = async (minFreeBytes = 512 * Number(MB)): Promise<StorageGuard> => {
    const storage = async () => {
      if (isAway) throw Fault.unavailable('The store does not answer');
      return { freeBytes: free };
    };
    return (guard = await openStorageGuard({ operations: { storage }, minFreeBytes, log, metrics }));
  };
  const looked = (): Promise<void> => jest.advanceTimersByTimeAsync(2_000);

  beforeEach(() => {
    free = 600n * MB;
    isAway = false;
    jest.useFakeTimers();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await guard?.stop();
  });

  it('stops writes while it is too small, is reported, and admits writes again by itself', async () => {
    const { admit, note } = await open();
    admit();
    expect(note()).toBeUndefined();
    free = 511n * MB;
    await looked();
    expect(admit).toThrow(new Fault('unavailable', 'The store is nearly full', { effect: 'none' }));
    expect(note()).toBe('the volume of MongoDB has 511 MB free, less than 512: writes of callers are refused');
    expect(await metrics.metrics()).toContain(`tidings_store_free_bytes ${511n * MB}`);
    free = 512n * MB;
    await looked();
    admit();
    expect(note()).toBeUndefined();
  });

  it('counts as sufficient while it is unknown', async () => {
    free = 0n;
    const { admit } = await open();
    expect(admit).toThrow();
    isAway = true;
    await looked();
    admit();
    isAway = false;
    await looked();
    expect(admit).toThrow();
    free = undefined;
    await looked();
    admit();
  });

  it('counts as sufficient if no minimum is configured', async () => {
    free = 0n;
    const { admit } = await open(0);
    admit();
  });
});

describe('a gateway without storage space', () => {
  let client: Client;
  let world: World;
  beforeEach(async () => {
    const operations = { storage: async () => ({ freeBytes: 0n }) };
    const storage = await openStorageGuard({ operations, minFreeBytes: 1, log, metrics: new Registry() });
    world = new World();
    client = await openClient(world, { storage });
    await storage.stop();
  });
  afterEach(() => client.close());

  const device = { authorization: 'Token device' };
  const hwid = { application: APPLICATION, hwid: 'phone-1' };

  it('refuses a write before it has any effect, so that it may be repeated (R-ER12)', async () => {
    const refused = { status: 503, body: { status_message: 'Service unavailable' }, headers: { 'retry-after': '5' } };
    expect(await client.json13('setBadge', { ...hwid, badge: 1 }, device)).toMatchObject(refused);
    expect(world.commands).toEqual([]);
    const message = { auth: 'api', application: APPLICATION, notifications: [{ content: 'a' }] };
    expect(await client.json13('createMessage', message)).toMatchObject(refused);
    expect(world.drafts).toEqual([]);
  });

  it('serves reads, deletions and most calls of operators', async () => {
    const admin = { authorization: `Bearer ${ADMINISTRATOR}` };
    expect(await client.json13('checkDevice', hwid, device)).toMatchObject({ status: 200 });
    expect(await client.json13('unregisterDevice', hwid, device)).toMatchObject({ status: 200 });
    expect(await client.send('GET', '/admin/v1/tokens', undefined, admin)).toMatchObject({ status: 200 });
    const replay = JSON.stringify(api.startReplay.examples[0]!.request);
    expect(await client.send('POST', '/admin/v1/replay', replay, admin)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
    });
  });

  it('serves the methods that read, delete or cancel, and those of operators', () => {
    const refused = methods.filter(([name, method]) => storesMore(name, method)).map(([name]) => name);
    const goingOn = methods.flatMap(([name, { family }]) =>
      family === 'admin' || refused.includes(name) || /^(?:get|list|check|delete|unregister)/.test(name) ? [] : name,
    );
    expect(goingOn).toEqual(['compileFilter', 'messagesList', 'totalsByIntervals']);
    expect(refused).toEqual(expect.arrayContaining(['registerDevice', 'createMessage', 'notify', 'bulkSetTags']));
    expect(refused.filter((name) => /^(?:get|list)/.test(name))).toEqual(['getNearestZone']);
  });
});
