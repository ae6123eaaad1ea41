import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { Fault, randomBase62 } from '@tidings/kernel';
import { until } from '@tidings/testing';
import { consume, type Incident } from '../consume.ts';
import { type DeadLetter, readDeadLetter } from '../dead-letters.ts';
import { LARGEST_RECORD_BYTES, DEAD_LETTER_TOPIC } from '../broker-port.ts';
import { type BrokerUnderTest, record, records, numbers, newGroup } from './broker-under-test.ts';

export function consumeFeatures(test: BrokerUnderTest): void {
  const { start, lagOf } = test;

  describe('consume', () => {
    const utf8 = { decode: (payload: Uint8Array) => Buffer.from(payload).toString() };
    const json = { decode: (payload: Uint8Array) => JSON.parse(Buffer.from(payload).toString()) as { n: number } };

    const deadLetters = async (): Promise<DeadLetter[]> => {
      const found: DeadLetter[] = [];
      await test.broker.subscribe({
        group: newGroup(),
        topics: [DEAD_LETTER_TOPIC],
        handler: async (batch) => {
          found.push(
            ...batch.records.map(({ value }) => readDeadLetter(value)).filter((one) => one.topic === test.topic),
          );
        },
      });
      return found;
    };

    it('returns decoded values with their positions', async () => {
      await start();
      const headers = { traceparent: '00-4bf9-01' };
      await test.broker.publish(test.topic, [{ ...record('a', '{"n":1}'), headers }, record('a', '{"n":2}')]);
      const got: object[] = [];
      await consume(test.broker, {
        group: newGroup(),
        topics: { [test.topic]: json },
        handler: async (batch) => {
          got.push(...batch.map(({ value, offset, key, headers }) => ({ ...value, offset, key, headers })));
        },
      });
      await until(() => got.length === 2);
      expect(got).toEqual([
        { n: 1, offset: 0, key: 'a', headers },
        { n: 2, offset: 1, key: 'a' },
      ]);
    });

    it('dead-letters undecodable records, and the others continue', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', '{"n":1}', 'no json', '{"n":3}'));
      const got: number[] = [];
      const name = newGroup();
      await consume(test.broker, {
        group: name,
        topics: { [test.topic]: json },
        handler: async (batch) => {
          got.push(...batch.map(({ value }) => value.n));
        },
      });
      await until(async () => (await lagOf(name)) === 0);
      const found = await deadLetters();
      await until(() => found.length === 1);
      expect(got).toEqual([1, 3]);
      expect(found[0]).toMatchObject({
        reason: 'decode',
        group: name,
        topic: test.topic,
        partition: 0,
        offset: 1,
        key: 'a',
      });
      expect(Buffer.from(found[0]?.payload ?? []).toString()).toBe('no json');
    });

    it('dead-letters the one record that fails after at most 5 tries, within 5 s, while the others continue', async () => {
      await start();
      const name = newGroup();
      await test.broker.publish(test.topic, records('a', ...numbers(0, 200)));
      const got: string[] = [];
      let tries = 0;
      let startedAt = 0;
      await consume(test.broker, {
        group: name,
        topics: { [test.topic]: utf8 },
        handler: async (batch) => {
          startedAt ||= Date.now();
          for (const { value } of batch) {
            if (value === '77') {
              tries++;
              throw new Error('cannot digest 77');
            }
            got.push(value);
          }
        },
      });
      await until(() => got.includes('199'));
      expect(Date.now() - startedAt).toBeLessThan(5_000);
      expect(tries).toBeLessThanOrEqual(5);
      expect(new Set(got)).toEqual(
        new Set(
          numbers(0, 200)
            .map(String)
            .filter((n) => n !== '77'),
        ),
      );
      const found = await deadLetters();
      await until(() => found.length === 1);
      expect(found[0]).toMatchObject({ reason: 'handler', group: name, offset: 77, key: 'a' });
      expect(found[0]?.error).toContain('cannot digest 77');
      await until(async () => (await lagOf(name)) === 0);
    });

    it('dead-letters the one record that fails among very many with few calls of the handler', async () => {
      await start();
      const [name, count] = [newGroup(), 20_000];
      const [got, incidents] = [new Set<string>(), [] as Incident[]];
      let calls = 0;
      for (let n = 0; n < count; n += 1_000)
        await test.broker.publish(test.topic, records('a', ...numbers(n, n + 1_000)));
      await consume(test.broker, {
        group: name,
        topics: { [test.topic]: utf8 },
        maxRecords: count,
        handler: async (batch) => {
          calls++;
          if (batch.some(({ value }) => value === '15000')) throw new Error('cannot digest 15000');
          for (const { value } of batch) got.add(value);
        },
        report: (incident) => incidents.push(incident),
      });
      await until(async () => (await lagOf(name)) === 0);
      expect(got.size).toBe(count - 1);
      expect(incidents.filter(({ kind }) => kind === 'dead-lettered')).toMatchObject([{ offset: 15_000 }]);
      expect(calls).toBeLessThan(count / 20);
    });

    it.each([
      ['just under the limit', LARGEST_RECORD_BYTES - 1],
      ['as large as may be', LARGEST_RECORD_BYTES],
    ])('dead-letters a record %s whole', async (_, bytes) => {
      await start();
      const headers = { traceparent: '00-4bf9-01' };
      const overhead = 'k'.length + 'traceparent'.length + headers.traceparent.length;
      const value = Buffer.alloc(bytes - overhead, randomBase62(64));
      const got: Uint8Array[] = [];
      await consume(test.broker, {
        group: newGroup(),
        topics: { [test.topic]: { decode: (payload) => payload } },
        handler: async (batch) => {
          if (batch.some((one) => one.value.length === value.length)) throw new Error('x'.repeat(5_000));
          got.push(...batch.map((one) => one.value));
        },
      });
      await test.broker.publish(test.topic, [{ key: 'k', value, headers }, record('k', 'after')]);
      const found = await deadLetters();
      await until(() => found.length === 1 && got.length === 1);
      expect(found[0]).toMatchObject({ key: 'k', headers, reason: 'handler' });
      expect(found[0]!.cut).toBeUndefined();
      expect(Buffer.compare(found[0]!.payload, value)).toBe(0);
    });

    it('truncates parts that exceed a dead letter', async () => {
      await start();
      const headers = { baggage: 'ü'.repeat(200_000) };
      const value = Buffer.alloc(LARGEST_RECORD_BYTES - 'k'.length - 'baggage'.length - headers.baggage.length, 'v');
      await consume(test.broker, {
        group: newGroup(),
        topics: { [test.topic]: utf8 },
        handler: async () => {
          throw new Error('never');
        },
      });
      await test.broker.publish(test.topic, [{ key: 'k', value, headers }]);
      const found = await deadLetters();
      await until(() => found.length === 1);
      const sha256 = createHash('sha256').update(value).digest('hex');
      expect(found[0]).toMatchObject({ key: 'k', topic: test.topic, cut: { payloadBytes: value.length, sha256 } });
    });

    it('retries during an outage, and dead-letters nothing', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', 1, 2, 3));
      const got: string[] = [];
      const incidents: Incident[] = [];
      let calls = 0;
      await consume(test.broker, {
        group: newGroup(),
        topics: { [test.topic]: utf8 },
        report: (incident) => incidents.push(incident),
        handler: async (batch) => {
          if (++calls < 4) throw Fault.unavailable('not now');
          got.push(...batch.map(({ value }) => value));
        },
      });
      await until(() => got.length === 3);
      expect(got).toEqual(['1', '2', '3']);
      expect(incidents.map(({ kind }) => kind)).toEqual(['retried', 'retried', 'retried']);
    });

    it('returns the rest within 5 s of an outage, and continues after it', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', 1, 2, 3));
      const incidents: Incident[] = [];
      const got: string[] = [];
      let startedAt = 0;
      const backWithin = (): boolean => incidents.some(({ kind }) => kind === 'returned');
      await consume(test.broker, {
        group: newGroup(),
        topics: { [test.topic]: utf8 },
        report: (incident) => incidents.push(incident),
        handler: async (batch) => {
          startedAt ||= Date.now();
          const [first] = got.length === 0 ? batch : [];
          if (!first && !backWithin()) throw Fault.unavailable('not now');
          got.push(...(first ? [first] : batch).map(({ value }) => value));
          return first ? 1 : batch.length;
        },
      });
      await until(backWithin);
      expect(Date.now() - startedAt).toBeLessThan(5_000);
      expect(incidents.filter(({ kind }) => kind === 'retried').length).toBeLessThanOrEqual(6);
      await until(() => got.length === 3);
      expect(got).toEqual(['1', '2', '3']);
    });

    it('does not wait for the end of an outage when it is stopped', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', 1));
      let calls = 0;
      const subscription = await consume(test.broker, {
        group: newGroup(),
        topics: { [test.topic]: utf8 },
        handler: async () => {
          calls++;
          throw Fault.unavailable('never');
        },
      });
      await until(() => calls === 5);
      await subscription.stop();
      expect(calls).toBe(5);
    });

    it('accepts the number of records that a handler has completed', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', '{"n":0}', 'no json', '{"n":2}', '{"n":3}'));
      const firsts: number[] = [];
      const name = newGroup();
      await consume(test.broker, {
        group: name,
        topics: { [test.topic]: json },
        handler: async (batch) => {
          firsts.push(batch[0]?.value.n ?? -1);
          return 1;
        },
      });
      await until(async () => (await lagOf(name)) === 0);
      expect(firsts).toEqual([0, 2, 3]);
      const found = await deadLetters();
      await until(() => found.length === 1);
    });
  });
}
