import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { topicNames, topics } from '@tidings/events';
import { channels, systemClock } from '@tidings/kernel';
import { type Broker, consume, createTopics, openKafkaBroker } from '@tidings/streaming';
import { buildAll, describeWithKafka, describeWithMongo, testBroker } from '@tidings/testing';
import { startNode } from './process/node-process.ts';

const entry = fileURLToPath(new URL('../dist/redrive.js', import.meta.url));
const topic = topicNames.conversions;
const utf8 = { decode: (payload: Uint8Array) => Buffer.from(payload).toString() };

interface Deployment {
  readonly open: () => Promise<Broker>;
  readonly env: () => Record<string, string>;
}

/** Runs the program to its end, and parses the number of redriven records from its output. */
async function run(env: Record<string, string>, folder: string) {
  const program = await startNode({ entry, env: { LOG_LEVEL: 'info', ...env }, logFile: join(folder, 'redrive.log') });
  const code = await program.ended();
  const lines = program.output().split('\n').slice(0, -1);
  const parsed = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly records?: number });
  return { code, errors: program.errors(), redriven: parsed.find(({ msg }) => msg === 'redriven')?.records };
}

function redriveFeatures({ open, env }: Deployment): void {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-redrive-'));
    await buildAll();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('sends dead letters back, once, to the groups that could not handle them', async () => {
    const before = await open();
    const deadLetters = Promise.withResolvers<void>();
    await consume(before, {
      group: 'g',
      topics: { [topic]: utf8 },
      handler: () => Promise.reject(new TypeError('a defect')),
      report: ({ kind }) => void (kind === 'dead-lettered' && deadLetters.resolve()),
    });
    await before.publish(topic, [{ key: 'a', value: Buffer.from('x') }]);
    await deadLetters.promise;
    await before.close();

    expect(await run(env(), folder)).toMatchObject({ code: 0, redriven: 1 });
    expect(await run(env(), folder)).toMatchObject({ code: 0, redriven: 0 });

    const after = await open();
    const got: string[] = [];
    const handled = Promise.withResolvers<void>();
    await consume(after, {
      group: 'g',
      topics: { [topic]: utf8 },
      async handler(records) {
        got.push(...records.map(({ value }) => value));
        handled.resolve();
      },
    });
    await handled.promise;
    await after.close();
    expect(got).toEqual(['x']);
  });
}

describeWithMongo('redrive of the embedded mode', (mongo) => {
  let data: string;
  beforeAll(async () => void (data = await mkdtemp(join(tmpdir(), 'tidings-redrive-'))));
  afterAll(() => rm(data, { recursive: true, force: true }));
  const open = () => testBroker({ db: mongo.database('log') });
  const env = () => ({
    // The path of the URL is the prefix of the databases.
    MONGO_URL: mongo.url.replace(/\/(\?|$)/, `/${mongo.prefix}$1`),
    KAFKA_BROKERS: '',
    TIDINGS_DATA: data,
  });

  redriveFeatures({ open, env });

  it('leaves alone what runs', async () => {
    const running = await open();
    const { code, errors } = await run(env(), data);
    expect(code).toBe(1);
    expect(errors).toContain(`in use by process ${process.pid}`);
    await running.close();
  });
});

describeWithKafka('redrive of the distributed mode', (kafka) => {
  const options = () => ({
    ...{ brokers: kafka.brokers, namespace: kafka.namespace, clientId: 'spec', warn: () => undefined },
    topics: topics(channels),
  });
  beforeAll(() => createTopics({ ...options(), replicationFactor: 1 }));

  redriveFeatures({
    open: () => openKafkaBroker({ ...options(), clock: systemClock }),
    env: () => ({ KAFKA_BROKERS: kafka.brokers, KAFKA_NAMESPACE: kafka.namespace }),
  });
});
