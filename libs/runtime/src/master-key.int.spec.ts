import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { identityKeysFrom } from './identity-keys.ts';
import { type DeploymentKeys, openKeys, openMasterKey } from './master-key.ts';
import { checkValueOf, masterKeyId } from './master-keys.ts';

describeWithMongo('the master key', (mongo) => {
  let system: Db;
  let folder: string;
  let number = 0;
  const [one, two, three] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
  const checks = () => system.collection<{ _id: string }>('masterKey');
  const deviceKeyOf = ({ identity }: DeploymentKeys) => identity.device.export().toString('hex');
  const differs = (stored: Buffer, given: Buffer) =>
    `TIDINGS_MASTER_KEY: the data was written with the master key ${masterKeyId(stored)}, and this is the key ${masterKeyId(given)}`;

  beforeEach(async () => {
    system = mongo.database(`system_${number++}`);
    folder = await mkdtemp(join(tmpdir(), 'tidings-key-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is created once, even for processes that start together, and stored', async () => {
    const open = async () => (await openMasterKey({ folder, system })).master[0];
    const keys = await Promise.all(Array.from({ length: 8 }, open));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(Buffer.from(await open())).toEqual(Buffer.from(keys[0]!));
    expect((await stat(join(folder, 'master-key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['master-key']);
  });

  it('is the given one, and none is stored then', async () => {
    expect((await openMasterKey({ folder, configured: one, system })).master).toEqual([one]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not replaced when it is damaged', async () => {
    await writeFile(join(folder, 'master-key'), 'half');
    await expect(openMasterKey({ folder, system })).rejects.toThrow('holds no key');
    expect(await readFile(join(folder, 'master-key'), 'utf8')).toBe('half');
  });

  it('is refused if the data was written with another one, by the ids of both', async () => {
    await openMasterKey({ folder, configured: one, system });
    expect(masterKeyId(one)).toMatch(/^[0-9a-f]{12}$/);
    await expect(openMasterKey({ folder, configured: two, system })).rejects.toMatchObject({
      kind: 'argument',
      message: differs(one, two),
    });
    const file = join(folder, 'master-key');
    await writeFile(file, two.toString('base64'));
    await expect(openMasterKey({ folder, system })).rejects.toThrow(
      `${file}: the data was written with the master key`,
    );
    await openMasterKey({ folder, configured: one, system });
  });

  it('is required if it is missing, and none is created in its place', async () => {
    await openMasterKey({ folder, configured: one, system });
    await expect(openMasterKey({ folder, system })).rejects.toThrow(
      `written with the master key ${masterKeyId(one)}, and no key is given: put ${join(folder, 'master-key')} back`,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('is the same for all concurrent first starts', async () => {
    const starts = Array.from({ length: 16 }, (_, i) => openKeys(system, [i % 2 ? one : two]));
    const kinds = (await Promise.allSettled(starts)).map(({ status }, i) => `${i % 2} ${status}`);
    expect(new Set(kinds).size).toBe(2);
    expect(kinds.filter((kind) => kind.endsWith('fulfilled'))).toHaveLength(8);
  });

  describe('the master key with identity keys', () => {
    it('has them created once for any number of first starts, independently of itself', async () => {
      const opened = await Promise.all(Array.from({ length: 8 }, () => openKeys(system, [one])));
      expect(new Set(opened.map(deviceKeyOf)).size).toBe(1);
      expect(deviceKeyOf(opened[0]!)).not.toBe(identityKeysFrom(one).device.export().toString('hex'));
      expect(JSON.stringify(await checks().find().toArray())).not.toContain(deviceKeyOf(opened[0]!));
    });

    it('keeps the keys of a store of earlier versions, also if the first start is one of a rotation', async () => {
      for (const keys of [[one], [two, one]] as const) {
        await checks().deleteMany();
        await checks().insertOne({ _id: 'check', value: checkValueOf(one) } as { _id: string });
        const opened = await Promise.all(Array.from({ length: 8 }, () => openKeys(system, keys)));
        expect(new Set(opened.map(deviceKeyOf))).toEqual(
          new Set([identityKeysFrom(one).device.export().toString('hex')]),
        );
      }
      await expect(openKeys(system, [one])).rejects.toThrow(differs(two, one));
      expect(deviceKeyOf(await openKeys(system, [two, one]))).toBe(
        identityKeysFrom(one).device.export().toString('hex'),
      );
    });
  });

  describe('the master key in a rotation', () => {
    it('is needed beside the new one until nothing is sealed with it any more', async () => {
      const before = await openKeys(system, [one]);
      expect(before.rotation).toBeUndefined();
      await expect(openKeys(system, [two])).rejects.toMatchObject({ kind: 'argument', message: differs(one, two) });
      const opened = await Promise.all(Array.from({ length: 8 }, () => openKeys(system, [two, one])));
      expect(new Set(opened.map(deviceKeyOf))).toEqual(new Set([deviceKeyOf(before)]));
      await expect(openKeys(system, [two])).rejects.toThrow(differs(one, two));
      await expect(openKeys(system, [one])).rejects.toThrow(differs(two, one));
      await expect(openKeys(system, [three, two])).rejects.toThrow(differs(one, three));

      expect(await opened[0]!.rotation!.isToCurrent()).toBe(true);
      await opened[0]!.rotation!.finish('registry');
      await expect(openKeys(system, [two])).rejects.toThrow(differs(one, two));
      await opened[0]!.rotation!.finish('webhooks');
      expect(deviceKeyOf(await openKeys(system, [two]))).toBe(deviceKeyOf(before));
      await expect(openKeys(system, [one])).rejects.toThrow(differs(two, one));
      const next = await openKeys(system, [three, two]);
      expect([deviceKeyOf(next), await next.rotation!.isToCurrent()]).toEqual([deviceKeyOf(before), true]);
    });

    it('is restored with the keys in reverse order, and is that of the last start', async () => {
      await openKeys(system, [one]);
      const announced = await openKeys(system, [one, two]);
      expect(await announced.rotation!.isToCurrent()).toBe(true);
      const rotated = await openKeys(system, [two, one]);
      expect([await announced.rotation!.isToCurrent(), await rotated.rotation!.isToCurrent()]).toEqual([false, true]);
      // Changes nothing: the store is sealed with the other key.
      await announced.rotation!.finish('registry');
      await announced.rotation!.finish('webhooks');
      await expect(openKeys(system, [two])).rejects.toThrow(differs(one, two));
      await rotated.rotation!.finish('webhooks');
      const back = await openKeys(system, [one, two]);
      // The way back is a rotation of its own, with no progress yet.
      await back.rotation!.finish('registry');
      await expect(openKeys(system, [one])).rejects.toThrow(differs(two, one));
      await back.rotation!.finish('webhooks');
      await openKeys(system, [one]);
      expect(await rotated.rotation!.isToCurrent()).toBe(false);
    });

    it('is created in the data folder if the file was moved away, and its key is the previous one', async () => {
      const first = await openMasterKey({ folder, system });
      const [previous] = first.master;
      await rm(join(folder, 'master-key'));
      await expect(openMasterKey({ folder, previous: three, system })).rejects.toThrow('and no key is given');
      const rotated = await openMasterKey({ folder, previous, system });
      expect(rotated.master).toEqual([expect.any(Buffer), previous]);
      expect(rotated.master[0]).not.toEqual(previous);
      expect(deviceKeyOf(rotated)).toBe(deviceKeyOf(first));
      expect((await openMasterKey({ folder, previous, system })).master).toEqual(rotated.master);
    });
  });
});
