import { Fault } from '@tidings/kernel';
import type { Operations } from '@tidings/rpc';

/** A request that names no service concerns all. */
export function processOperations(byService: ReadonlyMap<string, Operations>): Operations {
  const named = (service: string | undefined): readonly Operations[] => {
    if (service === undefined) return [...byService.values()];
    const operations = byService.get(service);
    if (!operations) throw new Fault('unavailable', `The ${service} is not available yet`, { effect: 'none' });
    return [operations];
  };
  const any = (): Operations => {
    const [first] = byService.values();
    if (!first) throw new Fault('unavailable', 'No service is available yet', { effect: 'none' });
    return first;
  };
  return {
    async settled({ service, ...request }) {
      const replies = await Promise.all(named(service).map((operations) => operations.settled(request)));
      return {
        open: replies.flatMap(({ open }) => open),
        deletions: replies.flatMap(({ deletions }) => deletions),
      };
    },
    // The services share the clock.
    advanceClock: async (request) => any().advanceClock(request),
    async storage(request) {
      for (const operations of byService.values()) {
        const reply = await operations.storage(request);
        if (reply.freeBytes !== undefined) return reply;
      }
      return { freeBytes: undefined };
    },
  };
}
