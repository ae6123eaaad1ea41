import { describe, expect, it } from '@jest/globals';
import type { Operations, SettledRequest } from '@tidings/rpc';
import { processOperations } from './process-operations.ts';

function service(name: string, freeBytes?: bigint) {
  const requests: SettledRequest[] = [];
  const operations: Operations = {
    async settled(request) {
      requests.push(request);
      return { open: [`${name}: commands`], deletions: [{ service: name, application: 'app' }] };
    },
    advanceClock: async ({ aheadMs }) => ({ nowMs: 0n, aheadMs }),
    storage: async () => ({ freeBytes }),
  };
  return { operations, requests };
}

describe('the operations of a process', () => {
  const [gateway, registry] = [service('gateway'), service('registry', 7n)];
  const byService = new Map([
    ['gateway', gateway.operations],
    ['registry', registry.operations],
  ]);
  const operations = processOperations(byService);

  it('report the open work of the service that a request names, otherwise of all', async () => {
    const reply = await operations.settled({ service: 'registry', ownOnly: true });
    expect(reply).toEqual({ open: ['registry: commands'], deletions: [{ service: 'registry', application: 'app' }] });
    expect([gateway.requests, registry.requests]).toEqual([[], [{ ownOnly: true }]]);
    expect((await operations.settled({})).open).toEqual(['gateway: commands', 'registry: commands']);
  });

  it('are unavailable for a service that is not open, and without any', async () => {
    await expect(operations.settled({ service: 'fanout' })).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(processOperations(new Map()).advanceClock({ aheadMs: 1n })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('report the room of a service that has a store', async () => {
    expect(await operations.storage({})).toEqual({ freeBytes: 7n });
  });
});
