import { setTimeout as delay } from 'node:timers/promises';
import { APPLICATION_LEASE_MS } from '@tidings/rpc';

/** A margin for clock drift and early timers. */
const LEASES_OVER_MS = APPLICATION_LEASE_MS + 100;

/** Resolves once every cached read of the application has expired (ADR 19). */
export const leasesOver = (): Promise<void> => delay(LEASES_OVER_MS);
