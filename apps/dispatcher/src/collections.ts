import { inDays, type KeptCollection } from '@tidings/mongo';
import { deletionsKept } from '@tidings/service/deletions';
import { GIVE_UP_MS, REMEMBER_MS } from './claim/mongo-attempts.ts';
import { FORGET_LEASES_MS } from './claim/worker-lease.ts';

/** The collections of the dispatchers, each with its retention. */
export const collections: readonly KeptCollection[] = [
  { name: 'attempts', kept: `${inDays(REMEMBER_MS)} from the end of the slice; without one ${inDays(GIVE_UP_MS)}` },
  { name: 'workerLeases', kept: `${inDays(FORGET_LEASES_MS)} from the end of the lease` },
  { name: 'throttles', kept: 'until the provider is sent to again, or an operator lifts it' },
  deletionsKept,
];
