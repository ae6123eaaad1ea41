import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

  it('is refused to another process while its starter lives, and adopted after its end', async () => {
    kafka = await startLocalKafka(folder);
    const note = join(folder, 'tidings-kafka.json');
    const belongTo = async (parent: number): Promise<void> =>
      writeFile(note, JSON.stringify({ ...(JSON.parse(await readFile(note, 'utf8')) as object), parent }));

    await belongTo(process.ppid);
    await expect(startLocalKafka(folder)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining(`in use by process ${process.ppid}`) as unknown,
    });
    expect(isAlive(kafka.pid)).toBe(true);

    await belongTo(2 ** 22 + 1);
    expect((await startLocalKafka(folder)).pid).toBe(kafka.pid);
  });

  it('is unavailable without its program', async () => {
    await expect(startLocalKafka(folder, { version: 'none' })).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
