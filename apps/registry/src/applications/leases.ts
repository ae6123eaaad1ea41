import { setTimeout as delay } from 'node:timers/promises';
import { APPLICATION_LEASE_MS } from '@tidings/rpc';

/** Clocks do not run at quite the same rate, and timers may fire a little early. */
const LEASES_OVER_MS = APPLICATION_LEASE_MS + 100;

/** Resolves when what anybody has read of applications by now counts no more (docs/adr/0019-deletions-wait-out-leases.md). */
export const leasesOver = (): Promise<void> => delay(LEASES_OVER_MS);
