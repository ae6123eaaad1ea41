import { Fault } from '@tidings/kernel';
import { MongoServerError } from 'mongodb';
import { consume, type ConsumeOptions, type Incident, type Reader } from './consume.ts';
import { readDeadLetter } from './dead-letters.ts';
import {
  type BatchHandler,
  type Broker,
  type InRecord,
  type OutRecord,
  DEAD_LETTER_TOPIC,
  type SubscribeOptions,
} from './broker-port.ts';

type Things = { things: Reader<string> };

const things: Things = {
  things: {
    decode(payload) {
      const value = Buffer.from(payload).toString();
      if (value.startsWith('?')) throw new Error('unreadable');
      return value;
    },
    isKnown: (value) => !value.startsWith('newer'),
  },
};

async function consumer(handler: ConsumeOptions<Things>['handler']): Promise<{
  deliver(...values: string[]): ReturnType<BatchHandler>;
  deadLetters: OutRecord[];
  incidents: Incident[];
}> {
  const deadLetters: OutRecord[] = [];
  const incidents: Incident[] = [];
  let options: SubscribeOptions | undefined;
  const broker: Pick<Broker, 'publish' | 'subscribe'> = {
    subscribe: async (subscribed) => {
      options = subscribed;
      return { stop: async () => undefined };
    },
    publish: async (topic, records) => {
      expect(topic).toBe(DEAD_LETTER_TOPIC);
      deadLetters.push(...records);
      return records.map((_, offset) => ({ partition: 0, offset }));
    },
  };
  await consume(broker, { group: 'g', topics: things, handler, report: (incident) => incidents.push(incident) });
  return {
    deadLetters,
    incidents,
    deliver: async (...values) => {
      const records = values.map((value, i): InRecord => {
        return { topic: 'things', partition: 2, offset: 100 + i, timestamp: 5, key: 'k', value: Buffer.from(value) };
      });
      return options?.handler({ topic: 'things', partition: 2, records });
    },
  };
}

describe('consume', () => {
  it('keeps records of an unknown kind whole, for a newer version', async () => {
    const seen: string[] = [];
    const { deliver, deadLetters, incidents } = await consumer(async (records) => {
      seen.push(...records.map(({ value }) => value));
    });
    expect(await deliver('a', 'newer', 'c')).toBeUndefined();
    expect(seen).toEqual(['a', 'c']);
    expect(incidents).toMatchObject([{ kind: 'unknown', offset: 101 }]);
    const [kept] = deadLetters.map(({ value }) => readDeadLetter(value));
    expect(kept).toMatchObject({ reason: 'unknown', topic: 'things', offset: 101 });
    expect(Buffer.from(kept!.payload).toString()).toBe('newer');
  });

  it('passes all readable records together', async () => {
    const seen: string[][] = [];
    const { deliver, deadLetters } = await consumer(async (records) => {
      seen.push(records.map(({ value, offset }) => `${offset}=${value}`));
    });
    expect(await deliver('a', '?b', 'c')).toBeUndefined();
    expect(seen).toEqual([['100=a', '102=c']]);
    expect(deadLetters.map(({ value }) => readDeadLetter(value))).toMatchObject([
      { reason: 'decode', group: 'g', topic: 'things', partition: 2, offset: 101, key: 'k', timestamp: 5 },
    ]);
  });

  it('dead-letters unreadable records only after the records before them are handled', async () => {
    const { deliver, deadLetters } = await consumer(async () => 1);
    expect(await deliver('a', 'b', '?c')).toBe(1);
    expect(deadLetters).toEqual([]);
    expect(await deliver('?b', 'c', 'd')).toBe(2);
    expect(deadLetters).toHaveLength(1);
  });

  it('calls no handler if nothing can be read', async () => {
    let calls = 0;
    const { deliver, deadLetters } = await consumer(async () => void calls++);
    expect(await deliver('?a', '?b')).toBeUndefined();
    expect(calls).toBe(0);
    expect(deadLetters).toHaveLength(2);
  });

  it('divides a failing batch until it has found the failing record, and passes the remaining records together', async () => {
    const sizes: number[] = [];
    const { deliver, deadLetters, incidents } = await consumer(async (records) => {
      sizes.push(records.length);
      if (records.some(({ value }) => value === 'poison')) throw new Error('bad taste');
    });
    expect(await deliver('a', 'b', 'poison', 'd', 'e', 'f')).toBeUndefined();
    expect(sizes).toEqual([6, 2, 2, 1, 1, 1, 3]);
    expect(deadLetters.map(({ value }) => readDeadLetter(value))).toMatchObject([
      { reason: 'handler', offset: 102, error: 'bug: bad taste' },
    ]);
    expect(incidents.map(({ kind, offset }) => `${kind} ${offset}`)).toEqual([
      'retried 100',
      'retried 102',
      'retried 102',
      'retried 102',
      'dead-lettered 102',
    ]);
  });

  it('finds each of several failing records with few calls', async () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i % 8_000 === 1_234 ? `poison ${i}` : `${i}`));
    const handled: string[] = [];
    const tries = new Map<string, number>();
    let calls = 0;
    const { deliver, deadLetters } = await consumer(async (records) => {
      calls++;
      const poison = records.find(({ value }) => value.startsWith('poison'));
      if (!poison) return void handled.push(...records.map(({ value }) => value));
      tries.set(poison.value, (tries.get(poison.value) ?? 0) + 1);
      throw new Error('bad taste');
    });
    expect(await deliver(...values)).toBeUndefined();
    expect(deadLetters).toHaveLength(2);
    expect([...tries.values()]).toEqual([5, 5]);
    expect(handled).toEqual(values.filter((value) => !value.startsWith('poison')));
    expect(calls).toBeLessThan(450);
  });

  it('does not dead-letter records while a dependency is unavailable', async () => {
    let calls = 0;
    const { deliver, deadLetters } = await consumer(async () => {
      if (++calls < 3) throw Fault.unavailable('not now');
    });
    expect(await deliver('a', 'b')).toBeUndefined();
    expect(deadLetters).toEqual([]);
  });

  it('does not dead-letter records while the disk of the store is full', async () => {
    const seen: number[] = [];
    const { deliver, deadLetters } = await consumer(async (records) => {
      seen.push(records.length);
      if (seen.length < 6) throw new MongoServerError({ code: 8, message: '28: No space left on device' });
    });
    expect(await deliver('a', 'b')).toBeUndefined();
    expect(seen).toEqual([2, 2, 2, 2, 2, 2]);
    expect(deadLetters).toEqual([]);
  });

  it('returns a batch if it cannot dead-letter', async () => {
    const { deliver, deadLetters } = await consumer(async () => {
      throw new Error('bad taste');
    });
    deadLetters.push = () => {
      throw Fault.unavailable('no log');
    };
    expect(await deliver('a')).toBe(0);
  });
});
