import { beforeEach, describe, expect, it } from '@jest/globals';
import { UnknownOutcome } from '@tidings/mongo';
import type { DocumentAddress } from './event-log-port.ts';
import type { Quarantined } from './log-store.ts';
import type { Problem } from './problems.ts';
import { Quarantine } from './quarantine.ts';
import { UnknownEvent } from './unknown-event.ts';

const MINUTE = 60_000;
const place = { log: 'things-1', position: 7 };
const at = (id: string) => ({ ...place, address: { collection: 'things', id } });
const refusal = new Error('refused');

describe('a quarantine', () => {
  let now: number;
  let stored: Map<string, Quarantined>;
  let problems: Problem[];
  let quarantine: Quarantine;
  const ids = (): string[] => quarantine.due().map(({ address }) => address.id);
  const store = {
    quarantine: async (document: Quarantined) => void stored.set(document.address.id, document),
    quarantined: async () => [...stored.values()],
    release: async ({ id }: DocumentAddress) => void stored.delete(id),
  };

  beforeEach(() => {
    now = 5;
    stored = new Map();
    problems = [];
    const counts = { quarantined: 0 };
    quarantine = new Quarantine({ store, counts, report: (problem) => problems.push(problem), now: () => now });
  });

  it('retries its documents every minute, reported once', async () => {
    await quarantine.add(at('a'), refusal);
    expect(ids()).toEqual([]);
    for (let minute = 1; minute <= 3; minute++) {
      now += MINUTE - 1;
      expect(ids()).toEqual([]);
      now += 1;
      expect(ids()).toEqual(['a']);
      await quarantine.retry(quarantine.due()[0]!, async () => refusal);
    }
    expect(problems).toMatchObject([{ kind: 'quarantined', address: { id: 'a' } }]);
  });

  it('retries them at once after a recovery of the store, but no more than a twentieth of the time', async () => {
    await quarantine.add(at('a'), refusal);
    const took = 10_000;
    for (let i = 0; i < 3; i++) {
      quarantine.storeRecovered();
      expect(ids()).toEqual(['a']);
      await quarantine.retry(quarantine.due()[0]!, async () => {
        now += took;
        return refusal;
      });
      quarantine.storeRecovered();
      now += 20 * took - 1;
      expect(ids()).toEqual([]);
      now += 1;
    }
  });

  it('leaves unknown documents to other versions', async () => {
    await quarantine.add(at('a'), new UnknownEvent(place));
    quarantine.storeRecovered();
    now += 2 * MINUTE;
    expect(ids()).toEqual([]);
  });

  it('retries documents of other writers once before they wait', async () => {
    stored.set('b', { ...at('b'), reason: 'refused', isUnknown: false });
    await quarantine.read();
    expect(ids()).toEqual(['b']);
    await quarantine.retry(quarantine.due()[0]!, async () => refusal);
    expect(ids()).toEqual([]);
  });

  it('releases a document when its commits are applied', async () => {
    await quarantine.add(at('a'), refusal);
    now += MINUTE;
    await quarantine.retry(quarantine.due()[0]!, async () => undefined);
    await quarantine.read();
    expect(stored.size).toBe(0);
    expect(quarantine.isEmpty).toBe(true);
  });

  it('keeps a released document until the commits are applied that others skipped', async () => {
    await quarantine.add(at('a'), refusal);
    now += MINUTE;
    const answers = [undefined, new UnknownOutcome('full'), undefined, undefined];
    const apply = async (): Promise<unknown> => {
      const answer = answers.shift();
      if (answer) throw answer;
      return undefined;
    };
    await expect(quarantine.retry(quarantine.due()[0]!, apply)).rejects.toBeInstanceOf(UnknownOutcome);
    await quarantine.read();
    expect(quarantine.of(at('a').address)).toBeDefined();
    expect(ids()).toEqual(['a']);
    await quarantine.retry(quarantine.due()[0]!, apply);
    await quarantine.read();
    expect(quarantine.isEmpty).toBe(true);
  });
});
