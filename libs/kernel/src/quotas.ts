import { Fault } from './fault.ts';

/** How many of each thing may be there at once; deleted ones do not count (R-LM7). */
export interface Quotas {
  /** Applications of an account. */
  readonly applications: number;
  /** Tags of an account, default tags not counted. */
  readonly tags: number;
  /** Presets of an application, or of an application group. */
  readonly presets: number;
  /** Filters of an application; those that are bound to none count together in their account. */
  readonly filters: number;
  /** Geozones of an application. */
  readonly geozones: number;
  /** Test devices of an application. */
  readonly testDevices: number;
}

/** The quotas of an operator who sets no others (R-LM7). */
export const defaultQuotas: Quotas = {
  applications: 10_000,
  tags: 10_000,
  presets: 10_000,
  filters: 10_000,
  geozones: 10_000,
  testDevices: 100,
};

const things: Readonly<Record<keyof Quotas, string>> = {
  applications: 'Application',
  tags: 'Tag',
  presets: 'Preset',
  filters: 'Filter',
  geozones: 'Geozone',
  testDevices: 'Test device',
};

/** The refusal of a creation beyond a quota, e.g. `Tag limit reached (10000)` (R-LM7). */
export const quotaReached = (quota: keyof Quotas, limit: number): Fault =>
  Fault.argument(`${things[quota]} limit reached (${limit})`);
