import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { costsOf, rowsOfPage, scalePath, tableOf, withTable } from './report.ts';
import { type Costs, type Scenario, serviceNames, simulate } from './simulation.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', scalePath), 'utf8');
const scenario = (changes: Partial<Scenario> = {}): Scenario => ({
  load: 1,
  processes: 1,
  channels: 1,
  providerRate: 0,
  seed: 1,
  ...changes,
});
const costs = Object.fromEntries(serviceNames.map((name) => [name, { push: 20, message: 1 }])) as unknown as Costs;

describe('the simulation', () => {
  it('gives the same result for the same seed, and another one for another seed', () => {
    expect(simulate(scenario(), costs)).toEqual(simulate(scenario(), costs));
    expect(simulate(scenario(), costs)).not.toEqual(simulate(scenario({ seed: 2 }), costs));
  });

  it('sends a broadcast as fast as the slowest service, and messages beside it within some slices', () => {
    const { finished, delays, utilisations } = simulate(scenario(), costs);
    // A million pushes of 20 µs, and some messages.
    expect(finished[0]).toBeCloseTo(20.3, 0);
    expect(utilisations['fan-out'].mean).toBeCloseTo((20 + 3) / 300, 2);
    expect(delays[0]).toBeGreaterThanOrEqual(4 * 0.001);
    expect(delays.at(-1)).toBeLessThan(4 * (0.001 + 500 * 20e-6) + 0.02);
  });

  it('assigns more work to some processes than to others, since partitions of keys are random', () => {
    const { mean, busiest } = simulate(scenario({ load: 2, processes: 8 }), costs).utilisations['fan-out'];
    expect(busiest).toBeGreaterThan(1.2 * mean);
  });

  it('lets only the queue of the overloaded service grow', () => {
    const slow = { ...costs, dispatcher: { push: 400, message: 1 } };
    const { utilisations } = simulate(scenario(), slow);
    expect(utilisations.dispatcher.mean).toBeGreaterThan(1);
    expect(serviceNames.filter((name) => utilisations[name].backlog > 1)).toEqual(['dispatcher']);
  });

  it('ends a broadcast no sooner than the limit of its provider', () => {
    const { finished } = simulate(scenario({ channels: 2, providerRate: 5000 }), costs);
    expect(finished[0]).toBeGreaterThan(100);
    expect(finished[0]).toBeLessThan(105);
  });
});

describe(scalePath, () => {
  it('has the table of its costs: `npm run scale -- --write` renews it', () => {
    expect(page).toContain(tableOf(rowsOfPage, costsOf(page)));
  });

  it('contains the costs of every process and store', () => {
    expect(costsOf(page)).toMatchObject({ gateway: { push: 0 }, 'fan-out': { push: expect.any(Number) } });
    expect(() => costsOf(page.replaceAll('fan-out', 'fanout'))).toThrow('no cost of fan-out');
  });

  it('gets a new table in place of the old one', () => {
    expect(withTable('a\n| b |\n| 1 |\n\nc\n', '| b |\n| 2 |\n')).toBe('a\n| b |\n| 2 |\n\nc\n');
    expect(() => withTable('a\n', '| b |\n')).toThrow('has no table');
  });
});
