import { describe, expect, it } from '@jest/globals';
import { failure } from './failure.ts';
import { MAX_ROUNDS, MAX_STORED, report, type ReportDeps, sendStoredReports } from './reports.ts';
import type { StoredReport } from './browser-store.ts';

function world(isOnline: (method: string) => boolean | 'refused') {
  const stored = new Map<number, StoredReport>();
  const sent: string[] = [];
  let tries = 0;
  let next = 1;
  const deps: ReportDeps = {
    store: {
      all: () => Promise.resolve([...stored]),
      put: (each, key = next++) => Promise.resolve(stored.set(key as number, each)),
      remove: (key) => Promise.resolve(stored.delete(key as number)),
    },
    async send(method, { hash }) {
      tries++;
      const outcome = isOnline(method);
      if (outcome === false) throw failure('unreachable', 'Offline.');
      if (outcome === 'refused') throw failure('refused', 'Refused.');
      await Promise.resolve(sent.push(`${method} ${String(hash)}`));
    },
    sleep: () => Promise.resolve(),
  };
  return { deps, stored, sent, tries: () => tries };
}

describe('reports', () => {
  it('are sent', async () => {
    const { deps, sent, stored } = world(() => true);
    await report('pushStat', { hash: 'a' }, deps);
    expect([sent, stored.size]).toEqual([['pushStat a'], 0]);
  });

  it('are stored while the browser is offline, and sent with the next one that arrives', async () => {
    let isOnline = false;
    const { deps, sent, stored, tries } = world(() => isOnline);
    await report('messageDeliveryEvent', { hash: 'a' }, deps);
    await report('pushStat', { hash: 'a' }, deps);
    expect([tries(), stored.size]).toEqual([8, 2]);
    isOnline = true;
    await report('messageDeliveryEvent', { hash: 'b' }, deps);
    expect(sent).toEqual(['messageDeliveryEvent b', 'messageDeliveryEvent a', 'pushStat a']);
    expect(stored.size).toBe(0);
  });

  it('are dropped if they are refused', async () => {
    const { deps, stored, tries } = world(() => 'refused');
    await report('pushStat', { hash: 'a' }, deps);
    expect([tries(), stored.size]).toEqual([1, 0]);
  });

  it('do not fail where nothing can be stored', async () => {
    const { deps } = world(() => false);
    const full = () => Promise.reject(new Error('The quota is exceeded.'));
    await expect(report('pushStat', {}, { ...deps, store: { ...deps.store, put: full } })).resolves.toBeUndefined();
  });
});

describe('stored reports', () => {
  it('are bounded: the oldest is dropped', async () => {
    const { deps, stored } = world(() => false);
    for (let n = 0; n < MAX_STORED + 2; n++) await report('pushStat', { hash: n }, deps);
    expect(stored.size).toBe(MAX_STORED);
    expect([...stored.values()][0]!.parameters).toEqual({ hash: 2 });
  });

  it('are dropped after some rounds, each of which ends at the first that is unreachable', async () => {
    const { deps, stored, tries } = world(() => false);
    await deps.store.put({ method: 'pushStat', parameters: { hash: 'a' }, rounds: 0 });
    await deps.store.put({ method: 'pushStat', parameters: { hash: 'b' }, rounds: 0 });
    for (let round = 1; round < MAX_ROUNDS; round++) await sendStoredReports(deps);
    expect([...stored.values()].map(({ rounds }) => rounds)).toEqual([MAX_ROUNDS - 1, 0]);
    await sendStoredReports(deps);
    expect([...stored.values()].map(({ parameters }) => parameters)).toEqual([{ hash: 'b' }]);
    expect(tries()).toBe(MAX_ROUNDS);
  });

  it('go on after one that is refused', async () => {
    const { deps, stored, sent } = world((method) => (method === 'pushStat' ? 'refused' : true));
    await deps.store.put({ method: 'pushStat', parameters: { hash: 'a' }, rounds: 0 });
    await deps.store.put({ method: 'inboxStatus', parameters: { hash: 'b' }, rounds: 0 });
    await sendStoredReports(deps);
    expect([sent, stored.size]).toEqual([['inboxStatus b'], 0]);
  });
});
