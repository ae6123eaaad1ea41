import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { counterIn, histogramIn, cached, type Reading, readIn } from './metric-definitions.ts';

const definition = { name: 'tidings_test', help: 'Test', labels: ['part'] } as const;

const values = async (registry: Registry): Promise<Record<string, number>> => {
  const { values: all } = await registry.getSingleMetric('tidings_test')!.get();
  return Object.fromEntries(all.map(({ labels, value }) => [String(labels['part']), value]));
};

const reading = (part: string, value: number): Reading<'part'> => ({ labels: { part }, value });

describe('metrics of one name', () => {
  it('are the same object for every caller', async () => {
    const registry = new Registry();
    counterIn(registry, definition).inc({ part: 'a' });
    counterIn(registry, definition).inc({ part: 'a' });
    expect(await values(registry)).toEqual({ a: 2 });
    expect(histogramIn(registry, { name: 'tidings_other', help: 'Other' })).toBe(
      histogramIn(registry, { name: 'tidings_other', help: 'Other' }),
    );
  });
});

describe('values that are read at the scrape', () => {
  it.each(['gauge', 'counter'] as const)('are those of all sources at that moment: %s', async (type) => {
    const registry = new Registry();
    const current = { a: 1, b: 5 };
    readIn(registry, type, definition, () => [reading('a', current.a)]);
    readIn(registry, type, definition, async () => [reading('b', current.b), reading('a', 10)]);
    expect(await values(registry)).toEqual({ a: 11, b: 5 });
    current.b = 6;
    expect(await values(registry)).toEqual({ a: 11, b: 6 });
  });

  it('are absent if their source fails, and do not prevent others from being read', async () => {
    const registry = new Registry();
    readIn(registry, 'gauge', definition, () => Promise.reject(new Error('no answer')));
    readIn(registry, 'gauge', definition, () => {
      throw new Error('no answer');
    });
    readIn(registry, 'gauge', definition, () => [reading('a', 1)]);
    expect(await values(registry)).toEqual({ a: 1 });
  });

  it('are cached for a time, except failures', async () => {
    let reads = 0;
    let fails = true;
    const source = cached(60_000, async () => {
      reads++;
      if (fails) throw new Error('no answer');
      return [reading('a', reads)];
    });
    await expect(source()).rejects.toThrow('no answer');
    fails = false;
    expect(await source()).toEqual([reading('a', 2)]);
    expect(await source()).toEqual([reading('a', 2)]);
  });
});
