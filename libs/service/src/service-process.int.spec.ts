import { expect, it } from '@jest/globals';
import { topics } from '@tidings/events';
import { channels } from '@tidings/kernel';
import { openLog, readServiceEnv, requiredByAll } from '@tidings/runtime';
import { createTopics } from '@tidings/streaming';
import { describeWithOwnKafka } from '@tidings/testing';
import { kafkaOptions } from './connect-kafka.ts';
import { ServiceProcess } from './service-process.ts';

describeWithOwnKafka('the process of a service', (kafka) => {
  it('becomes ready when Kafka has its topics, and stays ready without Kafka', async () => {
    const configuration = readServiceEnv(
      { required: requiredByAll, peers: [] },
      {
        KAFKA_BROKERS: kafka.brokers,
        KAFKA_NAMESPACE: kafka.namespace,
        TIDINGS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      },
    );
    const stopping = new AbortController();
    const options = { name: 'spec', configuration, log: openLog('silent') };
    const process = new ServiceProcess<never, never>({ ...options, signal: stopping.signal });
    const { readiness, closing } = process;
    try {
      const opening = process.broker();
      readiness.start();
      expect(await readiness.waitingFor()).toEqual({ kafka: 'starting' });
      await createTopics({ ...kafkaOptions(options), topics: topics(channels), replicationFactor: 1 });
      const broker = await opening;
      expect(await readiness.waitingFor()).toEqual({});

      await kafka.server.kill();
      const report = { key: 'a', value: Buffer.from('x') };
      await expect(broker.publish('tidings.reports', [report])).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await readiness.waitingFor()).toEqual({});
    } finally {
      stopping.abort();
      await closing.close();
    }
  });
});
