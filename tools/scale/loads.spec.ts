import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  broadcastSeconds,
  type Costs,
  firstFull,
  messageSeconds,
  type Scenario,
  serviceNames,
  utilisations,
} from './loads.ts';
import { costsOf, rowsOfPage, scalePath, tableOf, withTable } from './page.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', scalePath), 'utf8');
const scenario = (changes: Partial<Scenario> = {}): Scenario => ({
  load: 1,
  processes: 1,
  channels: 1,
  seed: 1,
  ...changes,
});
const costs = Object.fromEntries(serviceNames.map((name) => [name, { push: 20, message: 1 }])) as unknown as Costs;
const slow = { ...costs, dispatcher: { push: 400, message: 1 } };

describe('A load', () => {
  it('has the same result for the same seed, and another one for another seed', () => {
    const many = scenario({ processes: 8 });
    expect(utilisations(many, costs)).toEqual(utilisations(many, costs));
    expect(utilisations(many, costs)).not.toEqual(utilisations({ ...many, seed: 2 }, costs));
  });

  it('is the work of all pushes and messages, spread over processes and channels', () => {
    const { mean, busiest } = utilisations(scenario(), costs)['fan-out'];
    expect([mean, busiest]).toEqual([expect.closeTo((20 + 3) / 300), expect.closeTo((20 + 3) / 300)]);
    expect(utilisations(scenario({ load: 4, processes: 2, channels: 4 }), costs)).toMatchObject({
      'fan-out': { mean: expect.closeTo(2 * mean) },
      dispatcher: { mean: expect.closeTo(mean / 2) },
    });
  });

  it('has more work at some processes than at others, since chance assigns keys to partitions', () => {
    const { mean, busiest } = utilisations(scenario({ load: 2, processes: 8 }), costs)['fan-out'];
    expect(busiest).toBeGreaterThan(1.2 * mean);
  });

  it('fills the slowest service first, at the load whose work is a whole core', () => {
    const { name, load } = firstFull(scenario(), slow);
    expect(name).toBe('dispatcher');
    expect(load).toBeCloseTo(300 / 403);
    expect(utilisations(scenario({ load }), slow).dispatcher.busiest).toBeCloseTo(1);
  });

  it('sends a broadcast as fast as the slowest service does', () => {
    expect(broadcastSeconds(scenario(), slow)).toBeCloseTo(400);
    expect(broadcastSeconds(scenario({ channels: 4 }), slow)).toBeCloseTo(100);
  });

  it('lets a message wait for a slice at each process, while messages need less than half of it', () => {
    expect(messageSeconds(scenario(), costs)).toBeCloseTo(4 * (0.001 + 500 * 20e-6));
    expect(messageSeconds(scenario({ load: 51 }), costs)).toBeUndefined();
  });
});

describe(scalePath, () => {
  it('has the table that its costs lead to: `npm run scale -- --write` renews it', () => {
    expect(page).toContain(tableOf(rowsOfPage, costsOf(page)));
  });

  it('tells the costs of every process and store', () => {
    expect(costsOf(page)).toMatchObject({ gateway: { push: 0 }, 'fan-out': { push: expect.any(Number) } });
    expect(() => costsOf(page.replaceAll('fan-out', 'fanout'))).toThrow('no cost of fan-out');
  });

  it('gets a new table in place of the old one', () => {
    expect(withTable('a\n| b |\n| 1 |\n\nc\n', '| b |\n| 2 |\n')).toBe('a\n| b |\n| 2 |\n\nc\n');
    expect(() => withTable('a\n', '| b |\n')).toThrow('has no table');
  });
});
