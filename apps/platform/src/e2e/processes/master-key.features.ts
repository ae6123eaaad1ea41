import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { masterKeyId } from '@tidings/runtime';
import { type ClusterWorld, Load, type LoggingWorld } from '@tidings/testing';
import { isCluster, type ProcessesUnderTest } from './testing/processes.ts';

const DEVICES = 40;
const isAndroid = (i: number): boolean => i % 2 === 1;
const base64 = (key: Uint8Array): string => Buffer.from(key).toString('base64');

export function masterKeyFeatures(test: ProcessesUnderTest): void {
  describe('rotation of the master key', () => {
    let world: LoggingWorld;
    let application: string;
    let loaded: string;
    let oldKey: Uint8Array;
    const newKey = randomBytes(32);
    const files = { current: '', previous: '' };
    const loads: Load[] = [];

    beforeAll(async () => {
      ({ world } = test);
      oldKey = Buffer.from(await readFile(join(world.dataFolder, 'master-key'), 'utf8'), 'base64');
      files.current = join(world.dataFolder, 'new');
      files.previous = join(world.dataFolder, 'old');
      await writeFile(files.current, `${base64(newKey)}\n`);
      await writeFile(files.previous, `${base64(oldKey)}\n`);
      application = await world.application();
      await world.call('addTag', { tag: { name: 'Level', type: 1 } });
      await register('first');
      if (!isCluster(world)) return;
      loaded = await world.application();
      await register('first', loaded);
    });

    const register = (round: string, of = application): Promise<void> =>
      world.registerDevices(of, DEVICES, (i) => ({
        hwid: `device-${i}`,
        device_type: isAndroid(i) ? 3 : 1,
        push_token: isAndroid(i) ? `${round}-${i}` : Buffer.from(`${round}-${i}`.padStart(32)).toString('hex'),
        ...(round === 'first' && { tags: { Level: i } }),
      }));

    async function sent(to = application, transactionId = randomBytes(8).toString('hex')) {
      const { Messages: codes } = await world.call('createMessage', {
        application: to,
        notifications: [{ content: 'Hello', transactionId }],
      });
      await world.settle();
      const params = { with_metrics: true };
      const { items } = await world.call('messagesList', { filters: { application: to }, params });
      const found = items.find(({ code }) => code === codes[0])!;
      const sends = found.push_info!.metrics!.map(({ platform, sends: count }) => [platform, count]);
      return { code: codes[0]!, sends, count: items.length };
    }
    const allDevices = [
      [1, DEVICES / 2],
      [3, DEVICES / 2],
    ];

    /** In distributed mode in two halves, with `between` in between. */
    async function roll(env: Readonly<Record<string, string>>, between?: () => Promise<void>): Promise<void> {
      if (!isCluster(world)) return world.restart(env);
      const distributed = world;
      const halves = Map.groupBy(distributed.cluster.members, ({ replica }) => replica);
      const underLoad = async (half: number): Promise<void> => {
        const restart = (): Promise<void> => distributed.restart(env, halves.get(half));
        loads.push(await Load.during(distributed, { applications: [loaded], named: namedDevices }, restart));
      };
      await underLoad(0);
      await between?.();
      await underLoad(1);
    }

    const namedDevices = (n: number): string[] => Array.from({ length: n }, (_, i) => `device-${i}`);

    async function expectNoLoss(): Promise<void> {
      if (loads.length === 0) return;
      await world.settle();
      const counts = loads.map(({ counts: each }) => each);
      const total = (of: (each: Load['counts']) => number): number => counts.reduce((sum, each) => sum + of(each), 0);
      const [devices, messages] = [total(({ registered }) => registered), total(({ sent: each }) => each)];
      process.stderr.write(`the master key was rotated beside ${devices} registrations and ${messages} messages\n`);
      expect(loads.flatMap(({ faults }) => faults)).toEqual([]);
      for (const load of loads) expect(await load.broken()).toEqual([]);
    }

    const expectKnown = async (): Promise<void> => {
      for (const i of [0, 1, DEVICES - 1]) {
        const { result } = await world.call('getTags', { application, hwid: `device-${i}` });
        expect(result).toMatchObject({ Level: i });
      }
    };
    const shown = async () => (await world.call('getApplication', { application })).application;

    it('finds the same devices, opens credentials and tokens, and ends with the new key only', async () => {
      const before = await shown();

      await roll({ TIDINGS_MASTER_KEY: base64(oldKey), TIDINGS_MASTER_KEY_PREVIOUS: base64(newKey) }, expectKnown);
      await expectKnown();
      const first = await sent(application, 'transaction');
      expect(first.sends).toEqual(allDevices);

      const both = {
        TIDINGS_MASTER_KEY: '',
        TIDINGS_MASTER_KEY_PREVIOUS: '',
        TIDINGS_MASTER_KEY_FILE: files.current,
        TIDINGS_MASTER_KEY_PREVIOUS_FILE: files.previous,
      };
      await roll(both, async () => {
        await expectKnown();
        for (let i = 0; i < 4; i++) {
          const added = await world.application({ ios: false });
          await world.call('registerDevice', {
            application: added,
            hwid: 'device',
            device_type: 3,
            push_token: 'token',
          });
          expect((await sent(added)).sends).toEqual([[3, 1]]);
        }
      });
      await expectKnown();
      const again = await sent(application, 'transaction');
      expect([again.code, again.count]).toEqual([first.code, 1]);
      const lines = (await world.logged())
        .split('\n')
        .filter((line) => line.includes('nothing is sealed with TIDINGS_MASTER_KEY_PREVIOUS'));
      const [oldId, newId] = [oldKey, newKey].map(masterKeyId);
      expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
        expect.objectContaining({ current: newId, previous: oldId }),
      );

      await roll({ TIDINGS_MASTER_KEY: base64(newKey) });
      await expectKnown();
      await register('second');
      expect((await sent()).sends).toEqual(allDevices);
      await expectKnown();
      expect(await shown()).toEqual(before);
      await expectNoLoss();

      const refused = `the data was written with the master key ${newId}, and this is the key ${oldId}`;
      const [registry] = isCluster(world) ? world.cluster.of('registry') : [];
      const start = registry
        ? (world as ClusterWorld).restart({ TIDINGS_MASTER_KEY: base64(oldKey) }, [registry])
        : world.restart({ TIDINGS_MASTER_KEY: base64(oldKey) });
      await expect(start).rejects.toThrow(refused);
    }, 900_000);
  });
}
