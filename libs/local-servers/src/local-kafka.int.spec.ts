import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '@tidings/coordination';
import { describeWhere } from '@tidings/testing';
import { canRunKafka } from './kafka-jars.ts';
import { type LocalKafka, startLocalKafka } from './local-kafka.ts';

describeWhere(canRunKafka())('local Kafka', () => {
  let folder: string;
  let kafka: LocalKafka | undefined;

  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tidings-kafka-'))));
  afterEach(async () => {
    await kafka?.stop();
    await rm(folder, { recursive: true });
  });

  const clusterId = async (): Promise<string | undefined> =>
    (await readFile(join(folder, 'data', 'meta.properties'), 'utf8')).match(/cluster\.id=(\S+)/)?.[1];

  it('restarts on its port and data, after a kill and after a stop', async () => {
    kafka = await startLocalKafka(folder);
    const [address, id] = [kafka.brokers, await clusterId()];
    for (const end of [() => kafka!.kill(), () => kafka!.stop()]) {
      const { pid } = kafka;
      await end();
      expect(isAlive(pid)).toBe(false);
      await kafka.restart();
      expect(isAlive(kafka.pid)).toBe(true);
      expect(kafka.pid).not.toBe(pid);
    }
    expect([kafka.brokers, await clusterId()]).toEqual([address, id]);
  });

  it('is adopted by a process that starts it again', async () => {
    kafka = await startLocalKafka(folder);
    const again = await startLocalKafka(folder);
    expect([again.pid, again.brokers]).toEqual([kafka.pid, kafka.brokers]);
    await again.stop();
    expect(isAlive(kafka.pid)).toBe(false);
  });

  it('is unavailable without its program', async () => {
    await expect(startLocalKafka(folder, { version: 'none' })).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
