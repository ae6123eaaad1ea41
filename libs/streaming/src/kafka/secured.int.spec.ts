import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { systemClock } from '@tidings/kernel';
import { canRunKafka, type LocalKafka, startLocalKafka } from '@tidings/local-servers';
import { certificateAuthority, describeWhere } from '@tidings/testing';
import type { Broker, TopicSpec } from '../broker-port.ts';
import type { KafkaClientOptions, KafkaSasl } from './kafka-client.ts';
import { openKafkaBroker } from './kafka-broker.ts';
import { createTopics } from './create-topics.ts';

const user = { username: 'tidings', password: 'of-a-test' };
const things: TopicSpec = { name: 'things', kind: 'facts', partitions: 1, retentionMs: 86_400_000 };
const authority = certificateAuthority('cluster');
const { ca } = authority;

describeWhere(canRunKafka())('Kafka behind TLS and SASL', () => {
  let folder: string;
  let kafka: LocalKafka;
  let brokers: Broker[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-secured-kafka-'));
    kafka = await startLocalKafka(folder, { security: { ...authority.issue('localhost'), ca, ...user } });
  });
  afterAll(async () => {
    await kafka?.kill();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => void (brokers = []));
  afterEach(async () => {
    for (const broker of brokers) await broker.close();
  });

  const as = (options: Pick<KafkaClientOptions, 'tls' | 'sasl'>): KafkaClientOptions => ({
    brokers: kafka.securedBrokers!,
    clientId: 'spec',
    namespace: 'secured.',
    warn: () => undefined,
    ...options,
  });
  const opened = async (options: Pick<KafkaClientOptions, 'tls' | 'sasl'>): Promise<Broker> => {
    const broker = await openKafkaBroker({ ...as(options), topics: [things], clock: systemClock });
    brokers.push(broker);
    return broker;
  };

  it.each(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)(
    'transports records by %s, with a certificate and without',
    async (mechanism) => {
      for (const tls of [{ ca }, { ca, ...authority.issue('client.test') }]) {
        const options = { tls, sasl: { mechanism, ...user } };
        await createTopics({ ...as(options), topics: [things], replicationFactor: 1 });
        const broker = await opened(options);
        const text = `${mechanism} ${Object.keys(tls).join()}`;
        const read = new Promise((resolve) => {
          void broker.subscribe({
            group: text.replaceAll(/\W/g, '-'),
            topics: [things.name],
            from: 'earliest',
            handler: async ({ records }) => {
              const texts = records.map(({ value }) => Buffer.from(value).toString());
              if (texts.includes(text)) resolve(text);
            },
          });
        });
        await broker.publish(things.name, [{ key: 'a', value: Buffer.from(text) }]);
        expect(await read).toBe(text);
      }
    },
  );

  const sasl: KafkaSasl = { mechanism: 'SCRAM-SHA-512', ...user };
  it.each<[string, Pick<KafkaClientOptions, 'tls' | 'sasl'>, RegExp]>([
    ['a wrong password', { tls: { ca }, sasl: { ...sasl, password: 'wrong' } }, /^KAFKA_SASL_PASSWORD: /],
    ['a certificate of an unknown CA', { tls: {}, sasl }, /^KAFKA_SSL_CA: /],
  ])('refuses %s with a sentence that names the variable, at once', async (_, options, text) => {
    await expect(opened(options)).rejects.toMatchObject({ kind: 'argument', message: expect.stringMatching(text) });
  });
});
